// Grower: one tree, for every algorithm of the family.
//
//   1. Large nodes, level by level: all their (node, feature) searches are one parallel loop.
//   2. Small nodes: each is finished as a whole subtree by one thread.
//   Best-first growth needs the order of gains, so it takes node after node and is parallel over features only.
// What is split and how does not depend on any of this, and ids are made canonical at the end: the tree is the same
// for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "grow/column_rows.h"
#include "grow/compact_subtree.h"
#include "grow/fragment.h"
#include "grow/node_rules.h"
#include "grow/node_split.h"
#include "grow/partition.h"
#include "grow/plan.h"
#include "grow/sampler.h"
#include "split/select.h"
#include "tree/canonical.h"

namespace treewright {

template <class Criterion, class Scan>
class Grower {
 public:
  using Sample = typename Criterion::Sample;
  using Node = OpenNode<Sample>;

  Grower(const Dataset& data, const GrowPlan& plan, const Criterion& criterion, RowList<Sample>& bag, Team& team)
      : data_(data),
        plan_(plan),
        criterion_(criterion),
        team_(team),
        columns_(data, criterion, plan),
        sampler_(data.n_features(), plan.max_features, plan.seed),
        root_(make_root(criterion, bag)),
        rules_(plan, root_.summary.weight),
        small_rows_(std::clamp<std::size_t>(bag.rows.size() / 16, 2048, 32768)),
        workers_(static_cast<std::size_t>(team.size()) + 1) {}

  Tree grow() {
    TreeBuilder builder(criterion_.outputs());
    rules_.record(builder.tree(), 0, criterion_, root_.summary, {});
    if (rules_.may_split(0, root_.summary)) {
      if (plan_.order == Order::kBestFirst || plan_.max_leaves < kUnlimited) {
        grow_best_first(builder);
      } else {
        grow_levels(builder);
      }
    }
    return canonical(builder.finish());
  }

 private:
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  struct Worker {
    ColumnScratch<Criterion> columns;
    PartitionScratch<Sample> partition;
    std::vector<FeatureId> features;
    std::vector<Candidate> candidates;
    std::unique_ptr<CompactSubtree<Criterion, Scan>> compact;
  };

  static Node make_root(const Criterion& criterion, RowList<Sample>& bag) {
    Node root;
    root.rows = bag.rows.data();
    root.samples = bag.samples.data();
    root.size = bag.rows.size();
    root.summary = criterion.summarise(root.samples, root.size);
    return root;
  }

  // --- one node -----------------------------------------------------------------------------------------------------

  Candidate search(const Node& node, FeatureId feature, Worker& worker) const {
    Limits limits = rules_.limits(node.summary, {node.lower, node.upper});
    limits.monotone = rules_.monotone(feature);
    return columns_.best(node, feature, limits, worker.columns);
  }

  Candidate choose(const Node& node, std::vector<Candidate>& candidates) const {
    std::size_t winner;
    if (plan_.selection == Selection::kAboveAverageGain) {
      const double many = plan_.many_values_share * static_cast<double>(data_.n_rows);
      winner = best_above_average(candidates, node.summary.weight, [&](const Candidate& candidate) {
        const Column& column = data_.column(candidate.feature);
        return column.kind == ColumnKind::kNumeric || many <= 0 || static_cast<double>(column.n_codes) < many;
      });
    } else {
      winner = best_candidate(candidates, plan_.tie(node.summary.loss));
    }
    return winner == kNoCandidate ? Candidate{} : std::move(candidates[winner]);
  }

  // All drawn features of one node, by one thread.
  Candidate find(const Node& node, Worker& worker) const {
    sampler_.draw(node.key, worker.features);
    worker.candidates.clear();
    bool found = false;
    for (std::size_t i = 0; i < worker.features.size(); ++i) {
      // Columns beyond the drawn ones are looked at only until one offers a test.
      if (i >= sampler_.per_node() && found) break;
      Candidate candidate = search(node, worker.features[i], worker);
      found = found || candidate.valid();
      worker.candidates.push_back(std::move(candidate));
    }
    return choose(node, worker.candidates);
  }

