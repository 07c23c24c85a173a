#include "predict/symmetric_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/processor.h"
#include "predict/adding.h"

namespace treewright {

namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostLevels = 8;
constexpr std::size_t kTreesAtOnce = 4;
constexpr std::uint8_t kOnlyMissing = ThresholdPlaces::kMissing - 1;  // a place that no number is behind

TREEWRIGHT_WIDE_REGISTERS
void add_answers(const std::uint8_t* __restrict codes, std::uint8_t place, std::uint8_t bit, std::size_t n,
                 std::uint8_t* __restrict leaves) {
  for (std::size_t i = 0; i < n; ++i) {
    leaves[i] = static_cast<std::uint8_t>(leaves[i] | (codes[i] > place ? bit : 0));
  }
}

}  // namespace

std::unique_ptr<SymmetricTables> SymmetricTables::make(const ForestView& forest,
                                                       std::span<const Code> n_codes) {
  if (forest.is_classes() || forest.n_trees() == 0) return nullptr;
  auto made = std::make_unique<SymmetricTables>();
  made->place_.assign(n_codes.size(), kUnused);
  std::vector<std::size_t> tests, leaves;
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    if (!read_levels(forest, tree, tests, leaves)) return nullptr;
    for (const std::size_t node : tests) {
      if (!made->add_column(forest, node)) return nullptr;
    }
  }
  for (Column& column : made->columns_) {
    if (!column.places.finish()) return nullptr;
  }
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    read_levels(forest, tree, tests, leaves);
    made->trees_.push_back({static_cast<std::uint32_t>(made->tests_.size()),
                            static_cast<std::uint32_t>(tests.size()), made->leaves_.size()});
    for (const std::size_t node : tests) {
      const std::uint32_t place = made->place_[static_cast<std::size_t>(forest.feature(node))];
      const double threshold = forest.number[node];
      const std::uint32_t at =
          std::isfinite(threshold) ? made->columns_[place].places.place_of(threshold) : kOnlyMissing;
      made->tests_.push_back({place, static_cast<std::uint8_t>(at)});
    }
    for (const std::size_t leaf : leaves) made->leaves_.push_back(forest.number[leaf]);
  }
  return made;
}

bool SymmetricTables::read_levels(const ForestView& forest, std::size_t tree, std::vector<std::size_t>& tests,
                                  std::vector<std::size_t>& leaves) {
  const auto first = static_cast<std::size_t>(forest.begin[tree]);
  tests.clear();
  leaves.assign(1, first);
  while (!forest.is_leaf(leaves.front())) {
    const std::size_t asked = leaves.front(), n = leaves.size();
    if (tests.size() == kMostLevels) return false;
    for (const std::size_t node : leaves) {
      if (forest.is_leaf(node) || forest.feature(node) != forest.feature(asked) ||
          forest.number[node] != forest.number[asked] || forest.flags[node] != forest.flags[asked]) {
        return false;
      }
    }
    tests.push_back(asked);
    leaves.resize(2 * n);
    for (std::size_t i = 0; i < n; ++i) {  // the next bit says who goes right
      const std::size_t child = first + forest.child[leaves[i]];
      leaves[i] = child;
      leaves[n + i] = child + 1;
    }
  }
  return std::all_of(leaves.begin(), leaves.end(), [&](std::size_t node) { return forest.is_leaf(node); });
}

bool SymmetricTables::add_column(const ForestView& forest, std::size_t node) {
  if ((forest.flags[node] & kSubsetTest) != 0) return false;
  const double threshold = forest.number[node];
  if (threshold == -std::numeric_limits<double>::infinity()) return false;
  const auto feature = static_cast<std::size_t>(forest.feature(node));
  const bool goes_right = (forest.flags[node] & kMissingGoesRight) != 0;
  if (place_[feature] == kUnused) {
    place_[feature] = static_cast<std::uint32_t>(columns_.size());
    columns_.push_back({forest.feature(node), goes_right, {}});
  }
  Column& column = columns_[place_[feature]];
  if (std::isfinite(threshold)) column.places.add(threshold);
  return column.missing_goes_right == goes_right;
}

