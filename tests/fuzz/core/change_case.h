// Changes of a case that keep its form: numbers that tend to matter, entries that move, arrays that grow or
// shrink. Bytes changed at random would hardly ever be a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "case_bytes.h"

namespace treewright::fuzz {

class CaseChanger {
 public:
  explicit CaseChanger(unsigned seed) : random_(seed) {}

  void change(Case& one) {
    std::size_t n_arrays = 0;
    for_each_array(one, [&](auto&) { ++n_arrays; });
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) {
      std::size_t at = below(n_arrays);
      for_each_array(one, [&](auto& array) {
        if (at-- == 0) change_array(array);
      });
    }
    if (below(40) == 0) one.tree.outputs = static_cast<std::int32_t>(below(5));
    if (below(40) == 0) one.forest.n_outputs = below(5);
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  template <class T>
  void change_array(std::vector<T>& array) {
    if (array.empty()) {
      if (below(8) == 0) array.push_back(odd<T>());
      return;
    }
    const std::size_t i = below(array.size()), j = below(array.size());
    switch (below(10)) {
      case 0: std::swap(array[i], array[j]); return;
      case 1: array[i] = array[j]; return;
      case 2: array.insert(array.begin() + static_cast<std::ptrdiff_t>(i), T(array[j])); return;
      case 3: array.erase(array.begin() + static_cast<std::ptrdiff_t>(i)); return;
      case 4:
      case 5:
      case 6: array[i] = odd<T>(); return;
      default: array[i] = near(array[i]);
    }
  }

  template <class T>
  T near(T value) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(static_cast<std::uint8_t>(value) + 1U);
    } else if constexpr (std::is_floating_point_v<T>) {
      return below(2) == 0 ? value + T(1) : value / T(2);
    } else {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(value) +
                            static_cast<Unsigned>(below(2) == 0 ? 1 : std::numeric_limits<Unsigned>::max()));
    }
  }

  template <class T>
  T odd() {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(below(6));
    } else if constexpr (std::is_floating_point_v<T>) {
      using Limits = std::numeric_limits<T>;
      const T values[] = {T(0),
                          T(-0.0),
                          T(0.5),
                          T(1),
                          T(-1),
                          T(3),
                          T(7),
                          Limits::max(),
                          -Limits::max(),
                          Limits::min(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          T(16777217),
                          Limits::quiet_NaN(),
                          Limits::denorm_min()};
      return values[below(std::size(values))];
    } else {
      using Limits = std::numeric_limits<T>;
      const T values[] = {T(0),
                          T(1),
                          T(2),
                          T(3),
                          T(4),
                          T(5),
                          T(31),
                          T(32),
                          T(33),
                          T(64),
                          T(Limits::max()),
                          T(Limits::max() - 1),
                          T(Limits::max() - 2),
                          Limits::min(),
                          static_cast<T>(-1),
                          static_cast<T>(-2)};
      return values[below(std::size(values))];
    }
  }

  std::mt19937 random_;
};

}  // namespace treewright::fuzz
