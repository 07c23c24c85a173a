// SymmetricTables: trees that ask the same test on all of a level, as CatBoost grows them. A row's leaf is
// then a number whose bits are the answers: bytes are compared for many rows at once, and each tree adds one
// number of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/types.h"
#include "predict/matrix.h"
#include "predict/threshold_places.h"
#include "tree/forest.h"

namespace treewright {

class SymmetricTables {
 public:
  static constexpr std::size_t kBlockRows = 512;  // rows that pass over one tree after the other

  // Null when the forest does not fit: a tree that is not symmetric or deeper than eight levels, a test of
  // categories, a feature with more than 254 thresholds or two ways for missing values, or leaves that hold
  // more than a number.
  static std::unique_ptr<SymmetricTables> make(const ForestView& forest, std::span<const Code> n_codes);

  // As that of MaskTables: the same sums.
  template <class Sum, class T>
  void add_sums(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows, std::size_t n_outputs,
                std::size_t first, std::size_t last, std::uint8_t* codes, double* out) const;

  std::size_t n_used() const { return columns_.size(); }

 private:
  struct Column {
    FeatureId feature = 0;
    bool missing_goes_right = false;
    ThresholdPlaces places;
  };
  struct Test {
    std::uint32_t column;
    std::uint8_t place;  // values behind it go right
  };
  struct SymmetricTree {
    std::uint32_t first_test, n_tests;
    std::size_t first_leaf;
  };

  // The test of each level of a tree, as a node that asks it, and its leaves by the bits of answers; false
  // when the tree is not symmetric.
  static bool read_levels(const ForestView& forest, std::size_t tree, std::vector<std::size_t>& tests,
                          std::vector<std::size_t>& leaves);
  bool add_column(const ForestView& forest, std::size_t node);
  template <class T>
  void encode(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows, std::uint8_t* codes) const;
  void find_leaves(std::size_t tree, const std::uint8_t* codes, std::size_t n_rows,
                   std::uint8_t* leaves) const;

  std::vector<Column> columns_;
  std::vector<std::uint32_t> place_;  // of each feature in columns_
  std::vector<Test> tests_;
  std::vector<SymmetricTree> trees_;
  std::vector<double> leaves_;
};

}  // namespace treewright
