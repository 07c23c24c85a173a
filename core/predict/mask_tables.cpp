#include "predict/mask_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/processor.h"
#include "predict/adding.h"
#include "tree/table.h"

namespace treewright {

namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostLeaves = 64;
constexpr std::size_t kEncodeRows = 64;  // rows whose values stay in the first-level cache

struct GroupRows {
  const std::uint64_t* masks;
  const std::uint32_t* first;
  const std::uint8_t* mapped;
  const std::uint32_t* used;
  std::size_t n_used;  // columns of the group
  const std::uint8_t* codes;
  std::size_t n_codes;  // bytes of a row
};

// What nothing rules out, of each row and each of eight trees. Four trees fill a register.
TREEWRIGHT_WIDE_REGISTERS
void find_possible(const GroupRows& group, std::size_t begin, std::size_t end,
                   std::uint64_t* __restrict possible) {
  constexpr std::size_t kLanes = MaskTables::kLanes, kHalf = kLanes / 2;
  for (std::size_t row = begin; row < end; ++row, possible += kLanes) {
    const std::uint8_t* codes = group.codes + row * group.n_codes;
    std::uint64_t low[kHalf], high[kHalf];
    for (std::size_t lane = 0; lane < kHalf; ++lane) low[lane] = ~std::uint64_t{0};
    for (std::size_t lane = 0; lane < kHalf; ++lane) high[lane] = ~std::uint64_t{0};
    const std::uint8_t* mapped = group.mapped;
    for (std::size_t u = 0; u < group.n_used; ++u, mapped += 256) {
      const std::size_t place = group.first[u] + mapped[codes[group.used[u]]];
      const std::uint64_t* joined = group.masks + place * kLanes;
      for (std::size_t lane = 0; lane < kHalf; ++lane) low[lane] &= joined[lane];
      for (std::size_t lane = 0; lane < kHalf; ++lane) high[lane] &= joined[kHalf + lane];
    }
    for (std::size_t lane = 0; lane < kHalf; ++lane) possible[lane] = low[lane];
    for (std::size_t lane = 0; lane < kHalf; ++lane) possible[kHalf + lane] = high[lane];
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
    if (!is_category && forest.number[node] == -std::numeric_limits<double>::infinity()) return false;
    if (!is_category && std::isfinite(forest.number[node])) column.places.add(forest.number[node]);
  }
  for (Column& column : columns_) {
    if (!column.places.finish()) return false;
  }
  return true;
}

bool MaskTables::make_groups(const ForestView& forest) {
  groups_.resize((n_trees_ + kLanes - 1) / kLanes);
  std::size_t n_bytes = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    std::vector<std::vector<std::uint32_t>> asked(columns_.size());
    std::vector<char> uses(columns_.size(), 0);
    const auto end = static_cast<std::size_t>(forest.begin[std::min(n_trees_, (g + 1) * kLanes)]);
    for (auto node = static_cast<std::size_t>(forest.begin[g * kLanes]); node < end; ++node) {
      if (forest.is_leaf(node)) continue;
      const std::uint32_t place = place_[static_cast<std::size_t>(forest.feature(node))];
      uses[place] = 1;
      if (columns_[place].is_category || !std::isfinite(forest.number[node])) continue;
      asked[place].push_back(columns_[place].places.place_of(forest.number[node]));
    }
    for (std::uint32_t p = 0; p < columns_.size(); ++p) {
      if (uses[p] == 0) continue;
      std::sort(asked[p].begin(), asked[p].end());
      asked[p].erase(std::unique(asked[p].begin(), asked[p].end()), asked[p].end());
      group.used.push_back(p);
      group.asked.push_back(std::move(asked[p]));
    }
    map_codes(group);
    n_bytes += group.masks.size() * sizeof(std::uint64_t) + group.mapped.size();
    if (n_bytes > kMostBytes) return false;
  }
  for (std::size_t tree = 0; tree < n_trees_; ++tree) {
    if ((forest.begin[tree + 1] - forest.begin[tree] + 1) / 2 > static_cast<std::int64_t>(kMostLeaves)) {
      return false;
    }
  }
  leaves_.assign(n_trees_ * kMostLeaves, 0.0);
  return true;
}

// Values between two thresholds that the group asks for have the same code in it; a missing value has the
// last.
void MaskTables::map_codes(Group& group) const {
  group.mapped.assign(group.used.size() * kCodes, 0);
  std::uint32_t n_places = 0;
  for (std::size_t u = 0; u < group.used.size(); ++u) {
    const Column& column = columns_[group.used[u]];
    std::uint8_t* mapped = group.mapped.data() + u * kCodes;
    group.first.push_back(n_places);
    std::uint32_t size = 0;
    if (column.is_category) {
      size = column.n_codes + 2;
      for (std::uint32_t code = 0; code < size; ++code) mapped[code] = static_cast<std::uint8_t>(code);
    } else {
      const std::vector<std::uint32_t>& asked = group.asked[u];
      for (std::uint32_t code = 0, place = 0; code < kMissingCode; ++code) {
        while (place < asked.size() && asked[place] < code) ++place;
        mapped[code] = static_cast<std::uint8_t>(place);
      }
      size = static_cast<std::uint32_t>(asked.size()) + 1;
    }
    mapped[kMissingCode] = static_cast<std::uint8_t>(size);
    n_places += size + 1;
  }
  group.masks = HugeArray<std::uint64_t>(n_places * kLanes);
  std::fill_n(group.masks.data(), group.masks.size(), ~std::uint64_t{0});
}

