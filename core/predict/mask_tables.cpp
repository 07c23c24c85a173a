#include "predict/mask_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/processor.h"
#include "tree/table.h"

namespace treewright {

namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostLeaves = 64;
constexpr std::size_t kEncodeRows = 64;  // rows whose values stay in the first-level cache

// The largest float32 that is not above: x <= limit says the same of every float32 x.
float not_above(double limit) {
  auto single = static_cast<float>(limit);
  if (static_cast<double>(single) > limit) {
    single = std::nextafter(single, -std::numeric_limits<float>::infinity());
  }
  return single;
}

// How many thresholds are below each value; 255 for NaN. Several rows at a time, because every step of a search
// waits for the one before.
template <class T>
void find_places(const T* padded, const T* values, std::size_t n, std::uint8_t* places) {
  constexpr std::size_t kRows = 8;
  for (std::size_t row = 0; row < n; row += kRows) {
    std::uint32_t at[kRows] = {};
    for (std::uint32_t step = 128; step > 0; step /= 2) {
      for (std::size_t i = 0; i < kRows; ++i) {
        at[i] += padded[at[i] + step - 1] < values[row + i] ? step : 0;
      }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool is_missing = values[row + i] != values[row + i];
      places[row + i] = static_cast<std::uint8_t>(is_missing ? 255U : at[i]);
    }
  }
}

struct GroupRows {
  const std::uint64_t* masks;
  const std::uint32_t* used;
  std::size_t n_used;        // columns of the group
  const std::uint8_t* codes;
  std::size_t n_codes;       // bytes of a row
  std::size_t n_rows;
};

// The leaf of each row in each of eight trees: the first that nothing rules out.
TREEWRIGHT_WIDE_REGISTERS
void find_leaves(const GroupRows& group, std::size_t first, std::size_t last, std::uint64_t* __restrict possible) {
  constexpr std::size_t kLanes = MaskTables::kLanes;
  for (std::size_t row = first; row < last; ++row) {
    const std::uint8_t* codes = group.codes + row * group.n_codes;
    std::uint64_t left[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) left[lane] = ~std::uint64_t{0};
    const std::uint64_t* masks = group.masks;
    for (std::size_t u = 0; u < group.n_used; ++u, masks += 256 * kLanes) {
      const std::uint64_t* joined = masks + std::size_t{codes[group.used[u]]} * kLanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) left[lane] &= joined[lane];
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) possible[(row - first) * kLanes + lane] = left[lane];
  }
}

}  // namespace

std::unique_ptr<MaskTables> MaskTables::make(const ForestView& forest, std::span<const Code> n_codes) {
  if (forest.is_classes() || forest.n_trees() == 0) return nullptr;
  auto tables = std::make_unique<MaskTables>();
  tables->n_trees_ = forest.n_trees();
  if (!tables->find_columns(forest, n_codes) || !tables->make_groups(forest)) return nullptr;
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) tables->add_tree(forest, tree);
  return tables;
}

bool MaskTables::find_columns(const ForestView& forest, std::span<const Code> n_codes) {
  place_.assign(n_codes.size(), kUnused);
  for (std::size_t node = 0; node < forest.n_nodes(); ++node) {
    if (forest.is_leaf(node)) continue;
    const auto feature = static_cast<std::size_t>(forest.feature(node));
    if (place_[feature] == kUnused) {
      place_[feature] = static_cast<std::uint32_t>(columns_.size());
      Column column;
      column.feature = forest.feature(node);
      column.is_category = (forest.flags[node] & kSubsetTest) != 0;
      column.n_codes = n_codes[feature];
      if (column.is_category && column.n_codes + 2 > kMissingCode) return false;
      columns_.push_back(std::move(column));
    }
    Column& column = columns_[place_[feature]];
    const bool is_category = (forest.flags[node] & kSubsetTest) != 0;
    if (is_category != column.is_category) return false;  // an ordered category that is also cut into sets
    if (!is_category && std::isfinite(forest.number[node])) column.thresholds.push_back(forest.number[node]);
  }
  for (Column& column : columns_) {
    std::vector<double>& found = column.thresholds;
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.size() >= kMissingCode) return false;
    column.padded.assign(kCodes, std::numeric_limits<double>::infinity());
    column.padded_single.assign(kCodes, std::numeric_limits<float>::infinity());
    std::copy(found.begin(), found.end(), column.padded.begin());
    std::transform(found.begin(), found.end(), column.padded_single.begin(), not_above);
  }
  return true;
}

