// A Forest as Python sees it: a dict of NumPy arrays under the names of its members (`feature` is int16 or
// int32). Going out, each array takes over the memory of its vector. Coming in, nothing is copied:
// BorrowedForest keeps the arrays alive and shows them as a view. Only types and shapes are checked here:
// call check_forest.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "tree/forest.h"

namespace treewright {

inline nb::dict arrays_from_forest(Forest&& forest) {
  nb::dict arrays;
  arrays["begin"] = own_array(std::move(forest.begin));
  arrays["number"] = own_array(std::move(forest.number));
  arrays["child"] = own_array(std::move(forest.child));
  if (forest.feature32.empty()) {
    arrays["feature"] = own_array(std::move(forest.feature16));
  } else {
    arrays["feature"] = own_array(std::move(forest.feature32));
  }
  arrays["flags"] = own_array(std::move(forest.flags));
  arrays["weight"] = own_array(std::move(forest.weight));
  arrays["rows"] = own_array(std::move(forest.rows));
  const std::size_t n_distinct = forest.distributions.size() / forest.n_outputs;
  arrays["distributions"] = own_array(std::move(forest.distributions), {n_distinct, forest.n_outputs});
  arrays["tables"] = own_array(std::move(forest.tables));
  return arrays;
}

class BorrowedForest {
 public:
  // Throws std::invalid_argument for a missing array, a wrong type or shape.
  explicit BorrowedForest(const nb::dict& arrays) {
    view_.begin = borrow<std::int64_t>(arrays, "begin", "int64");
    view_.number = borrow<double>(arrays, "number", "float64");
    view_.child = borrow<std::uint32_t>(arrays, "child", "uint32");
    borrow_feature(arrays);
    view_.flags = borrow<std::uint8_t>(arrays, "flags", "uint8");
    view_.weight = borrow<float>(arrays, "weight", "float32");
    view_.rows = borrow<std::uint32_t>(arrays, "rows", "uint32");
    view_.distributions = borrow<double, 2>(arrays, "distributions", "float64");
    view_.tables = borrow<std::uint32_t>(arrays, "tables", "uint32");
  }

  const ForestView& view() const { return view_; }

  // The gradients of a booster's nodes; empty without.
  std::span<const double> borrow_gradient(const nb::dict& arrays) {
    if (!arrays.contains("gradient")) return {};
    return borrow<double>(arrays, "gradient", "float64");
  }

 private:
  using Kept = nb::ndarray<nb::ro, nb::device::cpu>;

  template <class T, std::size_t kDimensions>
  static bool fits(nb::handle object) {
    using Array = nb::ndarray<const T, nb::ro, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;
    Array array;
    return nb::try_cast<Array>(object, array, false);
  }

  static nb::object find(const nb::dict& arrays, const char* name) {
    if (arrays.contains(name)) return arrays[name];
    throw std::invalid_argument("forest array '" + std::string(name) + "' is missing.");
  }

  template <class T, std::size_t kDimensions = 1>
  std::span<const T> borrow(const nb::dict& arrays, const char* name, const char* type) {
    const nb::object object = find(arrays, name);
    if (!fits<T, kDimensions>(object)) {
      throw std::invalid_argument("forest array '" + std::string(name) + "' must be a contiguous " +
                                  std::to_string(kDimensions) + "-D array of " + type + ".");
    }
    Kept& array = kept_.emplace_back(nb::cast<Kept>(object));
    if constexpr (kDimensions == 2) {
      if (array.shape(1) < 1) {
        throw std::invalid_argument("forest array '" + std::string(name) +
                                    "' must have at least one column.");
      }
      view_.n_outputs = array.shape(1);
    }
    return {static_cast<const T*>(array.data()), array.size()};
  }

  void borrow_feature(const nb::dict& arrays) {
    if (fits<std::int32_t, 1>(find(arrays, "feature"))) {
      view_.feature32 = borrow<std::int32_t>(arrays, "feature", "int32");
    } else {
      view_.feature16 = borrow<std::int16_t>(arrays, "feature", "int16 or int32");
    }
  }

  ForestView view_;
  std::vector<Kept> kept_;
};

}  // namespace treewright
