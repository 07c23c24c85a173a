// Bytes ↔ cases of the fuzzer: the arrays of a tree or of a forest, the categories of its columns, and rows.
// Every array stands with its length before it, so that a file of any bytes is some case.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/types.h"
#include "tree/forest.h"
#include "tree/named_arrays.h"
#include "tree/tree.h"

namespace treewright::fuzz {

struct Case {
  std::uint8_t kind = 0;  // even: a tree, odd: a forest
  std::vector<Code> n_codes;
  std::vector<double> rows;  // row-major; whatever is missing of the last row is 0
  Tree tree;
  Forest forest;
  std::vector<double> gradient;

  bool is_forest() const { return (kind & 1U) != 0; }
};

// Calls visit(array) for all arrays of the case, in one order.
template <class SomeCase, class Visitor>
void for_each_array(SomeCase& one, Visitor&& visit) {
  visit(one.n_codes);
  visit(one.rows);
  if (one.is_forest()) {
    visit(one.forest.begin);
    visit(one.forest.number);
    visit(one.forest.child);
    visit(one.forest.feature16);
    visit(one.forest.feature32);
    visit(one.forest.flags);
    visit(one.forest.weight);
    visit(one.forest.rows);
    visit(one.forest.distributions);
    visit(one.forest.tables);
    visit(one.gradient);
    return;
  }
  const auto named = [&](const char*, auto& array) { visit(array); };
  for_each_node_array(one.tree, named);
  for_each_missing_array(one.tree, named);
  visit(one.tree.value);
  visit(one.tree.tables);
  for_each_side_array(one.tree, named);
}

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  // What is missing at the end reads as 0.
  template <class T>
  T number() {
    T value{};
    const std::size_t n = std::min(sizeof(T), bytes_.size());
    std::memcpy(&value, bytes_.data(), n);
    bytes_ = bytes_.subspan(n);
    return value;
  }

  template <class T>
  void read(std::vector<T>& array) {
    const std::size_t n = std::min<std::size_t>(number<std::uint16_t>(), bytes_.size() / sizeof(T));
    array.resize(n);
    if (n > 0) std::memcpy(array.data(), bytes_.data(), n * sizeof(T));
    bytes_ = bytes_.subspan(n * sizeof(T));
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

inline Case read_case(std::span<const std::uint8_t> bytes) {
  Reader reader(bytes);
  Case one;
  one.kind = reader.number<std::uint8_t>();
  const std::uint8_t n_outputs = reader.number<std::uint8_t>();
  one.tree.outputs = n_outputs;
  one.forest.n_outputs = n_outputs;
  for_each_array(one, [&](auto& array) { reader.read(array); });
  return one;
}

inline std::vector<std::uint8_t> write_case(const Case& one) {
  const auto n_outputs = static_cast<std::uint8_t>(
      one.is_forest() ? one.forest.n_outputs : static_cast<std::size_t>(one.tree.outputs));
  std::vector<std::uint8_t> bytes{one.kind, n_outputs};
  for_each_array(one, [&](const auto& array) {
    const std::size_t n = std::min<std::size_t>(array.size(), UINT16_MAX);
    bytes.push_back(static_cast<std::uint8_t>(n & 0xFF));
    bytes.push_back(static_cast<std::uint8_t>(n >> 8));
    const auto* raw = reinterpret_cast<const std::uint8_t*>(array.data());
    bytes.insert(bytes.end(), raw, raw + n * sizeof(array[0]));
  });
  return bytes;
}

}  // namespace treewright::fuzz
