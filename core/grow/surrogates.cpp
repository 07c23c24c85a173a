#include "grow/surrogates.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/radix_sort.h"
#include "grow/node_split.h"

namespace treewright {

namespace {

constexpr std::size_t kMinRowsEachWay = 2;

// Sums of weights in another order differ by rounding; that must not decide. Whole numbers are not affected.
double tie(const RowBranches& rows) {
  return 1e-12 * rows.sent_weight();
}

// What sending every row to the larger branch achieves.
double agreement_to_beat(const RowBranches& rows) {
  return std::max(rows.branch_weight[0], rows.branch_weight[1]) + tie(rows);
}

double agreement_of(double agreeing, const RowBranches& rows) {
  return std::min(agreeing / rows.sent_weight(), 1.0);
}

// The codes as a bit set or as a list, whichever is shorter.
std::vector<std::uint32_t> table_of(const std::vector<Code>& codes) {
  const std::size_t words = codes.empty() ? 0 : (codes.back() >> 5) + 1;
  if (words > codes.size()) {
    std::vector<std::uint32_t> list{static_cast<std::uint32_t>(TableFormat::kList),
                                    static_cast<std::uint32_t>(codes.size())};
    list.insert(list.end(), codes.begin(), codes.end());
    return list;
  }
  std::vector<std::uint32_t> bits(words + 2, 0);
  bits[0] = static_cast<std::uint32_t>(TableFormat::kBits);
  bits[1] = static_cast<std::uint32_t>(words);
  for (const Code code : codes) bits[2 + (code >> 5)] |= 1U << (code & 31);
  return bits;
}

// Rows that take no part in the search may hold codes between `cut` and `next`; the threshold must separate
// them as `cut` does, so `cut` moves up to the last code that is not above it (and the threshold to the end
// of that bin).
void place_cut(const Column& column, CutRule rule, Code cut, Code next, Surrogate& surrogate) {
  surrogate.cut = cut;
  surrogate.threshold = threshold_of(column, rule, cut, next);
  if (column.kind != ColumnKind::kNumeric) return;
  Code beyond = next;
  while (beyond - surrogate.cut > 1) {
    const Code between = surrogate.cut + (beyond - surrogate.cut) / 2;
    (column.lowest(between) <= surrogate.threshold ? surrogate.cut : beyond) = between;
  }
  surrogate.threshold = std::max(surrogate.threshold, column.highest(surrogate.cut));
}

// Keeps the `most` best; of equal ones the first that came.
void insert_by_agreement(Surrogate&& surrogate, std::size_t most, std::vector<Surrogate>& best) {
  constexpr double kTie = 1e-12;
  std::size_t place = best.size();
  while (place > 0 && surrogate.agreement > best[place - 1].agreement + kTie) --place;
  if (place == most) return;
  if (best.size() == most) best.pop_back();
  best.insert(best.begin() + static_cast<std::ptrdiff_t>(place), std::move(surrogate));
}

}  // namespace

std::vector<Surrogate> SurrogateFinder::find(const RowBranches& rows, FeatureId own_feature) {
  std::vector<Surrogate> of_column(data_.columns.size());
  team_.parallel_for(of_column.size(), rows.size() * of_column.size(), [&](std::size_t index, int worker) {
    const auto feature = static_cast<FeatureId>(index);
    if (feature != own_feature) of_column[index] = best_of(rows, feature, worker);
  });
  std::vector<Surrogate> best;
  for (Surrogate& surrogate : of_column) {
    if (surrogate.valid())
      insert_by_agreement(std::move(surrogate), static_cast<std::size_t>(plan_.surrogates), best);
  }
  return best;
}

Surrogate SurrogateFinder::best_of(const RowBranches& rows, FeatureId feature, int worker) {
  const Column& column = data_.column(feature);
  Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
  scratch.tallies.clear();
  // A table costs a pass over the codes, a sort some passes over the rows.
  if (column.n_codes <= 2 * rows.size()) {
    tally_by_table(column, rows, scratch);
  } else {
    tally_by_sort(column, rows, scratch);
  }
  Surrogate best = column.kind == ColumnKind::kNominal ? best_subset(rows, scratch.tallies)
                                                       : best_threshold(column, rows, scratch.tallies);
  best.feature = feature;
  return best;
}

void SurrogateFinder::tally_by_table(const Column& column, const RowBranches& rows, Scratch& scratch) {
  scratch.by_code.assign(static_cast<std::size_t>(column.n_codes) + 1, Tally{});
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.branch[i] == RowBranches::kUnknown) continue;
      Tally& tally = scratch.by_code[codes[rows.rows[i]]];
      ++tally.rows;
      tally.weight[rows.branch[i]] += rows.weight[i];
    }
  });
  for (Code code = 1; code <= column.n_codes; ++code) {
    if (scratch.by_code[code].rows == 0) continue;
    scratch.by_code[code].code = code;
    scratch.tallies.push_back(scratch.by_code[code]);
  }
}

