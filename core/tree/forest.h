// Forest: many binary trees, one after the other in the same arrays, 23 bytes a node. Inner nodes keep their
// test and their size, leaves keep their answer; what else a Tree holds can be computed from these.
//
// Invariants (checked by check_forest): node ids count within a tree and follow the rules of tree/tree.h, so
// children are adjacent and come after their parent; every test is a threshold or a subset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "tree/tree.h"

namespace treewright {

inline constexpr std::uint8_t kMissingGoesRight = 1;  // bit 0 of a node's flags
inline constexpr std::uint8_t kSubsetTest = 2;        // bit 1

// The arrays of a forest that somebody else owns.
struct ForestView {
  std::size_t n_outputs = 1;                // classes, or 1 for numbers
  std::span<const std::int64_t> begin;      // first node of each tree, and the number of nodes
  std::span<const double> number;           // threshold, or offset into tables, or a leaf's number
  std::span<const std::uint32_t> child;     // id of the first child; a leaf of classes: row of distributions
  std::span<const std::int16_t> feature16;  // kNoFeature for a leaf; empty when there are more than ...
  std::span<const std::int32_t> feature32;  // ... 32767 features: then this one is filled
  std::span<const std::uint8_t> flags;      // kMissingGoesRight, kSubsetTest
  std::span<const float> weight;            // of the training rows
  std::span<const std::uint32_t> rows;      // their number, each row once however often it was drawn
  std::span<const double> distributions;    // n_distinct * n_outputs; empty for numbers
  std::span<const std::uint32_t> tables;    // of subset tests, see tree/table.h

  std::size_t n_trees() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::size_t n_nodes() const { return number.size(); }
  bool is_classes() const { return !distributions.empty(); }
  std::size_t n_distributions() const { return distributions.size() / n_outputs; }
  FeatureId feature(std::size_t node) const { return feature32.empty() ? feature16[node] : feature32[node]; }
  bool is_leaf(std::size_t node) const { return feature(node) == kNoFeature; }
};

struct Forest {
  static constexpr std::size_t kMostNarrowFeatures = 32767;

  std::size_t n_outputs = 1;
  std::vector<std::int64_t> begin{0};
  std::vector<double> number;
  std::vector<std::uint32_t> child;
  std::vector<std::int16_t> feature16;
  std::vector<std::int32_t> feature32;
  std::vector<std::uint8_t> flags;
  std::vector<float> weight;
  std::vector<std::uint32_t> rows;
  std::vector<double> distributions;
  std::vector<std::uint32_t> tables;

  std::size_t n_trees() const { return begin.size() - 1; }
  std::size_t n_nodes() const { return number.size(); }
  ForestView view() const {
    return {n_outputs, begin,  number, child,         feature16, feature32,
            flags,     weight, rows,   distributions, tables};
  }
};

// Appends trees to a forest and keeps each distinct distribution of classes once. The result depends on the
// trees and their order alone.
class ForestBuilder {
 public:
  enum class Answer { kClasses, kNumber };

  // n_outputs: the number of classes; 1 for numbers. n_trees: how many trees are expected, so that the arrays
  // need not move (and be there twice) while they grow.
  ForestBuilder(Answer answer, std::size_t n_outputs, std::size_t n_features, std::size_t n_trees = 1);

  // A tree of threshold and subset tests in which missing values take one branch. Throws
  // std::invalid_argument for any other.
  void append(const Tree& tree);

  const Forest& forest() const { return forest_; }
  Forest finish();

 private:
  void reserve(const Tree& tree);
  std::uint32_t distribution_row(const double* value);
  std::size_t slot_of(const double* value) const;
  void enlarge_slots();

  Forest forest_;
  Answer answer_;
  bool narrow_;
  std::size_t n_trees_;

  // Open addressing: row + 1 of a distribution, or 0 for a free slot.
  std::vector<std::uint32_t> slots_;
};

// The invariants, for arrays that may hold anything (a damaged or hostile file). O(all arrays); reads nothing
// outside of them. n_codes: the number of categories per feature, 0 for a numeric one.
// Throws std::invalid_argument with a sentence that names tree and node and what is wrong.
void check_forest(const ForestView& forest, std::span<const Code> n_codes);
// The same without a word about columns: whatever features and categories the forest names may exist.
void check_forest_alone(const ForestView& forest);
inline void check_forest(const Forest& forest, std::span<const Code> n_codes) {
  check_forest(forest.view(), n_codes);
}

}  // namespace treewright
