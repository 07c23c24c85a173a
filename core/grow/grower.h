// Grower: one tree, for every algorithm of the family. ColumnFinder says which test is best; the grower
// decides what is split when, moves the rows and writes the tree.
//
//   1. Large nodes go level by level; all columns of a whole level are searched at once.
//   2. Small nodes are finished as whole subtrees, each by one thread: by SubtreeGrower where the plan
//   allows. Best-first growth needs the order of gains, so it takes node after node.
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
#include "grow/column_finder.h"
#include "grow/feature_draw.h"
#include "grow/fragment.h"
#include "grow/node_rules.h"
#include "grow/node_split.h"
#include "grow/open_node.h"
#include "grow/partition.h"
#include "grow/plan.h"
#include "grow/search_result.h"
#include "grow/subtree_grower.h"
#include "grow/surrogates.h"
#include "tree/canonical.h"

namespace treewright {

template <class Criterion, class Scan>
class Grower {
 public:
  using Sample = typename Criterion::Sample;
  using Node = OpenNode<Sample>;

  Grower(const Dataset& data, const GrowPlan& plan, const Criterion& criterion, RowList<Sample> bag,
         Team& team)
      : data_(data),
        plan_(plan),
        criterion_(criterion),
        team_(team),
        root_(make_root(std::move(bag))),
        rules_(plan, root_.summary.weight),
        finder_(data, plan, criterion, rules_, team),
        surrogates_(data, plan, team),
        small_rows_(std::clamp<std::size_t>(data.n_rows / 16, 2048, kMostSmallRows)) {}

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
  static constexpr std::size_t kMostSmallRows = 32768;
  using Subtrees = SubtreeGrower<Criterion, Scan>;
  static_assert(kMostSmallRows <= Subtrees::kMostRows);
  using Scratch = PartitionScratch<Sample>;

  Node make_root(RowList<Sample> bag) const {
    Node root;
    // Freed as soon as no node is a slice of it any more.
    root.own = std::make_shared<RowList<Sample>>(std::move(bag));
    root.rows = root.own->rows.data();
    root.samples = root.own->samples.data();
    root.size = root.own->rows.size();
    root.summary = criterion_.summarise(root.samples, root.size);
    return root;
  }

  // --- one node ---

  // Writes the split and moves the rows; gives back the children, leaves included.
  std::vector<Node> split(const Node& node, const SearchResult& result, TreeBuilder& builder,
                          Scratch& scratch) {
    const Candidate& candidate = result.winner;
    const Column& column = data_.column(candidate.feature);
    NodeSplit test = make_split(node, candidate);
    const bool lists = test.kind() == NodeKind::kMultiway || plan_.missing == MissingRule::kFractional;
    std::uint32_t larger = 0;
    MissingRows missing;
    if (!lists) {
      const BranchSizes sizes = count_known(column, node, test);
      larger = sizes.left > sizes.right ? 0 : 1;
      missing = sizes.missing;
      if (!test.missing_known()) {
        const bool by_rows = plan_.missing == MissingRule::kLearned;
        test.set_missing(by_rows ? larger : (sizes.left_weight > sizes.right_weight ? 0 : 1));
      }
    }
    // One category against the rest: whatever is not that one goes with the rest.
    const std::uint32_t other = candidate.one != 0 ? 1 : larger;
    const NodeId first = test.write(builder, node.id, other, seen_by_subset(node, test));
    if (result.kept) {
      append_candidates(builder, node.id, result, node.summary.weight, data_, plan_,
                        [&](const Column& its) { return codes_seen(its, node); });
    }
    std::vector<Node> children = lists ? split_lists(column, node, test, missing)
                                       : split_slice(node, move_rows(column, node, test, builder, scratch));
    double loss = node.summary.loss;
    for (std::uint32_t b = 0; b < children.size(); ++b) {
      Node& child = children[b];
      child.id = first + static_cast<NodeId>(b);
      child.depth = node.depth + 1;
      child.key = child_key(node.key, b);
      child.bounds = rules_.bounds_of_child(node.bounds, candidate, b);
      child.summary = criterion_.summarise(child.samples, child.size);
      loss -= child.summary.loss;
      // A branch without rows answers as its parent would.
      if (child.size == 0) child.summary = empty_like(node.summary);
      rules_.record(builder.tree(), child.id, criterion_, child.summary, child.bounds);
      if (child.size == 0) finish_empty(builder.tree(), child.id);
    }
    builder.tree().gain[static_cast<std::size_t>(node.id)] = std::max(loss, 0.0);
    missing.write(builder.tree(), node.id);
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

  std::vector<Node> split_lists(const Column& column, const Node& node, const NodeSplit& test,
                                MissingRows& missing) const {
    auto lists = partition_lists(column, node, test, plan_.missing == MissingRule::kFractional,
                                 plan_.arithmetic, missing);
    std::vector<Node> children(lists.size());
    for (std::size_t b = 0; b < lists.size(); ++b) {
      children[b].rows = lists[b]->rows.data();
      children[b].samples = lists[b]->samples.data();
      children[b].size = lists[b]->rows.size();
      children[b].own = std::move(lists[b]);
    }
    return children;
  }

  bool is_small(const Node& node) const { return node.size <= small_rows_; }
  bool gives_memory_back() const { return plan_.release_memory && data_.n_rows >= kManyRows; }
  bool opens(const Node& node) const { return node.size > 0 && rules_.may_split(node.depth, node.summary); }

  // --- whole trees ---

  void grow_levels(TreeBuilder& builder) {
    std::vector<Node> level, small;
    (is_small(root_) ? small : level).push_back(std::move(root_));
    while (!level.empty()) {
      auto winners = finder_.find(level);
      std::vector<Node> next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        team_.poll();
        for (Node& child : split_if_accepted(level[i], SearchResult(std::move(winners[i])), builder)) {
          (is_small(child) ? small : next).push_back(std::move(child));
        }
        level[i] = Node{};  // frees a list of its own
      }
      level = std::move(next);
    }
    grow_small(small, builder);
  }

