// ColumnSearcher: the best test of every column at the fresh leaves, and the best of them. Threads take
// groups of columns; what must be decided once is decided by one of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_plan.h"
#include "boost/histogram/column_scan.h"
#include "boost/histogram/growing_tree.h"
#include "boost/histogram/histogram_keeper.h"
#include "boost/histogram/node_scores.h"
#include "boost/histogram/row_exchange.h"
#include "data/dataset.h"
#include "grow/tie_order.h"

namespace treewright {

template <class Ticks>
class ColumnSearcher {
 public:
  using Cell = typename Ticks::Cell;

  // `scores` and the keeper's histograms change from tree to tree.
  ColumnSearcher(const Dataset& data, const BoostPlan& plan, const NodeScores& scores,
                 HistogramKeeper<Ticks>& keeper, RowExchange* others, Team& team)
      : data_(data),
        plan_(plan),
        scores_(scores),
        keeper_(keeper),
        others_(others),
        place_(data.columns.size(), {0, 0}) {
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
  void begin(const FreshLeaves<Ticks>& fresh) {
    candidates_.resize(fresh.leaves.size());
    for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
      if (!fresh.searches[i]) continue;
      const OpenLeaf& leaf = fresh.leaves[i];
      candidates_[i].assign(data_.columns.size(), SplitChoice{});
      scanned_[i] = ScanNode(scores_, leaf.sums, leaf.rows, leaf.bounds, min_hessian_);
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

  const std::vector<SplitChoice>& candidates(std::size_t fresh) const { return candidates_[fresh]; }

  // The best test of a fresh leaf. Of columns that gain the same the first in this order wins.
  SplitChoice best(std::size_t number, FreshLeaves<Ticks>& fresh, const GrowingTree& tree,
                   const TieOrder& order) {
    std::vector<SplitChoice>& candidates = candidates_[number];
    const OpenLeaf& leaf = fresh.leaves[number];
    // Gradients have single precision: columns whose gains differ by less are equally good.
    constexpr double kTie = 1e-7;
    std::vector<char> counted;
    for (;;) {
      std::size_t best = candidates.size();
      order.for_each(leaf.key, [&](FeatureId feature) {
        const auto f = static_cast<std::size_t>(feature);
        if (!candidates[f]) return;
        if (best == candidates.size() || candidates[f].gain > (1 + kTie) * candidates[best].gain) best = f;
      });
      if (best == candidates.size()) return {};
      if (!is_in_doubt(leaf, candidates[best]) || (!counted.empty() && counted[best])) {
        return candidates[best];
      }
      // Rows are counted only where the winner's hessian does not prove that there are enough.
      const auto feature = static_cast<FeatureId>(best);
      const CodeTest test(data_.column(feature), candidates[best]);
      const auto least = static_cast<std::size_t>(plan_.min_rows_leaf);
      if (others_ == nullptr && tree.leaves_enough(leaf.node, test, least)) return candidates[best];
      const std::vector<std::uint32_t> counts = rows_by_code(leaf, feature, tree);
      if (others_ != nullptr && leaves_enough(counts, test, least)) return candidates[best];
      counted.resize(candidates.size(), 0);
      counted[best] = 1;
      const auto [group, member] = place_[best];
      const ColumnGroup& own = keeper_.groups()[group];
      const Cell* cells = column_cells(own, own.members[member], number, fresh, *members_[0]);
      candidates[best] = members_[0]->scan.search(data_.column(feature), feature, cells, scanned_[number],
                                                  own.members[member].codes, counts.data());
    }
  }

  // The best test of every column at the first fresh leaf, which has its rows with it: what best() would
  // give, were there no other column.
  std::vector<SplitChoice> best_of_columns(FreshLeaves<Ticks>& fresh) {
    std::vector<SplitChoice> found = candidates_.front();
    for (SplitChoice& choice : found) {
      if (!choice || !is_in_doubt(fresh.leaves.front(), choice)) continue;
      const Column& column = data_.column(choice.feature);
      std::vector<std::uint32_t> counts(column.n_codes + std::size_t{1}, 0);
      visit_codes(column, [&](const auto* codes) {
        for (const RowId row : fresh.rows.front().rows) ++counts[codes[row]];
      });
      const auto least = static_cast<std::size_t>(plan_.min_rows_leaf);
      if (leaves_enough(counts, CodeTest(column, choice), least)) continue;
      const auto [group, member] = place_[static_cast<std::size_t>(choice.feature)];
      const ColumnGroup& own = keeper_.groups()[group];
      const Cell* cells = column_cells(own, own.members[member], 0, fresh, *members_[0]);
      choice = members_[0]->scan.search(column, choice.feature, cells, scanned_[0], own.members[member].codes,
                                        counts.data());
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
    candidates_[number][static_cast<std::size_t>(member.column)] =
        me.scan.search(column, member.column, cells, scanned_[number], member.codes, nullptr, seen);
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
    if (plan_.min_rows_leaf <= 1 || counts_rows_ || choice.rows_counted) return false;
    // No row has more than the largest hessian.
    const std::int64_t enough = plan_.min_rows_leaf * most_ticks_;
    const TickSums right = leaf.sums - choice.left;
    return choice.left.hessian < enough || right.hessian < enough;
  }

  std::vector<std::uint32_t> rows_by_code(const OpenLeaf& leaf, FeatureId feature,
                                          const GrowingTree& tree) const {
    std::vector<std::uint32_t> counts = tree.count_codes(leaf.node, feature);
    if (others_ == nullptr) return counts;
    std::vector<std::int64_t> all(counts.begin(), counts.end());
    others_->add_up(all);
    std::transform(all.begin(), all.end(), counts.begin(),
                   [](std::int64_t rows) { return static_cast<std::uint32_t>(rows); });
    return counts;
  }

  static bool leaves_enough(const std::vector<std::uint32_t>& counts, const CodeTest& test,
                            std::size_t least) {
    std::array<std::size_t, 2> sides{};
    for (std::size_t code = 0; code < counts.size(); ++code) sides[test.goes_right[code]] += counts[code];
    return sides[0] >= least && sides[1] >= least;
  }

  const Dataset& data_;
  const BoostPlan& plan_;
  const NodeScores& scores_;
  HistogramKeeper<Ticks>& keeper_;
  RowExchange* others_;
  std::vector<std::pair<std::size_t, std::size_t>> place_;  // of each column: group, member
  std::vector<std::unique_ptr<Member>> members_;

  // Of the tree.
  bool counts_rows_ = false;
  std::int64_t most_ticks_ = 1;  // of the largest gradient
  double min_hessian_ = 1;       // of a leaf, in ticks

  // Of the fresh leaves.
  std::array<ScanNode, 2> scanned_;                   // what a search must know of them
  std::vector<std::vector<SplitChoice>> candidates_;  // by column
};

}  // namespace treewright