  // Writes the split and moves the rows; gives back the children, leaves included.
  std::vector<Node> split(const Node& node, const Candidate& candidate, TreeBuilder& builder, Worker& worker) const {
    const Column& column = data_.column(candidate.feature);
    NodeSplit test(candidate, column, plan_);
    const bool lists = test.kind() == NodeKind::kMultiway || plan_.missing == MissingRule::kFractional;
    std::uint32_t larger = 0;
    if (!lists) {
      const BranchSizes sizes = count_known(column, node, test);
      larger = sizes.left > sizes.right ? 0 : 1;
      if (!test.missing_known()) {
        const bool by_rows = plan_.missing == MissingRule::kLearned;
        test.set_missing(by_rows ? larger : (sizes.left_weight > sizes.right_weight ? 0 : 1));
      }
    }
    const NodeId first = test.write(builder, node.id, larger, codes_seen(column, node, test));
    std::vector<Node> children = lists ? split_lists(column, node, test) : split_slice(column, node, test, worker);
    double loss = node.summary.loss;
    for (std::uint32_t b = 0; b < children.size(); ++b) {
      Node& child = children[b];
      child.id = first + static_cast<NodeId>(b);
      child.depth = node.depth + 1;
      child.key = child_key(node.key, b);
      const Bounds bounds = rules_.child_bounds({node.lower, node.upper}, candidate, b);
      child.lower = bounds.lower;
      child.upper = bounds.upper;
      child.summary = criterion_.summarise(child.samples, child.size);
      loss -= child.summary.loss;
      // A branch without rows answers as its parent would.
      if (child.size == 0) child.summary = empty_like(node.summary);
      rules_.record(builder.tree(), child.id, criterion_, child.summary, bounds);
      if (child.size == 0) builder.tree().weight[static_cast<std::size_t>(child.id)] = 0;
    }
    builder.tree().gain[static_cast<std::size_t>(node.id)] = std::max(loss, 0.0);
    return children;
  }

  // Keeps what the value is made of (totals and their weight).
  static Summary empty_like(const Summary& parent) {
    Summary summary = parent;
    summary.rows = 0;
    summary.loss = 0;
    return summary;
  }

  std::vector<Code> codes_seen(const Column& column, const Node& node, const NodeSplit& test) const {
    std::vector<Code> seen;
    if (test.kind() != NodeKind::kSubset) return seen;
    visit_codes(column, [&](const auto* codes) {
      if (column.n_codes <= 4 * node.size) {
        std::vector<bool> present(static_cast<std::size_t>(column.n_codes) + 1, false);
        for (std::size_t i = 0; i < node.size; ++i) present[codes[node.rows[i]]] = true;
        for (Code code = 1; code <= column.n_codes; ++code) {
          if (present[code]) seen.push_back(code);
        }
      } else {
        for (std::size_t i = 0; i < node.size; ++i) {
          if (codes[node.rows[i]] != kMissing) seen.push_back(codes[node.rows[i]]);
        }
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      }
    });
    return seen;
  }

  std::vector<Node> split_slice(const Column& column, const Node& node, const NodeSplit& test, Worker& worker) const {
    const std::size_t left = partition_binary(column, node, test, worker.partition);
    std::vector<Node> children(2);
    children[0].rows = node.rows;
    children[0].samples = node.samples;
    children[0].size = left;
    children[1].rows = node.rows + left;
    children[1].samples = node.samples + left;
    children[1].size = node.size - left;
    for (Node& child : children) child.own = node.own;
    return children;
  }

  std::vector<Node> split_lists(const Column& column, const Node& node, const NodeSplit& test) const {
    auto lists = partition_lists(column, node, test, plan_.missing == MissingRule::kFractional);
    std::vector<Node> children(lists.size());
    for (std::size_t b = 0; b < lists.size(); ++b) {
      children[b].rows = lists[b]->rows.data();
      children[b].samples = lists[b]->samples.data();
      children[b].size = lists[b]->rows.size();
      children[b].own = std::move(lists[b]);
    }
    return children;
  }

  bool opens(const Node& node) const { return node.size > 0 && rules_.may_split(node.depth, node.summary); }

  // --- whole trees --------------------------------------------------------------------------------------------------

  void grow_levels(TreeBuilder& builder) {
    std::vector<Node> level, small;
    (root_.size > small_rows_ ? level : small).push_back(std::move(root_));
    while (!level.empty()) {
      std::vector<Candidate> winners = find_level(level);
      std::vector<Node> next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        team_.poll();
        if (!rules_.accepts(winners[i], level[i].summary)) continue;
        for (Node& child : split(level[i], winners[i], builder, workers_.back())) {
          if (opens(child)) (child.size > small_rows_ ? next : small).push_back(std::move(child));
        }
        level[i] = Node{};  // frees a list of its own
      }
      level = std::move(next);
    }
    grow_small(small, builder);
  }

