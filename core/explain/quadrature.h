// Quadrature: Gauss-Legendre points on [0, 1]. With n points the integral of a polynomial of degree 2 n - 1
// is exact, so a path of D distinct features, whose integrands have degree D - 1, needs D / 2 of them.
#pragma once

#include <cstddef>
#include <vector>

namespace treewright {

struct Quadrature {
  // Points come in fours, which is what a wide register holds.
  static constexpr std::size_t kLanes = 4;

  // The number of points for a path of so many distinct features.
  static std::size_t points_for(std::size_t n_features) {
    const std::size_t needed = n_features < 2 ? 1 : (n_features + 1) / 2;
    return (needed + kLanes - 1) / kLanes * kLanes;
  }

  explicit Quadrature(std::size_t n_points);

  std::size_t size() const { return at.size(); }

  std::vector<double> at;      // the points t
  std::vector<double> rest;    // 1 - t, as exact as t
  std::vector<double> fall;    // -1 / (1 - t)
  std::vector<double> weight;  // they add up to 1
};

}  // namespace treewright
