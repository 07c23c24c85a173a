// MaskTables: trees with at most 64 leaves as tables of bits (QuickScorer, Lucchese et al. 2015, with the
// masks of a feature combined in advance). A row starts with all leaves of a tree possible; a test that sends
// it to the right rules out the leaves on the left; the first leaf that remains is the row's. What a
// feature's tests rule out depends only on the place of its value among the thresholds, so for each place the
// masks of all tests are joined beforehand: a row needs one joining per feature, for eight trees at a time,
// no branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/huge_array.h"
#include "base/types.h"
#include "predict/matrix.h"
#include "predict/threshold_places.h"
#include "tree/forest.h"

namespace treewright {

class MaskTables {
 public:
  static constexpr std::size_t kLanes = 8;         // trees of a group
  static constexpr std::size_t kBlockRows = 4096;  // rows that pass over one group after the other

  // Null when the forest does not fit: a tree of more than 64 leaves, a feature with more than 254 thresholds
  // or categories, tables that would take too much memory, or leaves that hold more than a number.
  static std::unique_ptr<MaskTables> make(const ForestView& forest, std::span<const Code> n_codes);

  // Adds to out[row * n_outputs + tree % n_outputs] the numbers of trees first ... last - 1, in their order.
  // `codes` has room for kBlockRows rows of n_used() bytes, n_rows <= kBlockRows. Sum: adding.h.
  template <class Sum, class T>
  void add_sums(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows, std::size_t n_outputs,
                std::size_t first, std::size_t last, std::uint8_t* codes, double* out) const;

  std::size_t n_used() const { return columns_.size(); }

 private:
  // A feature that some test reads. Its codes: how many thresholds are below the value; or the category.
  struct Column {
    FeatureId feature = 0;
    bool is_category = false;
    Code n_codes = 0;
    ThresholdPlaces places;
  };
  // Its trees ask fewer questions than all trees together, so codes are mapped to fewer: the masks of a group
  // stay in the cache.
  struct Group {
    std::vector<std::uint32_t> used;   // columns, by place in columns_
    std::vector<std::uint8_t> mapped;  // [used][code]
    std::vector<std::uint32_t> first;  // of each used column, the place of its masks, in units of all lanes
    std::vector<std::vector<std::uint32_t>> asked;  // of each, the places of thresholds, ascending
    HugeArray<std::uint64_t> masks;                 // [place][lane]
  };

  static constexpr std::size_t kCodes = 256;
  static constexpr std::uint8_t kMissingCode = ThresholdPlaces::kMissing;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  bool find_columns(const ForestView& forest, std::span<const Code> n_codes);
  bool make_groups(const ForestView& forest);
  void add_tree(const ForestView& forest, std::size_t tree);
  void map_codes(Group& group) const;
  void join(const ForestView& forest, std::size_t node, std::uint64_t mask, Group& group,
            std::size_t lane) const;
  template <class T>
  void encode(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows, std::uint8_t* codes) const;

  std::vector<Column> columns_;
  std::vector<std::uint32_t> place_;  // of each feature in columns_
  std::vector<Group> groups_;
  std::vector<double> leaves_;  // of each tree 64
  std::size_t n_trees_ = 0;
};

}  // namespace treewright
