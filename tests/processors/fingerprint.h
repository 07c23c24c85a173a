// Fingerprint: a hash of numbers by their values, the same for every order of bytes.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tree/forest.h"
#include "tree/named_arrays.h"
#include "tree/tree.h"

namespace treewright::test {

class Fingerprint {
 public:
  std::uint64_t value() const { return hash_; }

  template <class T>
  void add(T x) {
    if constexpr (std::is_same_v<T, double>) {
      // Which bits a NaN has beyond being one is up to the processor.
      add_bits(std::bit_cast<std::uint64_t>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x));
    } else if constexpr (std::is_same_v<T, float>) {
      add(static_cast<double>(x));
    } else {
      add_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
    }
  }

  template <class T>
  void add(const std::vector<T>& numbers) {
    add(numbers.size());
    for (const T& number : numbers) add(number);
  }

  void add(const Tree& tree) {
    const auto array = [this](const char*, const auto& numbers) { add(numbers); };
    for_each_node_array(tree, array);
    for_each_side_array(tree, array);
    add(tree.value);
    add(tree.tables);
  }

  void add(const Forest& forest) {
    add(forest.begin);
    add(forest.number);
    add(forest.child);
    add(forest.feature16);
    add(forest.flags);
    add(forest.weight);
    add(forest.rows);
    add(forest.distributions);
    add(forest.tables);
  }

 private:
  // FNV-1a, eight bytes at a time from the lowest.
  void add_bits(std::uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ ((bits >> (8 * byte)) & 0xFFU)) * 0x100000001B3U;
    }
  }

  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

}  // namespace treewright::test