bool MaskTables::make_groups(const ForestView& forest) {
  groups_.resize((n_trees_ + kLanes - 1) / kLanes);
  std::size_t n_words = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<char> uses(columns_.size(), 0);
    const auto end = static_cast<std::size_t>(forest.begin[std::min(n_trees_, (g + 1) * kLanes)]);
    for (auto node = static_cast<std::size_t>(forest.begin[g * kLanes]); node < end; ++node) {
      if (!forest.is_leaf(node)) uses[place_[static_cast<std::size_t>(forest.feature(node))]] = 1;
    }
    for (std::uint32_t p = 0; p < columns_.size(); ++p) {
      if (uses[p] != 0) groups_[g].used.push_back(p);
    }
    groups_[g].at = n_words;
    n_words += groups_[g].used.size() * kCodes * kLanes;
  }
  for (std::size_t tree = 0; tree < n_trees_; ++tree) {
    const auto first = static_cast<std::size_t>(forest.begin[tree]);
    const auto end = static_cast<std::size_t>(forest.begin[tree + 1]);
    if ((end - first + 1) / 2 > kMostLeaves) return false;
  }
  if (n_words * sizeof(std::uint64_t) > kMostBytes) return false;
  masks_ = HugeArray<std::uint64_t>(n_words);
  std::fill_n(masks_.data(), n_words, ~std::uint64_t{0});
  leaves_.assign(n_trees_ * kMostLeaves, 0.0);
  return true;
}

void MaskTables::add_tree(const ForestView& forest, std::size_t tree) {
  const auto first = static_cast<std::size_t>(forest.begin[tree]);
  const std::size_t n = static_cast<std::size_t>(forest.begin[tree + 1]) - first;
  // Leaves below each node, from the last to the first; then the number of each node's first leaf, from left to
  // right.
  std::vector<std::uint32_t> count(n, 1), leaf(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    if (!forest.is_leaf(first + i)) {
      const std::size_t child = forest.child[first + i];
      count[i] = count[child] + count[child + 1];
    }
  }
  const Group& group = groups_[tree / kLanes];
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t node = first + i;
    if (forest.is_leaf(node)) {
      leaves_[tree * kMostLeaves + leaf[i]] = forest.number[node];
      continue;
    }
    const std::size_t child = forest.child[node];
    leaf[child] = leaf[i];
    leaf[child + 1] = leaf[i] + count[child];
    // Whoever goes right cannot reach the leaves on the left: there are fewer than 64 of them.
    const std::uint64_t ruled_out = ((std::uint64_t{1} << count[child]) - 1) << leaf[child];
    const std::uint32_t place = place_[static_cast<std::size_t>(forest.feature(node))];
    const auto used = static_cast<std::size_t>(
        std::lower_bound(group.used.begin(), group.used.end(), place) - group.used.begin());
    std::uint64_t* masks = masks_.data() + group.at + used * kCodes * kLanes + tree % kLanes;
    join(forest, node, ~ruled_out, masks, columns_[place]);
  }
}

void MaskTables::join(const ForestView& forest, std::size_t node, std::uint64_t mask, std::uint64_t* masks,
                      const Column& column) const {
  const bool missing_right = (forest.flags[node] & kMissingGoesRight) != 0;
  if (missing_right) masks[std::size_t{kMissingCode} * kLanes] &= mask;
  if (column.is_category) {
    const std::uint32_t* table = forest.tables.data() + static_cast<std::size_t>(forest.number[node]);
    for (Code code = 1; code <= column.n_codes + 1; ++code) {
      if (branch_of(table, code) != 0) masks[std::size_t{code} * kLanes] &= mask;
    }
    return;
  }
  if (forest.number[node] == std::numeric_limits<double>::infinity()) return;  // only missing values go right
  const auto& thresholds = column.thresholds;
  const auto place = static_cast<std::size_t>(
      std::lower_bound(thresholds.begin(), thresholds.end(), forest.number[node]) - thresholds.begin());
  for (std::size_t code = place + 1; code <= thresholds.size(); ++code) masks[code * kLanes] &= mask;
}