void SurrogateFinder::tally_by_sort(const Column& column, const RowBranches& rows, Scratch& scratch) {
  scratch.keys.clear();
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Code code = codes[rows.rows[i]];
      if (code == kMissing || rows.branch[i] == RowBranches::kUnknown) continue;
      scratch.keys.push_back(make_key<std::uint64_t>(code, static_cast<std::uint32_t>(i)));
    }
  });
  const std::size_t n = scratch.keys.size();
  scratch.other_keys.resize(n);
  constexpr int kLow = KeyLayout<std::uint64_t>::kPositionBits;
  const std::uint64_t* sorted = radix_sort(scratch.keys.data(), scratch.other_keys.data(), n, kLow,
                                           kLow + static_cast<int>(std::bit_width(column.n_codes)));
  for (std::size_t i = 0; i < n; ++i) {
    const Code code = code_of(sorted[i]);
    if (scratch.tallies.empty() || scratch.tallies.back().code != code)
      scratch.tallies.push_back(Tally{code});
    Tally& tally = scratch.tallies.back();
    ++tally.rows;
    tally.weight[rows.branch[position_of(sorted[i])]] += rows.weight[position_of(sorted[i])];
  }
}

Surrogate SurrogateFinder::best_threshold(const Column& column, const RowBranches& rows,
                                          std::span<const Tally> tallies) const {
  std::size_t above_rows = 0, below_rows = 0;
  double above[2] = {0, 0}, below[2] = {0, 0};
  for (const Tally& tally : tallies) {
    above_rows += tally.rows;
    for (const int b : {0, 1}) above[b] += tally.weight[b];
  }
  Surrogate best;
  double best_agreeing = agreement_to_beat(rows);
  std::size_t best_place = 0;
  for (std::size_t i = 0; i + 1 < tallies.size(); ++i) {
    below_rows += tallies[i].rows;
    above_rows -= tallies[i].rows;
    for (const int b : {0, 1}) {
      below[b] += tallies[i].weight[b];
      above[b] -= tallies[i].weight[b];
    }
    if (below_rows < kMinRowsEachWay) continue;
    if (above_rows < kMinRowsEachWay) break;
    const double straight = below[0] + above[1];
    const double turned = below[1] + above[0];
    if (!(std::max(straight, turned) > best_agreeing)) continue;
    best.kind = NodeKind::kThreshold;
    best.flip = turned > straight;
    best.agreement = agreement_of(std::max(straight, turned), rows);
    best_agreeing = std::max(straight, turned) + tie(rows);
    best_place = i;
  }
  if (best.valid())
    place_cut(column, plan_.cut, tallies[best_place].code, tallies[best_place + 1].code, best);
  return best;
}

