#include "explain/quadrature.h"

#include <cmath>
#include <numbers>

namespace treewright {

namespace {

struct Legendre {
  long double value;
  long double slope;
};

// The Legendre polynomial of degree n, n > 0, at x inside (-1, 1).
Legendre legendre(std::size_t n, long double x) {
  long double before = 1, value = x;
  for (std::size_t k = 2; k <= n; ++k) {
    const auto degree = static_cast<long double>(k);
    const long double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
    before = value;
    value = next;
  }
  return {value, static_cast<long double>(n) * (x * value - before) / (x * x - 1)};
}

}  // namespace

Quadrature::Quadrature(std::size_t n_points)
    : at(n_points), rest(n_points), fall(n_points), weight(n_points) {
  constexpr int kMostSteps = 100;
  const auto n = static_cast<long double>(n_points);
  for (std::size_t i = 0; i < (n_points + 1) / 2; ++i) {
    long double x =
        std::cos(std::numbers::pi_v<long double> * (static_cast<long double>(i) + 0.75L) / (n + 0.5L));
    for (int step = 0; step < kMostSteps; ++step) {
      const Legendre here = legendre(n_points, x);
      const long double change = here.value / here.slope;
      x -= change;
      if (std::abs(change) < 1e-18L) break;
    }
    const long double slope = legendre(n_points, x).slope;
    const auto share = static_cast<double>(1 / ((1 - x * x) * slope * slope));
    const auto upper = static_cast<double>((1 + x) / 2), lower = static_cast<double>((1 - x) / 2);
    const std::size_t other = n_points - 1 - i;
    at[other] = rest[i] = upper;
    at[i] = rest[other] = lower;
    weight[i] = weight[other] = share;
  }
  for (std::size_t i = 0; i < n_points; ++i) fall[i] = -1.0 / rest[i];
}

}  // namespace treewright
