#include "boost/histogram/column_searcher.h"

#include <algorithm>
#include <array>

namespace treewright {

template <class Ticks>
ColumnSearcher<Ticks>::ColumnSearcher(const Dataset& data, const BoostPlan& plan, const NodeScores& scores,
                                      HistogramKeeper<Ticks>& keeper, std::size_t most_members)
    : data_(data), plan_(plan), scores_(scores), keeper_(keeper), place_(data.columns.size(), {0, 0}) {
  for (std::size_t i = 0; i < most_members; ++i) members_.push_back(std::make_unique<Member>(plan, scores));
  const ColumnGroups& groups = keeper.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t m = 0; m < groups[g].members.size(); ++m) {
      place_[static_cast<std::size_t>(groups[g].members[m].column)] = {g, m};
    }
  }
}

template <class Ticks>
void ColumnSearcher<Ticks>::begin_tree(bool counts_rows, std::int64_t most_ticks) {
  counts_rows_ = counts_rows;
  most_ticks_ = most_ticks;
  min_hessian_ = std::max(1.0, plan_.min_hessian_leaf / scores_.units().hessian);
  if (counts_rows) min_hessian_ = std::max(min_hessian_, static_cast<double>(plan_.min_rows_leaf));
}

template <class Ticks>
void ColumnSearcher<Ticks>::begin(FreshLeaves<Ticks>& fresh) const {
  for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
    if (!fresh.searches[i]) continue;
    const OpenLeaf& leaf = fresh.leaves[i];
    fresh.found[i].candidates.assign(data_.columns.size(), SplitChoice{});
    fresh.found[i].settled.clear();
    fresh.found[i].node = ScanNode(scores_, leaf.sums, leaf.rows, leaf.bounds, min_hessian_);
  }
}

template <class Ticks>
void ColumnSearcher<Ticks>::search_group(const ColumnGroup& group, FreshLeaves<Ticks>& fresh,
                                         std::size_t few_rows, std::size_t member) {
  Member& me = *members_[member];
  if (data_.column(group.members.front().column).is_sparse) {
    for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
      if (!fresh.searches[i]) continue;
      const bool has_few_rows = fresh.leaves[i].rows <= few_rows;
      if (group.is_sparse && has_few_rows) {
        search_listed(group, i, fresh, me);
      } else {
        search_sparse(group, i, fresh, has_few_rows, me);
      }
    }
    return;
  }
  for (const GroupMember& column : group.members) {
    for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
      const OpenLeaf& leaf = fresh.leaves[i];
      if (!fresh.searches[i] || !leaf.may_use(static_cast<std::size_t>(column.column))) continue;
      search(group, column, i, fresh, leaf.rows <= few_rows, me);
    }
  }
}

template <class Ticks>
SplitChoice ColumnSearcher<Ticks>::best(std::size_t number, FreshLeaves<Ticks>& fresh,
                                        const GrowingTree& tree, const TieOrder& order) {
  const LeafSearch& found = fresh.found[number];
  const OpenLeaf& leaf = fresh.leaves[number];
  for (;;) {
    const FeatureId leader = leading(found, leaf, order);
    if (leader == kNoFeature) return {};
    const SplitChoice& choice = found.candidates[static_cast<std::size_t>(leader)];
    if (!is_in_doubt(found, leaf, leader) ||
        tree.leaves_enough(leaf.node, CodeTest(data_.column(leader), choice), least_rows())) {
      return choice;
    }
    settle(number, fresh, leader, tree.count_codes(leaf.node, leader));
  }
}

template <class Ticks>
FeatureId ColumnSearcher<Ticks>::leading(const LeafSearch& found, const OpenLeaf& leaf,
                                         const TieOrder& order) const {
  // Gradients have single precision: columns whose gains differ by less are equally good.
  constexpr double kTie = 1e-7;
  const std::vector<SplitChoice>& candidates = found.candidates;
  std::size_t best = candidates.size();
  order.for_each(leaf.key, [&](FeatureId feature) {
    const auto f = static_cast<std::size_t>(feature);
    if (!candidates[f]) return;
    if (best == candidates.size() || candidates[f].gain > (1 + kTie) * candidates[best].gain) best = f;
  });
  return best == candidates.size() ? kNoFeature : static_cast<FeatureId>(best);
}

template <class Ticks>
bool ColumnSearcher<Ticks>::is_in_doubt(const LeafSearch& found, const OpenLeaf& leaf,
                                        FeatureId feature) const {
  const auto f = static_cast<std::size_t>(feature);
  return (found.settled.empty() || found.settled[f] == 0) && is_in_doubt(leaf, found.candidates[f]);
}

template <class Ticks>
void ColumnSearcher<Ticks>::settle(std::size_t number, FreshLeaves<Ticks>& fresh, FeatureId feature,
                                   std::span<const std::uint32_t> counts) {
  LeafSearch& found = fresh.found[number];
  const auto f = static_cast<std::size_t>(feature);
  found.settled.resize(found.candidates.size(), 0);
  found.settled[f] = 1;
  if (leaves_enough(counts, CodeTest(data_.column(feature), found.candidates[f]), least_rows())) return;
  found.candidates[f] = counted_best(number, fresh, feature, counts);
}

