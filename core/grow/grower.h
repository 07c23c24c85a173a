// Grower: one tree, for every algorithm of the family. The finder says which split is best; the grower
// decides what is split when, moves the rows and writes the tree.
//
//   1. Large nodes go level by level, a whole level in one call of the finder.
//   2. Small nodes, where the finder has such: each is finished as a whole subtree by one thread.
//   Best-first growth needs the order of gains, so it takes node after node.
// What is split and how does not depend on any of this, and ids are made canonical at the end: the tree is
// the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "grow/candidate_arrays.h"
#include "grow/codes_seen.h"
#include "grow/found.h"
#include "grow/fragment.h"
#include "grow/node_rules.h"
#include "grow/node_split.h"
#include "grow/open_node.h"
#include "grow/partition.h"
#include "grow/plan.h"
#include "grow/sampler.h"
#include "grow/surrogate_arrays.h"
#include "grow/surrogates.h"
#include "tree/canonical.h"

namespace treewright {

template <class Finder>
class Grower {
 public:
  using Sample = typename Finder::Sample;
  using Node = OpenNode<Sample>;

  Grower(const Dataset& data, const GrowPlan& plan, Finder& finder, RowList<Sample>& bag, Team& team)
      : data_(data),
        plan_(plan),
        finder_(finder),
        criterion_(finder.criterion()),
        team_(team),
        root_(make_root(bag)),
        rules_(plan, root_.summary.weight),
        surrogates_(data, plan, team),
        scratch_(static_cast<std::size_t>(team.size()) + 1) {
    finder_.begin(rules_);
  }

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
    Tree tree = builder.finish();
    if (surrogates_.wanted()) order_surrogates_by_node(tree);
    return canonical(std::move(tree));
  }

 private:
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t kManyNodes = 250'000;  // about 20 MB
  static constexpr std::size_t kManyRows = 50'000;
  using Scratch = PartitionScratch<Sample>;

  Node make_root(RowList<Sample>& bag) const {
    Node root;
    // Taken over, so that it goes as soon as no node is a slice of it any more.
    root.own = std::make_shared<RowList<Sample>>(std::move(bag));
    root.rows = root.own->rows.data();
    root.samples = root.own->samples.data();
    root.size = root.own->rows.size();
    root.summary = criterion_.summarise(root.samples, root.size);
    return root;
  }

  // --- one node
  // -----------------------------------------------------------------------------------------------------

  // Writes the split and moves the rows; gives back the children, leaves included.
  std::vector<Node> split(const Node& node, const Found& found, TreeBuilder& builder, Scratch& scratch) {
    const Candidate& candidate = found.winner;
    const Column& column = data_.column(candidate.feature);
    NodeSplit test = make_split(node, candidate);
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
    // One category against the rest: whatever is not that one goes with the rest.
    const std::uint32_t other = candidate.one != 0 ? 1 : larger;
    const NodeId first = test.write(builder, node.id, other, seen_by_subset(node, test));
    if (found.kept) {
      append_candidates(builder, node.id, found, node.summary.weight, data_, plan_,
                        [&](const Column& its) { return codes_seen(its, node); });
    }
    std::vector<Node> children = lists ? split_lists(column, node, test)
                                       : split_slice(node, move_rows(column, node, test, builder, scratch));
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
      if (child.size == 0) finish_empty(builder.tree(), child.id);
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

  void finish_empty(Tree& tree, NodeId id) const {
    tree.weight[static_cast<std::size_t>(id)] = 0;
    if (plan_.empty_leaf == EmptyLeaf::kDistribution) return;
    const auto begin = tree.value.begin() + static_cast<std::ptrdiff_t>(id) * tree.outputs;
    const auto majority = std::max_element(begin, begin + tree.outputs) - begin;
    std::fill(begin, begin + tree.outputs, 0.0);
    begin[majority] = 1.0;
  }

  NodeSplit make_split(const Node& node, const Candidate& candidate) const {
    const Column& column = data_.column(candidate.feature);
    NodeSplit test(candidate, column, plan_);
    if (test.is_sparse()) test.set_branches(column, plan_.missing, codes_seen(column, node));
    return test;
  }

  std::vector<Code> seen_by_subset(const Node& node, const NodeSplit& test) const {
    if (test.kind() != NodeKind::kSubset) return {};
    return codes_seen(data_.column(test.feature()), node);
  }

  // Moves the rows inside the node's slice, those of branch 0 first; gives back how many those are.
  std::size_t move_rows(const Column& column, const Node& node, const NodeSplit& test, TreeBuilder& builder,
                        Scratch& scratch) {
    if (!surrogates_.wanted()) return partition_binary(column, node, test, scratch);
    read_branches(column, node, test, scratch.branches);
    const std::vector<Surrogate> found = surrogates_.find(scratch.branches, test.feature());
    append_surrogates(builder, found);
    surrogates_.send_unknown(found, scratch.branches);
    return partition_by_branches(column, node, scratch);
  }

  std::vector<Node> split_slice(const Node& node, std::size_t left) const {
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
    auto lists =
        partition_lists(column, node, test, plan_.missing == MissingRule::kFractional, plan_.arithmetic);
    std::vector<Node> children(lists.size());
    for (std::size_t b = 0; b < lists.size(); ++b) {
      children[b].rows = lists[b]->rows.data();
      children[b].samples = lists[b]->samples.data();
      children[b].size = lists[b]->rows.size();
      children[b].own = std::move(lists[b]);
    }
    return children;
  }

  bool gives_memory_back() const { return plan_.release_memory && data_.n_rows >= kManyRows; }
  bool opens(const Node& node) const { return node.size > 0 && rules_.may_split(node.depth, node.summary); }

  // --- whole trees
  // --------------------------------------------------------------------------------------------------

  void grow_levels(TreeBuilder& builder) {
    std::vector<Node> level, small;
    (finder_.is_small(root_) ? small : level).push_back(std::move(root_));
    while (!level.empty()) {
      auto winners = finder_.find(level);
      std::vector<Node> next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        team_.poll();
        for (Node& child : split_if_accepted(level[i], Found(std::move(winners[i])), builder)) {
          (finder_.is_small(child) ? small : next).push_back(std::move(child));
        }
        level[i] = Node{};  // frees a list of its own
      }
      level = std::move(next);
    }
    if constexpr (requires { finder_.compact_fits(); }) grow_small(small, builder);
  }

