// LongPaths: what leaves of long paths give the features of rows, against the rows of a background.
//
// For a row and a row of the background a leaf counts when every feature of its path is passed by one of
// them. Of p features that only the row passes and q that only the other does, each of the former gets
// (p - 1)! q! / (p + q)! of the leaf, and each of the latter takes p! (q - 1)! / (p + q)!. Rows that pass the
// same features share the sum over the background.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

class LongPaths {
 public:
  static constexpr std::size_t kMostFeatures = 32;  // of a path: bits of a pattern

  LongPaths();

  // Begins with a leaf of so many features. others: the features that each row of the background passes.
  void begin_leaf(std::size_t n_features, std::span<const std::uint32_t> others);

  // What the leaf gives each feature of a row that passes these, summed over the others; null: nothing.
  const double* shares(std::uint32_t pattern);

 private:
  static constexpr std::size_t kSlots = 1024;  // more than twice the rows of a block
  static constexpr std::size_t kNothing = SIZE_MAX;

  bool write(std::uint32_t pattern, double* given) const;

  struct Slot {
    std::uint32_t pattern;
    std::uint32_t leaf;  // the one that it was written for
    std::size_t entry;
  };

  std::array<std::array<double, kMostFeatures + 1>, kMostFeatures + 1> gives_;  // by p and q
  std::array<std::array<double, kMostFeatures + 1>, kMostFeatures + 1> takes_;
  std::vector<Slot> slots_;
  std::vector<double> entries_;
  std::span<const std::uint32_t> others_;
  std::size_t n_features_ = 0, n_entries_ = 0;
  std::uint32_t leaf_ = 0;
};

}  // namespace treewright