// Codes of one column after the other: places of values; missing values are before or behind all of them.
template <class T>
void SymmetricTables::encode(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows,
                             std::uint8_t* codes) const {
  T values[kBlockRows];
  const std::size_t n =
      (n_rows + ThresholdPlaces::kRows - 1) / ThresholdPlaces::kRows * ThresholdPlaces::kRows;
  std::fill_n(values, n, T{0});
  const T* rows = matrix.data + static_cast<std::ptrdiff_t>(begin) * matrix.row_stride;
  for (const Column& column : columns_) {
    const T* from = rows + column.feature * matrix.column_stride;
    for (std::size_t i = 0; i < n_rows; ++i) {
      values[i] = from[static_cast<std::ptrdiff_t>(i) * matrix.row_stride];
    }
    column.places.find(values, n, codes);
    if (!column.missing_goes_right) {
      for (std::size_t i = 0; i < n; ++i) {
        codes[i] = codes[i] == ThresholdPlaces::kMissing ? std::uint8_t{0} : codes[i];
      }
    }
    codes += kBlockRows;
  }
}

void SymmetricTables::find_leaves(std::size_t tree, const std::uint8_t* codes, std::size_t n_rows,
                                  std::uint8_t* leaves) const {
  const SymmetricTree& own = trees_[tree];
  std::fill_n(leaves, n_rows, std::uint8_t{0});
  for (std::uint32_t level = 0; level < own.n_tests; ++level) {
    const Test& test = tests_[own.first_test + level];
    add_answers(codes + test.column * kBlockRows, test.place, static_cast<std::uint8_t>(1U << level), n_rows,
                leaves);
  }
}

template <class Sum, class T>
void SymmetricTables::add_sums(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows,
                               std::size_t n_outputs, std::size_t first, std::size_t last,
                               std::uint8_t* codes, double* out) const {
  encode(matrix, begin, n_rows, codes);
  std::uint8_t found[kTreesAtOnce][kBlockRows];
  std::size_t tree = first;
  for (; n_outputs == 1 && tree + kTreesAtOnce <= last; tree += kTreesAtOnce) {
    const double* numbers[kTreesAtOnce];
    for (std::size_t t = 0; t < kTreesAtOnce; ++t) {
      find_leaves(tree + t, codes, n_rows, found[t]);
      numbers[t] = leaves_.data() + trees_[tree + t].first_leaf;
    }
    for (std::size_t i = 0; i < n_rows; ++i) {
      double score = out[i];
      for (std::size_t t = 0; t < kTreesAtOnce; ++t) Sum::add(score, numbers[t][found[t][i]]);
      out[i] = score;
    }
  }
  for (; tree < last; ++tree) {
    find_leaves(tree, codes, n_rows, found[0]);
    const double* numbers = leaves_.data() + trees_[tree].first_leaf;
    double* scores = out + tree % n_outputs;
    for (std::size_t i = 0; i < n_rows; ++i) Sum::add(scores[i * n_outputs], numbers[found[0][i]]);
  }
}

using Size = std::size_t;
template void SymmetricTables::add_sums<DoubleSum>(const MatrixView<float>&, Size, Size, Size, Size, Size,
                                                   std::uint8_t*, double*) const;
template void SymmetricTables::add_sums<DoubleSum>(const MatrixView<double>&, Size, Size, Size, Size, Size,
                                                   std::uint8_t*, double*) const;
template void SymmetricTables::add_sums<SingleSum>(const MatrixView<float>&, Size, Size, Size, Size, Size,
                                                   std::uint8_t*, double*) const;
template void SymmetricTables::add_sums<SingleSum>(const MatrixView<double>&, Size, Size, Size, Size, Size,
                                                   std::uint8_t*, double*) const;

}  // namespace treewright