  // The winners of all nodes of a level; (node, feature) pairs are shared out among the threads.
  std::vector<Candidate> find_level(const std::vector<Node>& level) {
    std::vector<Candidate> winners(level.size());
    if (!sampler_.all()) {
      parallel_nodes(level, [&](std::size_t i, Worker& worker) { winners[i] = find(level[i], worker); });
      return winners;
    }
    const auto n_features = static_cast<std::size_t>(data_.n_features());
    std::vector<Candidate> candidates(level.size() * n_features);
    std::size_t work = 0;
    for (const Node& node : level) work += node.size * n_features;
    team_.parallel_for(candidates.size(), work, [&](std::size_t index, int worker) {
      candidates[index] = search(level[index / n_features], static_cast<FeatureId>(index % n_features),
                                 workers_[static_cast<std::size_t>(worker)]);
    });
    for (std::size_t i = 0; i < level.size(); ++i) {
      const auto begin = candidates.begin() + static_cast<std::ptrdiff_t>(i * n_features);
      std::vector<Candidate> own(std::make_move_iterator(begin),
                                 std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(n_features)));
      winners[i] = choose(level[i], own);
    }
    return winners;
  }

  template <class Body>
  void parallel_nodes(const std::vector<Node>& nodes, Body body) {
    std::size_t work = 0;
    for (const Node& node : nodes) work += node.size * sampler_.per_node();
    team_.parallel_for(nodes.size(), work, [&](std::size_t index, int worker) {
      body(index, workers_[static_cast<std::size_t>(worker)]);
    });
  }

  void grow_small(std::vector<Node>& nodes, TreeBuilder& builder) {
    // The largest first, so that no thread is left with a large one at the end.
    std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.size > b.size; });
    std::vector<Fragment> fragments(nodes.size());
    parallel_nodes(nodes, [&](std::size_t i, Worker& worker) {
      fragments[i].root = nodes[i].id;
      fragments[i].tree = grow_subtree(std::move(nodes[i]), worker);
    });
    for (Fragment& fragment : fragments) {
      graft(builder.tree(), fragment);
      fragment.tree = Tree{};
    }
  }

  bool compact_fits() const {
    const bool whole_rows = plan_.missing == MissingRule::kLearned || plan_.missing == MissingRule::kMajority;
    return whole_rows && sampler_.all() && plan_.categories == CategoryGrouping::kSubset &&
           plan_.ranking == Ranking::kGain && plan_.selection == Selection::kBest && plan_.min_value_gap <= 0 &&
           !plan_.cut_penalty;
  }

  Tree grow_subtree(Node&& root, Worker& worker) const {
    if (compact_fits()) {
      if (!worker.compact) {
        worker.compact = std::make_unique<CompactSubtree<Criterion, Scan>>(data_, criterion_, plan_, rules_);
      }
      return worker.compact->grow(root, team_.stop());
    }
    TreeBuilder builder(criterion_.outputs());
    rules_.record(builder.tree(), 0, criterion_, root.summary, {root.lower, root.upper});
    std::vector<Node> stack;
    root.id = 0;
    stack.push_back(std::move(root));
    while (!stack.empty()) {
      team_.stop().throw_if_requested();
      const Node node = std::move(stack.back());
      stack.pop_back();
      const Candidate winner = find(node, worker);
      if (!rules_.accepts(winner, node.summary)) continue;
      for (Node& child : split(node, winner, builder, worker)) {
        if (opens(child)) stack.push_back(std::move(child));
      }
    }
    return builder.finish();
  }

  // The leaf whose split gains most comes first; of equal gains the one that was opened first.
  void grow_best_first(TreeBuilder& builder) {
    struct Waiting {
      double gain;
      std::size_t number;
      std::shared_ptr<Node> node;
      std::shared_ptr<Candidate> winner;
      bool operator<(const Waiting& other) const {
        return gain != other.gain ? gain < other.gain : number > other.number;
      }
    };
    std::priority_queue<Waiting> queue;
    std::size_t number = 0;
    const auto open = [&](Node&& node) {
      auto winner = std::make_shared<Candidate>(find_parallel(node));
      if (!rules_.accepts(*winner, node.summary)) return;
      const double gain = winner->gain;
      queue.push({gain, number++, std::make_shared<Node>(std::move(node)), std::move(winner)});
    };
    open(std::move(root_));
    std::int64_t leaves = 1;
    while (!queue.empty() && leaves < plan_.max_leaves) {
      team_.poll();
      const Waiting next = queue.top();
      queue.pop();
      std::vector<Node> children = split(*next.node, *next.winner, builder, workers_.back());
      leaves += static_cast<std::int64_t>(children.size()) - 1;
      for (Node& child : children) {
        if (opens(child)) open(std::move(child));
      }
    }
  }

  Candidate find_parallel(const Node& node) {
    if (!sampler_.all()) return find(node, workers_.back());
    std::vector<Candidate> candidates(static_cast<std::size_t>(data_.n_features()));
    team_.parallel_for(candidates.size(), node.size * candidates.size(), [&](std::size_t f, int worker) {
      candidates[f] = search(node, static_cast<FeatureId>(f), workers_[static_cast<std::size_t>(worker)]);
    });
    return choose(node, candidates);
  }

  const Dataset& data_;
  const GrowPlan& plan_;
  const Criterion& criterion_;
  Team& team_;
  ColumnRows<Criterion, Scan> columns_;
  FeatureSampler sampler_;
  Node root_;
  NodeRules rules_;
  // From here on a node is finished by one thread. Depends on the data alone, never on the threads.
  std::size_t small_rows_;
  std::vector<Worker> workers_;  // one per thread, and one for the owner's serial steps
};

}  // namespace treewright