  // The children that may be split further.
  std::vector<Node> split_if_accepted(const Node& node, const Found& found, TreeBuilder& builder) {
    if (!rules_.accepts(found.winner, node.summary)) return {};
    std::vector<Node> children = split(node, found, builder, scratch_.back());
    std::vector<char> open(children.size());
    for (std::size_t b = 0; b < children.size(); ++b) open[b] = opens(children[b]);
    finder_.descend(node, children, open);
    std::size_t n_open = 0;
    for (std::size_t b = 0; b < children.size(); ++b) {
      if (!open[b]) continue;
      if (n_open != b) children[n_open] = std::move(children[b]);
      ++n_open;
    }
    children.resize(n_open);
    return children;
  }

  void grow_small(std::vector<Node>& nodes, TreeBuilder& builder)
    requires requires(Finder finder) { finder.compact_fits(); }
  {
    // The largest first, so that no thread is left with a large one at the end.
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const Node& a, const Node& b) { return a.size > b.size; });
    std::vector<Fragment> fragments(nodes.size());
    finder_.free_scratch();  // sized for the large nodes
    if (gives_memory_back()) release_freed_memory();
    finder_.for_each_node(nodes, [&](std::size_t i, typename Finder::Worker& worker) {
      fragments[i].root = nodes[i].id;
      fragments[i].tree = finder_.compact_fits() ? finder_.grow_compact(nodes[i], worker)
                                                 : grow_subtree(std::move(nodes[i]), worker);
    });
    finder_.free_scratch();
    if (gives_memory_back()) release_freed_memory();
    std::size_t n_nodes = builder.tree().size();
    for (const Fragment& fragment : fragments) n_nodes += fragment.tree.size() - 1;
    builder.reserve(n_nodes);
    std::size_t freed_nodes = 0;
    for (Fragment& fragment : fragments) {
      graft(builder.tree(), fragment);
      freed_nodes += fragment.tree.size();
      fragment.tree = Tree{};
      if (freed_nodes < kManyNodes) continue;
      if (plan_.release_memory) release_freed_memory();
      freed_nodes = 0;
    }
  }

  Tree grow_subtree(Node&& root, typename Finder::Worker& worker)
    requires requires(Finder finder) { finder.compact_fits(); }
  {
    TreeBuilder builder(criterion_.outputs());
    Scratch scratch;
    rules_.record(builder.tree(), 0, criterion_, root.summary, {root.lower, root.upper});
    std::vector<Node> stack;
    root.id = 0;
    stack.push_back(std::move(root));
    while (!stack.empty()) {
      team_.stop().throw_if_requested();
      const Node node = std::move(stack.back());
      stack.pop_back();
      const Found found(finder_.find_alone(node, worker));
      if (!rules_.accepts(found.winner, node.summary)) continue;
      for (Node& child : split(node, found, builder, scratch)) {
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
      std::shared_ptr<const Node> node;
      std::shared_ptr<const Found> found;
      bool operator<(const Waiting& other) const {
        return gain != other.gain ? gain < other.gain : number > other.number;
      }
    };
    std::priority_queue<Waiting> queue;
    std::size_t number = 0;
    const auto open = [&](std::span<Node> nodes) {
      auto winners = finder_.find(nodes);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto found = std::make_shared<const Found>(std::move(winners[i]));
        if (!rules_.accepts(found->winner, nodes[i].summary)) continue;
        queue.push({found->winner.gain, number++, std::make_shared<const Node>(std::move(nodes[i])), found});
      }
    };
    open({&root_, 1});
    std::int64_t leaves = 1;
    while (!queue.empty() && leaves < plan_.max_leaves) {
      team_.poll();
      const Waiting next = queue.top();
      queue.pop();
      const auto more =
          static_cast<std::int64_t>(make_split(*next.node, next.found->winner).n_children()) - 1;
      if (more > plan_.max_leaves - leaves) continue;  // a split into fewer branches may still fit
      leaves += more;
      std::vector<Node> children = split_if_accepted(*next.node, *next.found, builder);
      open(children);
    }
  }

  const Dataset& data_;
  const GrowPlan& plan_;
  Finder& finder_;
  const typename Finder::Criterion& criterion_;
  Team& team_;
  Node root_;
  NodeRules rules_;
  SurrogateFinder surrogates_;
  std::vector<Scratch> scratch_;  // the last one belongs to the owner's serial steps
};

}  // namespace treewright
