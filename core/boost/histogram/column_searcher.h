// ColumnSearcher: the best test of every column at the fresh leaves, and the best of them. Threads take
// groups of columns; what must be decided once is decided by one of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_plan.h"
#include "boost/histogram/column_scan.h"
#include "boost/histogram/fresh_leaves.h"
#include "boost/histogram/growing_tree.h"
#include "boost/histogram/histogram_keeper.h"
#include "boost/histogram/node_scores.h"
#include "data/dataset.h"
#include "grow/tie_order.h"

namespace treewright {

template <class Ticks>
class ColumnSearcher {
 public:
  using Cell = typename Ticks::Cell;

  // `scores` and the keeper's histograms change from tree to tree.
  ColumnSearcher(const Dataset& data, const BoostPlan& plan, const NodeScores& scores,
                 HistogramKeeper<Ticks>& keeper, Team& team)
      : data_(data), plan_(plan), scores_(scores), keeper_(keeper), place_(data.columns.size(), {0, 0}) {
    for (int i = 0; i < team.size(); ++i) members_.push_back(std::make_unique<Member>(plan, scores));
    const ColumnGroups& groups = keeper.groups();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t m = 0; m < groups[g].members.size(); ++m) {
        place_[static_cast<std::size_t>(groups[g].members[m].column)] = {g, m};
      }
    }
  }

  // Of a new tree: whether hessians count rows, and the most ticks that a row's hessian has.
  void begin_tree(bool counts_rows, std::int64_t most_ticks) {
    counts_rows_ = counts_rows;
    most_ticks_ = most_ticks;
    min_hessian_ = std::max(1.0, plan_.min_hessian_leaf / scores_.units().hessian);
    if (counts_rows) min_hessian_ = std::max(min_hessian_, static_cast<double>(plan_.min_rows_leaf));
  }

  // Of new leaves; those that are searched know their sums.
  void begin(FreshLeaves<Ticks>& fresh) const {
    for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
      if (!fresh.searches[i]) continue;
      const OpenLeaf& leaf = fresh.leaves[i];
      fresh.found[i].candidates.assign(data_.columns.size(), SplitChoice{});
      fresh.found[i].settled.clear();
      fresh.found[i].node = ScanNode(scores_, leaf.sums, leaf.rows, leaf.bounds, min_hessian_);
    }
  }

  // Looks for tests of the columns of one group, whose cells are complete.
  void search_group(const ColumnGroup& group, FreshLeaves<Ticks>& fresh, std::size_t few_rows,
                    std::size_t member) {
    Member& me = *members_[member];
    for (const GroupMember& column : group.members) {
      for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
        const OpenLeaf& leaf = fresh.leaves[i];
        if (!fresh.searches[i] || !leaf.may_use(static_cast<std::size_t>(column.column))) continue;
        search(group, column, i, fresh, leaf.rows <= few_rows, me);
      }
    }
  }

  // The best test of a fresh leaf. Of columns that gain the same the first in this order wins.
  SplitChoice best(std::size_t number, FreshLeaves<Ticks>& fresh, const GrowingTree& tree,
                   const TieOrder& order) {
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

  // The column whose test is the best so far, or none.
  FeatureId leading(const LeafSearch& found, const OpenLeaf& leaf, const TieOrder& order) const {
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

  // Whether there can be any doubt in this tree.
  bool may_doubt() const { return plan_.min_rows_leaf > 1 && !counts_rows_; }

  // Whether the hessian of a column's test does not prove that both sides have enough rows, and nobody has
  // counted them.
  bool is_in_doubt(const LeafSearch& found, const OpenLeaf& leaf, FeatureId feature) const {
    const auto f = static_cast<std::size_t>(feature);
    return (found.settled.empty() || found.settled[f] == 0) && is_in_doubt(leaf, found.candidates[f]);
  }

  // Ends the doubt by the rows of each code: the test stays, or the best one with enough rows takes its
  // place.
  void settle(std::size_t number, FreshLeaves<Ticks>& fresh, FeatureId feature,
              std::span<const std::uint32_t> counts) {
    LeafSearch& found = fresh.found[number];
    const auto f = static_cast<std::size_t>(feature);
    found.settled.resize(found.candidates.size(), 0);
    found.settled[f] = 1;
    if (leaves_enough(counts, CodeTest(data_.column(feature), found.candidates[f]), least_rows())) return;
    found.candidates[f] = counted_best(number, fresh, feature, counts);
  }

  // The best test of every column at the first fresh leaf, which has its rows with it: what best() would
  // give, were there no other column.
  std::vector<SplitChoice> best_of_columns(FreshLeaves<Ticks>& fresh) {
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

 private:
  // What one thread has to itself.
  struct Member {
    Member(const BoostPlan& plan, const NodeScores& scores) : scan(plan, scores) {}

    ColumnScan<Ticks> scan;
    CodeSet seen;
    std::vector<Cell> single;  // the cells of a column that shares a group
    SmallSums<Ticks> few;
  };

  void search(const ColumnGroup& group, const GroupMember& member, std::size_t number,
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

  // The best test of a column that leaves enough rows on both sides.
  SplitChoice counted_best(std::size_t number, FreshLeaves<Ticks>& fresh, FeatureId feature,
                           std::span<const std::uint32_t> counts) {
    const auto [group, member] = place_[static_cast<std::size_t>(feature)];
    const ColumnGroup& own = keeper_.groups()[group];
    const Cell* cells = column_cells(own, own.members[member], number, fresh, *members_[0]);
    return members_[0]->scan.search(data_.column(feature), feature, cells, fresh.found[number].node,
                                    own.members[member].codes, counts.data());
  }

  // The sums of a column's codes, or of its digits where rare categories share one, at a fresh leaf.
  const Cell* column_cells(const ColumnGroup& group, const GroupMember& member, std::size_t number,
                           FreshLeaves<Ticks>& fresh, Member& me) {
    if (!fresh.fills) return me.few.add_up(fresh.rows[number], data_.column(member.column), member);
    const Cell* cells = keeper_.cells(fresh.leaves[number], group);
    if (group.is_single()) return member.merges_rare() ? cells : cells - member.first;
    me.single.assign(member.first + std::size_t{member.size}, Cell{});
    add_up_member(group, member, cells, me.single.data() + member.first);
    return me.single.data();
  }

  bool is_in_doubt(const OpenLeaf& leaf, const SplitChoice& choice) const {
    if (!may_doubt() || choice.rows_counted) return false;
    // No row has more than the largest hessian.
    const std::int64_t enough = plan_.min_rows_leaf * most_ticks_;
    const TickSums right = leaf.sums - choice.left;
    return choice.left.hessian < enough || right.hessian < enough;
  }

  std::size_t least_rows() const { return static_cast<std::size_t>(plan_.min_rows_leaf); }

  static bool leaves_enough(std::span<const std::uint32_t> counts, const CodeTest& test, std::size_t least) {
    std::array<std::size_t, 2> sides{};
    for (std::size_t code = 0; code < counts.size(); ++code) sides[test.goes_right[code]] += counts[code];
    return sides[0] >= least && sides[1] >= least;
  }

  const Dataset& data_;
  const BoostPlan& plan_;
  const NodeScores& scores_;
  HistogramKeeper<Ticks>& keeper_;
  std::vector<std::pair<std::size_t, std::size_t>> place_;  // of each column: group, member
  std::vector<std::unique_ptr<Member>> members_;

  // Of the tree.
  bool counts_rows_ = false;
  std::int64_t most_ticks_ = 1;  // of the largest gradient
  double min_hessian_ = 1;       // of a leaf, in ticks
};

}  // namespace treewright