template <class Ticks>
std::vector<SplitChoice> ColumnSearcher<Ticks>::best_of_columns(FreshLeaves<Ticks>& fresh) {
  std::vector<SplitChoice> found = fresh.found.front().candidates;
  for (SplitChoice& choice : found) {
    if (!choice || !is_in_doubt(fresh.leaves.front(), choice)) continue;
    const Column& column = data_.column(choice.feature);
    std::vector<std::uint32_t> counts(column.n_codes + std::size_t{1}, 0);
    visit_codes(column, [&](const auto* codes) {
      for (const RowId row : fresh.rows.front().rows) ++counts[codes[row]];
    });
    if (leaves_enough(counts, CodeTest(column, choice), least_rows())) continue;
    choice = counted_best(0, fresh, choice.feature, counts);
  }
  return found;
}

template <class Ticks>
void ColumnSearcher<Ticks>::search(const ColumnGroup& group, const GroupMember& member, std::size_t number,
                                   FreshLeaves<Ticks>& fresh, bool has_few_rows, Member& me) {
  const Cell* cells = column_cells(group, member, number, fresh, me);
  const Column& column = data_.column(member.column);
  const CodeSet* seen = nullptr;
  if (has_few_rows && column.kind != ColumnKind::kNominal && column.width == 1 &&
      CodeSet::pays(fresh.leaves[number].rows, column.n_codes)) {
    fresh.rows[number].find_codes(column.codes<std::uint8_t>(), me.seen);
    seen = &me.seen;
  }
  LeafSearch& found = fresh.found[number];
  found.candidates[static_cast<std::size_t>(member.column)] =
      me.scan.search(column, member.column, cells, found.node, member.codes, nullptr, seen);
}

template <class Ticks>
SplitChoice ColumnSearcher<Ticks>::counted_best(std::size_t number, FreshLeaves<Ticks>& fresh,
                                                FeatureId feature, std::span<const std::uint32_t> counts) {
  const auto [group, member] = place_[static_cast<std::size_t>(feature)];
  const ColumnGroup& own = keeper_.groups()[group];
  const Cell* cells = column_cells(own, own.members[member], number, fresh, *members_[0]);
  return members_[0]->scan.search(data_.column(feature), feature, cells, fresh.found[number].node,
                                  own.members[member].codes, counts.data());
}

template <class Ticks>
void ColumnSearcher<Ticks>::search_sparse(const ColumnGroup& group, std::size_t number,
                                          FreshLeaves<Ticks>& fresh, bool has_few_rows, Member& me) {
  const OpenLeaf& leaf = fresh.leaves[number];
  const Cell* cells = group_cells(group, number, fresh, me);
  const Cell all = Ticks::cell(leaf.sums);
  if (has_few_rows) count_group(group, fresh.rows[number], me);
  for (const GroupMember& member : group.members) {
    const auto feature = static_cast<std::size_t>(member.column);
    if (!leaf.may_use(feature)) continue;
    // The side without the usual code has no more than all others.
    Cell others{};
    for (std::uint32_t i = 0; i + 1 < member.size; ++i) others += cells[member.offset + i];
    if (static_cast<double>(Ticks::sums(others).hessian) < min_hessian_) continue;
    const Column& column = data_.columns[feature];
    const CodeSet* seen = nullptr;
    if (has_few_rows && column.width == 1 && CodeSet::pays(leaf.rows, column.n_codes)) {
      me.seen.clear();
      std::size_t rest = leaf.rows;
      for (std::uint32_t i = 0; i + 1 < member.size; ++i) {
        const std::uint32_t digit = i + (i >= member.usual ? 1 : 0), rows = me.rows[member.offset + i];
        me.seen.add(static_cast<std::uint8_t>(digit + member.first), rows);
        rest -= rows;
      }
      me.seen.add(static_cast<std::uint8_t>(column.rest), rest);
      seen = &me.seen;
    }
    me.single.assign(member.first + std::size_t{member.size}, Cell{});
    add_up_member(group, member, cells, all, me.single.data() + member.first);
    fresh.found[number].candidates[feature] = me.scan.search(
        column, member.column, me.single.data(), fresh.found[number].node, member.codes, nullptr, seen);
  }
}

template <class Ticks>
void ColumnSearcher<Ticks>::count_group(const ColumnGroup& group, const SmallNode<Ticks>& node, Member& me) {
  me.rows.assign(group.n_cells, 0);
  RowRecords<Ticks>& records = keeper_.records();
  for (const RowId row : node.rows) ++me.rows[records.code(records.row(row), number_of(group))];
}