template <class T>
void MaskTables::encode(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows,
                        std::uint8_t* codes) const {
  T values[kEncodeRows];
  std::uint8_t places[kEncodeRows];
  const std::size_t n_used = columns_.size();
  for (std::size_t first = 0; first < n_rows; first += kEncodeRows) {
    const std::size_t n = std::min(kEncodeRows, n_rows - first);
    const T* rows = matrix.data + static_cast<std::ptrdiff_t>(begin + first) * matrix.row_stride;
    std::fill(values, values + kEncodeRows, T{0});
    for (std::size_t p = 0; p < n_used; ++p) {
      const Column& column = columns_[p];
      const T* from = rows + column.feature * matrix.column_stride;
      for (std::size_t i = 0; i < n; ++i) values[i] = from[static_cast<std::ptrdiff_t>(i) * matrix.row_stride];
      if (column.is_category) {
        const Code unseen = column.n_codes + 1;
        for (std::size_t i = 0; i < n; ++i) {
          const auto x = static_cast<double>(values[i]);
          const Code code = x >= 1 && x < static_cast<double>(unseen) ? static_cast<Code>(x) : unseen;
          places[i] = static_cast<std::uint8_t>(x != x ? kMissingCode : code);
        }
      } else if constexpr (std::is_same_v<T, float>) {
        find_places(column.padded_single.data(), values, kEncodeRows, places);
      } else {
        find_places(column.padded.data(), values, kEncodeRows, places);
      }
      for (std::size_t i = 0; i < n; ++i) codes[(first + i) * n_used + p] = places[i];
    }
  }
}

template <class T>
void MaskTables::add_sums(const MatrixView<T>& matrix, std::size_t begin, std::size_t n_rows,
                          std::size_t n_outputs, std::size_t first, std::size_t last, std::uint8_t* codes,
                          double* out) const {
  encode(matrix, begin, n_rows, codes);
  constexpr std::size_t kRowsAtOnce = 128;
  std::uint64_t possible[kRowsAtOnce * kLanes];
  for (std::size_t g = first / kLanes; g * kLanes < last; ++g) {
    const Group& group = groups_[g];
    const std::size_t lane_begin = std::max(first, g * kLanes) - g * kLanes;
    const std::size_t lane_end = std::min(last, (g + 1) * kLanes) - g * kLanes;
    const GroupRows rows{masks_.data() + group.at, group.used.data(), group.used.size(), codes, columns_.size(),
                         n_rows};
    for (std::size_t from = 0; from < n_rows; from += kRowsAtOnce) {
      const std::size_t to = std::min(n_rows, from + kRowsAtOnce);
      find_leaves(rows, from, to, possible);
      for (std::size_t row = from; row < to; ++row) {
        const std::uint64_t* left = possible + (row - from) * kLanes;
        double* scores = out + row * n_outputs;
        for (std::size_t lane = lane_begin; lane < lane_end; ++lane) {
          const std::size_t tree = g * kLanes + lane;
          const auto leaf = static_cast<std::size_t>(std::countr_zero(left[lane]));
          scores[n_outputs == 1 ? 0 : tree % n_outputs] += leaves_[tree * kMostLeaves + leaf];
        }
      }
    }
  }
}

template void MaskTables::add_sums(const MatrixView<float>&, std::size_t, std::size_t, std::size_t, std::size_t,
                                   std::size_t, std::uint8_t*, double*) const;
template void MaskTables::add_sums(const MatrixView<double>&, std::size_t, std::size_t, std::size_t, std::size_t,
                                   std::size_t, std::uint8_t*, double*) const;

}  // namespace treewright