void MaskTables::add_tree(const ForestView& forest, std::size_t tree) {
  const auto first = static_cast<std::size_t>(forest.begin[tree]);
  const std::size_t n = static_cast<std::size_t>(forest.begin[tree + 1]) - first;
  // Leaves below each node, from the last to the first; then the number of each node's first leaf, from left
  // to right.
  std::vector<std::uint32_t> count(n, 1), leaf(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    if (!forest.is_leaf(first + i)) {
      const std::size_t child = forest.child[first + i];
      count[i] = count[child] + count[child + 1];
    }
  }
  Group& group = groups_[tree / kLanes];
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
    join(forest, node, ~ruled_out, group, tree % kLanes);
  }
}

void MaskTables::join(const ForestView& forest, std::size_t node, std::uint64_t mask, Group& group,
                      std::size_t lane) const {
  const std::uint32_t p = place_[static_cast<std::size_t>(forest.feature(node))];
  const Column& column = columns_[p];
  const auto u = static_cast<std::size_t>(std::lower_bound(group.used.begin(), group.used.end(), p) -
                                          group.used.begin());
  std::uint64_t* masks = group.masks.data() + std::size_t{group.first[u]} * kLanes + lane;
  const std::uint32_t missing = group.mapped[u * kCodes + kMissingCode];
  if ((forest.flags[node] & kMissingGoesRight) != 0) masks[missing * kLanes] &= mask;
  if (column.is_category) {
    const std::uint32_t* table = forest.tables.data() + static_cast<std::size_t>(forest.number[node]);
    for (Code code = 1; code <= column.n_codes + 1; ++code) {
      if (branch_of(table, code) != 0) masks[std::size_t{code} * kLanes] &= mask;
    }
    return;
  }
  if (!std::isfinite(forest.number[node])) return;  // only missing values go right
  const std::vector<std::uint32_t>& asked = group.asked[u];
  const std::uint32_t threshold = column.places.place_of(forest.number[node]);
  const auto place =
      static_cast<std::size_t>(std::lower_bound(asked.begin(), asked.end(), threshold) - asked.begin());
  for (std::size_t code = place + 1; code <= asked.size(); ++code) masks[code * kLanes] &= mask;
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
      for (std::size_t i = 0; i < n; ++i)
        values[i] = from[static_cast<std::ptrdiff_t>(i) * matrix.row_stride];
      if (column.is_category) {
        const Code unseen = column.n_codes + 1;
        for (std::size_t i = 0; i < n; ++i) {
          const auto x = static_cast<double>(values[i]);
          const Code code = x >= 1 && x < static_cast<double>(unseen) ? static_cast<Code>(x) : unseen;
          places[i] = static_cast<std::uint8_t>(x != x ? kMissingCode : code);
        }
      } else {
        column.places.find(values, kEncodeRows, places);
      }
      for (std::size_t i = 0; i < n; ++i) codes[(first + i) * n_used + p] = places[i];
    }
  }
}

template <class Sum, class T>
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
    const GroupRows rows{group.masks.data(), group.first.data(), group.mapped.data(),
                         group.used.data(),  group.used.size(),  codes,
                         columns_.size()};
    for (std::size_t from = 0; from < n_rows; from += kRowsAtOnce) {
      const std::size_t to = std::min(n_rows, from + kRowsAtOnce);
      find_possible(rows, from, to, possible);
      for (std::size_t row = from; row < to; ++row) {
        const std::uint64_t* left = possible + (row - from) * kLanes;
        double* scores = out + row * n_outputs;
        for (std::size_t lane = lane_begin; lane < lane_end; ++lane) {
          const std::size_t tree = g * kLanes + lane;
          const auto leaf = static_cast<std::size_t>(std::countr_zero(left[lane]));
          Sum::add(scores[n_outputs == 1 ? 0 : tree % n_outputs], leaves_[tree * kMostLeaves + leaf]);
        }
      }
    }
  }
}

using Size = std::size_t;
template void MaskTables::add_sums<DoubleSum>(const MatrixView<float>&, Size, Size, Size, Size, Size,
                                              std::uint8_t*, double*) const;
template void MaskTables::add_sums<DoubleSum>(const MatrixView<double>&, Size, Size, Size, Size, Size,
                                              std::uint8_t*, double*) const;
template void MaskTables::add_sums<SingleSum>(const MatrixView<float>&, Size, Size, Size, Size, Size,
                                              std::uint8_t*, double*) const;
template void MaskTables::add_sums<SingleSum>(const MatrixView<double>&, Size, Size, Size, Size, Size,
                                              std::uint8_t*, double*) const;

}  // namespace treewright