template <class Ticks>
void ColumnSearcher<Ticks>::search_listed(const ColumnGroup& group, std::size_t number,
                                          FreshLeaves<Ticks>& fresh, Member& me) {
  const SmallNode<Ticks>& node = fresh.rows[number];
  const std::span<const std::uint64_t> entries = node.entries_of(group);
  const auto place = [&](std::uint64_t entry) { return node.cell_of(entry) - group.offset; };
  for (std::size_t at = 0; at < entries.size();) {
    const auto next =
        std::upper_bound(group.members.begin(), group.members.end(), place(entries[at]),
                         [](std::size_t cell, const GroupMember& member) { return cell < member.offset; });
    const GroupMember& member = *(next - 1);
    const std::size_t end_cell = member.offset + std::size_t{member.size} - 1;
    std::size_t end = at;
    while (end < entries.size() && place(entries[end]) < end_cell) ++end;
    if (fresh.leaves[number].may_use(static_cast<std::size_t>(member.column))) {
      search_entries(group, member, entries.subspan(at, end - at), number, fresh, me);
    }
    at = end;
  }
}

template <class Ticks>
void ColumnSearcher<Ticks>::search_entries(const ColumnGroup& group, const GroupMember& member,
                                           std::span<const std::uint64_t> entries, std::size_t number,
                                           FreshLeaves<Ticks>& fresh, Member& me) {
  const OpenLeaf& leaf = fresh.leaves[number];
  const Column& column = data_.column(member.column);
  const CodeSet* seen = nullptr;
  if (column.width == 1 && CodeSet::pays(leaf.rows, column.n_codes)) {
    me.seen.clear();
    me.seen.add(static_cast<std::uint8_t>(column.rest), leaf.rows - entries.size());
    seen = &me.seen;
  }
  me.single.assign(member.first + std::size_t{member.size}, Cell{});
  Cell* sums = me.single.data() + member.first;
  Cell others{};
  for (const std::uint64_t entry : entries) {
    const std::size_t other = fresh.rows[number].cell_of(entry) - group.offset - member.offset;
    const std::size_t digit = other + (other >= member.usual ? 1 : 0);
    const Cell& ticks = fresh.rows[number].ticks[fresh.rows[number].place_of(entry)];
    sums[digit] += ticks;
    others += ticks;
    if (seen != nullptr) me.seen.add(static_cast<std::uint8_t>(digit + member.first));
  }
  sums[member.usual] = Ticks::cell(leaf.sums) - others;
  fresh.found[number].candidates[static_cast<std::size_t>(member.column)] = me.scan.search(
      column, member.column, me.single.data(), fresh.found[number].node, member.codes, nullptr, seen);
}

template <class Ticks>
auto ColumnSearcher<Ticks>::column_cells(const ColumnGroup& group, const GroupMember& member,
                                         std::size_t number, FreshLeaves<Ticks>& fresh, Member& me)
    -> const Cell* {
  if (data_.column(member.column).is_sparse) {
    const Cell* cells = group_cells(group, number, fresh, me);
    me.single.assign(member.first + std::size_t{member.size}, Cell{});
    add_up_member(group, member, cells, Ticks::cell(fresh.leaves[number].sums),
                  me.single.data() + member.first);
    return me.single.data();
  }
  if (!fresh.fills) return me.few.add_up(fresh.rows[number], data_.column(member.column), member);
  const Cell* cells = keeper_.cells(fresh.leaves[number], group);
  if (group.is_single()) return member.merges_rare() ? cells : cells - member.first;
  me.single.assign(member.first + std::size_t{member.size}, Cell{});
  add_up_member(group, member, cells, Ticks::cell(fresh.leaves[number].sums),
                me.single.data() + member.first);
  return me.single.data();
}

template <class Ticks>
auto ColumnSearcher<Ticks>::group_cells(const ColumnGroup& group, std::size_t number,
                                        FreshLeaves<Ticks>& fresh, Member& me) -> const Cell* {
  if (fresh.fills) return keeper_.cells(fresh.leaves[number], group);
  me.group.assign(group.n_cells, Cell{});
  fresh.rows[number].fill(data_, group, number_of(group), keeper_.records(), me.group.data());
  return me.group.data();
}

template <class Ticks>
std::size_t ColumnSearcher<Ticks>::number_of(const ColumnGroup& group) const {
  return place_[static_cast<std::size_t>(group.members.front().column)].first;
}

template <class Ticks>
bool ColumnSearcher<Ticks>::is_in_doubt(const OpenLeaf& leaf, const SplitChoice& choice) const {
  if (!may_doubt() || choice.rows_counted) return false;
  // No row has more than the largest hessian.
  const std::int64_t enough = plan_.min_rows_leaf * most_ticks_;
  const TickSums right = leaf.sums - choice.left;
  return choice.left.hessian < enough || right.hessian < enough;
}

template <class Ticks>
bool ColumnSearcher<Ticks>::leaves_enough(std::span<const std::uint32_t> counts, const CodeTest& test,
                                          std::size_t least) {
  std::array<std::size_t, 2> sides{};
  for (std::size_t code = 0; code < counts.size(); ++code) sides[test.goes_right[code]] += counts[code];
  return sides[0] >= least && sides[1] >= least;
}
template class ColumnSearcher<PackedTicks>;
template class ColumnSearcher<WideTicks>;

}  // namespace treewright