Surrogate SurrogateFinder::best_subset(const RowBranches& rows, std::span<const Tally> tallies) {
  const std::uint32_t larger = rows.larger();
  std::vector<Code> to_smaller;
  std::size_t branch_rows[2] = {0, 0};
  double agreeing = 0;
  for (const Tally& tally : tallies) {
    const double lead = tally.weight[1 - larger] - tally.weight[larger];
    const std::uint32_t branch = lead > tie(rows) ? 1 - larger : larger;
    if (branch != larger) to_smaller.push_back(tally.code);
    branch_rows[branch] += tally.rows;
    agreeing += tally.weight[branch];
  }
  Surrogate best;
  if (std::min(branch_rows[0], branch_rows[1]) < kMinRowsEachWay) return best;
  if (!(agreeing > agreement_to_beat(rows))) return best;
  best.kind = NodeKind::kSubset;
  // Categories that the table does not name go to the larger branch.
  best.table = table_of(to_smaller);
  best.flip = larger == 1;
  best.agreement = agreement_of(agreeing, rows);
  return best;
}

void SurrogateFinder::send_unknown(std::span<const Surrogate> surrogates, RowBranches& rows) const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.branch[i] == RowBranches::kUnknown) open.push_back(i);
  }
  for (const Surrogate& surrogate : surrogates) {
    if (open.empty()) return;
    visit_codes(data_.column(surrogate.feature), [&](const auto* codes) {
      std::erase_if(open, [&](std::size_t i) {
        const Code code = codes[rows.rows[i]];
        if (code == kMissing) return false;
        rows.branch[i] = static_cast<std::uint8_t>(surrogate.branch(code));
        return true;
      });
    });
  }
  for (const std::size_t i : open) rows.branch[i] = static_cast<std::uint8_t>(rows.larger());
}

void append_surrogates(TreeBuilder& builder, std::span<const Surrogate> surrogates) {
  Tree& tree = builder.tree();
  if (tree.surrogate_begin.empty()) tree.surrogate_begin.push_back(0);
  for (const Surrogate& surrogate : surrogates) {
    tree.surrogate_feature.push_back(surrogate.feature);
    tree.surrogate_kind.push_back(surrogate.kind);
    tree.surrogate_threshold.push_back(surrogate.threshold);
    const bool is_subset = surrogate.kind == NodeKind::kSubset;
    tree.surrogate_table.push_back(is_subset ? static_cast<std::int64_t>(tree.tables.size()) : -1);
    tree.tables.insert(tree.tables.end(), surrogate.table.begin(), surrogate.table.end());
    tree.surrogate_flip.push_back(surrogate.flip ? 1 : 0);
    tree.surrogate_agreement.push_back(surrogate.agreement);
  }
  tree.surrogate_begin.push_back(static_cast<std::int64_t>(tree.surrogate_feature.size()));
}

void order_surrogates_by_node(Tree& tree) {
  // The number of a split is the rank of its first child among all first children.
  std::vector<NodeId> owner(tree.size(), kNoNode);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.first_child[node] != kNoNode) {
      owner[static_cast<std::size_t>(tree.first_child[node])] = static_cast<NodeId>(node);
    }
  }
  std::vector<std::size_t> split_of(tree.size(), 0);
  std::size_t n_splits = 0;
  for (const NodeId node : owner) {
    if (node != kNoNode) split_of[static_cast<std::size_t>(node)] = n_splits++;
  }

  std::vector<std::int64_t> begin{0};
  std::vector<std::size_t> order;
  begin.reserve(tree.size() + 1);
  order.reserve(tree.surrogate_feature.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (!tree.is_leaf(static_cast<NodeId>(node))) {
      const std::int64_t end = tree.surrogate_begin[split_of[node] + 1];
      for (std::int64_t i = tree.surrogate_begin[split_of[node]]; i < end; ++i) {
        order.push_back(static_cast<std::size_t>(i));
      }
    }
    begin.push_back(static_cast<std::int64_t>(order.size()));
  }
  const auto reorder = [&](auto& values) {
    auto old = values;
    std::transform(order.begin(), order.end(), values.begin(), [&](std::size_t i) { return old[i]; });
  };
  reorder(tree.surrogate_feature);
  reorder(tree.surrogate_kind);
  reorder(tree.surrogate_threshold);
  reorder(tree.surrogate_table);
  reorder(tree.surrogate_flip);
  reorder(tree.surrogate_agreement);
  tree.surrogate_begin = std::move(begin);
}

}  // namespace treewright