  // The children that may be split further.
  std::vector<Node> split_if_accepted(const Node& node, const SearchResult& result, TreeBuilder& builder) {
    if (!rules_.accepts(result.winner, node.summary)) return {};
    std::vector<Node> children = split(node, result, builder, scratch_);
    std::erase_if(children, [this](const Node& child) { return !opens(child); });
    return children;
  }

  void grow_small(std::vector<Node>& nodes, TreeBuilder& builder) {
    // The largest first, so that no thread is left with a large one at the end.
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const Node& a, const Node& b) { return a.size > b.size; });
    std::vector<Fragment> fragments(nodes.size());
    finder_.free_scratch();  // sized for the large nodes
    if (gives_memory_back()) release_freed_memory();
    grow_fragments(nodes, fragments);
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

  void grow_fragments(std::vector<Node>& nodes, std::vector<Fragment>& fragments) {
    std::vector<std::unique_ptr<Subtrees>> growers(static_cast<std::size_t>(team_.size()) + 1);
    const bool sorts_once = Subtrees::serves(plan_, finder_.draws_features());
    finder_.for_each_node(nodes, [&](std::size_t i, int thread) {
      fragments[i].root = nodes[i].id;
      if constexpr (!Criterion::kOrdered) {
        if (sorts_once) {
          auto& grower = growers[static_cast<std::size_t>(thread)];
          if (!grower) grower = std::make_unique<Subtrees>(data_, criterion_, plan_, rules_, finder_.order());
          fragments[i].tree = grower->grow(nodes[i], team_.stop());
          return;
        }
      }
      fragments[i].tree = grow_subtree(std::move(nodes[i]), thread);
    });
  }

  Tree grow_subtree(Node&& root, int thread) {
    TreeBuilder builder(criterion_.outputs());
    Scratch scratch;
    rules_.record(builder.tree(), 0, criterion_, root.summary, root.bounds);
    std::vector<Node> stack;
    root.id = 0;
    stack.push_back(std::move(root));
    while (!stack.empty()) {
      team_.stop().throw_if_requested();
      const Node node = std::move(stack.back());
      stack.pop_back();
      const SearchResult result(finder_.find_alone(node, thread));
      if (!rules_.accepts(result.winner, node.summary)) continue;
      for (Node& child : split(node, result, builder, scratch)) {
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
      std::shared_ptr<const SearchResult> found;
      bool operator<(const Waiting& other) const {
        return gain != other.gain ? gain < other.gain : number > other.number;
      }
    };
    std::priority_queue<Waiting> queue;
    std::size_t number = 0;
    const auto open = [&](std::span<Node> nodes) {
      auto winners = finder_.find(nodes);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto found = std::make_shared<const SearchResult>(std::move(winners[i]));
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
  const Criterion& criterion_;
  Team& team_;
  Node root_;
  NodeRules rules_;
  ColumnFinder<Criterion, Scan> finder_;
  SurrogateFinder surrogates_;
  // From here on a node is finished by one thread. Depends on the data alone, never on the threads.
  std::size_t small_rows_;
  Scratch scratch_;  // of nodes that are split one after the other
};

}  // namespace treewright
