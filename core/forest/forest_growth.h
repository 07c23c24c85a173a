// What the files that instantiate forests share: from a criterion and a way to make bags to a grown forest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/sparse_entries.h"
#include "forest/bag_rule.h"
#include "forest/drawn_tree.h"
#include "forest/forest_collector.h"
#include "forest/grow_forest.h"
#include "grow/grower.h"

namespace treewright {

// Every column in every node: a single tree's way, which sorts once per subtree.
inline bool looks_at_all(const ForestTask& task) {
  const auto n_features = static_cast<std::int64_t>(task.data.columns.size());
  const GrowPlan& plan = task.plan;
  return !plan.random_cuts && (plan.max_features <= 0 || plan.max_features >= n_features) &&
         task.rule.features == 0 && plan.max_leaves == std::numeric_limits<std::int64_t>::max();
}

inline bool has_sparse_missing(const Dataset& data) {
  return std::any_of(data.columns.begin(), data.columns.end(),
                     [](const Column& column) { return column.is_sparse && column.has_missing; });
}

// make_bag(counts) gives the rows of a tree with their samples; `all`: every node looks at every column.
template <class Scan, class Criterion, class MakeBag>
GrownForest grow_trees(const ForestTask& task, const Criterion& criterion, ForestBuilder::Answer answer,
                       bool all, MakeBag make_bag) {
  ForestCollector collector(task, answer, static_cast<std::size_t>(criterion.outputs()));
  const BagDraw draw(task.rule, task.data.n_rows);
  const ForestRecords records(task.data, !all && !task.plan.random_cuts && !Criterion::kOrdered, task.team);
  const KeyRecords keys(task.data, task.plan.random_cuts ? KeyColumns::kOrdered : KeyColumns::kNone,
                        task.team,
                        static_cast<std::size_t>(std::max<std::int64_t>(task.plan.max_features, 0)));
  GrowPlan plan = task.plan;
  plan.release_memory = false;
  if (all) plan.max_features = 0;
  using Drawn = DrawnTree<Criterion, Scan>;
  std::vector<std::unique_ptr<Drawn>> growers(static_cast<std::size_t>(task.team.size()) + 1);

  const auto grow_tree = [&](std::size_t i, int worker) {
    const std::uint64_t number = task.first_tree + i;
    auto bag = make_bag(draw.counts(number));
    if (bag.rows.empty()) throw std::invalid_argument("The bag of a tree holds no row of positive weight.");
    if (all) {
      GrowPlan own = plan;
      own.seed = node_seed(task.rule, number);
      std::vector<RowId> rows;
      if (plan.keep_leaf_rows) rows = bag.rows;
      Grower<Criterion, Scan> grower(task.data, own, criterion, std::move(bag), task.team);
      collector.add(i, grower.grow(), rows);
      return;
    }
    auto& grower = growers[static_cast<std::size_t>(worker)];
    if (!grower)
      grower =
          std::make_unique<Drawn>(task.data, records, keys, criterion, plan, task.team.stop(), task.noted);
    const Random random = stream(task.rule.tree(number), TreeStream::kNodes);
    const std::vector<FeatureId> columns = draw_columns(task.rule, task.data.n_features(), number);
    Tree tree = grower->grow(bag, columns, random, collector.spare());
    collector.add(i, std::move(tree), bag.rows);
  };
  constexpr std::size_t kStepsPerRow = 200;  // some levels, some columns
  task.team.parallel_for(task.n_trees, kStepsPerRow * task.n_trees * task.data.n_rows, grow_tree);
  return collector.finish();
}

template <class Scan, class Criterion, class MakeBag>
GrownForest grow_forest(const ForestTask& task, const Criterion& criterion, ForestBuilder::Answer answer,
                        MakeBag make_bag) {
  // Lists of entries are read where few columns are drawn and sums are exact.
  const bool all = looks_at_all(task) && !Criterion::kOrdered;
  const bool reads_entries = !all && EntrySearch<Criterion, Scan>::kApplies && !has_sparse_missing(task.data);
  if (reads_entries || !task.data.has_sparse())
    return grow_trees<Scan>(task, criterion, answer, all, make_bag);
  const Dataset dense = dense_copy(task.data);
  const ForestTask own{dense,        task.plan, task.rule,   task.first_tree, task.n_trees,
                       task.weights, task.team, task.n_done, task.noted};
  return grow_trees<Scan>(own, criterion, answer, all, make_bag);
}

// The rows of a bag that count, and how often: body(place, row, times).
template <class Sample, class MakeSample>
RowList<Sample> drawn_bag(std::span<const std::uint32_t> counts, MakeSample make_sample) {
  RowList<Sample> bag;
  std::size_t size = 0;
  for (const std::uint32_t times : counts) size += times > 0;
  bag.rows.reserve(size);
  bag.samples.reserve(size);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    if (counts[row] == 0) continue;
    bag.rows.push_back(static_cast<RowId>(row));
    bag.samples.push_back(make_sample(row, counts[row]));
  }
  return bag;
}

}  // namespace treewright
