#include "prune/weakest_link.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "prune/node_edit.h"
#include "tree/canonical.h"

namespace treewright {

namespace {

// Prices this close to each other, relatively, are one step.
constexpr double kSamePrice = 1e-10;
// A price below this part of the root's risk is rounding: the collapse costs nothing.
constexpr double kNoPrice = 1e-14;

// Leftist heaps over the nodes, the highest price on top; a node stands in one heap at most.
class BendHeaps {
 public:
  explicit BendHeaps(std::size_t n_nodes)
      : price(n_nodes),
        risk(n_nodes),
        leaves(n_nodes),
        left_(n_nodes, kNoNode),
        right_(n_nodes, kNoNode),
        rank_(n_nodes, 1) {}

  // Goes down the right spines only, whose lengths are logarithms of the sizes.
  NodeId merge(NodeId a, NodeId b) {
    NodeId spine = kNoNode;  // nodes already merged, linked by right_, the lowest first
    while (a != kNoNode && b != kNoNode) {
      if (price[at(a)] < price[at(b)]) std::swap(a, b);
      const NodeId next = right_[at(a)];
      right_[at(a)] = spine;
      spine = a;
      a = next;
    }
    NodeId top = a == kNoNode ? b : a;
    while (spine != kNoNode) {
      const NodeId above = right_[at(spine)];
      right_[at(spine)] = top;
      if (rank(left_[at(spine)]) < rank(top)) std::swap(left_[at(spine)], right_[at(spine)]);
      rank_[at(spine)] = rank(right_[at(spine)]) + 1;
      top = spine;
      spine = above;
    }
    return top;
  }

  NodeId without_top(NodeId top) { return merge(left_[at(top)], right_[at(top)]); }

  // Calls visit(node) for every bend of a heap; destroys the heap's links.
  template <class Visit>
  void drain(NodeId top, Visit&& visit) {
    std::vector<NodeId> waiting;
    if (top != kNoNode) waiting.push_back(top);
    while (!waiting.empty()) {
      const NodeId node = waiting.back();
      waiting.pop_back();
      visit(node);
      for (const NodeId next : {left_[at(node)], right_[at(node)]}) {
        if (next != kNoNode) waiting.push_back(next);
      }
    }
  }

  static std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }

  std::vector<double> price;
  std::vector<double> risk;          // how much the risk rises
  std::vector<std::int64_t> leaves;  // how many leaves disappear

 private:
  int rank(NodeId node) const { return node == kNoNode ? 0 : rank_[at(node)]; }

  std::vector<NodeId> left_, right_;
  std::vector<int> rank_;
};

// Where the line of the node meets the best below. A node with a single child has nothing to gain; rounding
// can make a useless split look harmful.
double crossing(double own_risk, double risk_below, std::int64_t leaves_below) {
  if (leaves_below <= 1) return 0;
  return std::max(0.0, (own_risk - risk_below) / static_cast<double>(leaves_below - 1));
}

// The place of each node in depth-first order, as a tree is read on paper.
std::vector<NodeId> reading_order(const Links& links) {
  std::vector<NodeId> place(links.size());
  std::vector<NodeId> waiting{0};
  NodeId next = 0;
  while (!waiting.empty()) {
    const auto node = static_cast<std::size_t>(waiting.back());
    waiting.pop_back();
    place[node] = next++;
    for (auto branch = static_cast<NodeId>(links.n_children[node]); branch > 0; --branch) {
      waiting.push_back(links.first_child[node] + branch - 1);
    }
  }
  return place;
}

// Makes ascending prices that differ by rounding only equal, to the largest of them.
void join_equal(std::vector<double>& prices, double no_price) {
  for (std::size_t begin = 0; begin < prices.size();) {
    const bool is_free = prices[begin] <= no_price;
    const double limit = is_free ? no_price : prices[begin] * (1 + kSamePrice);
    std::size_t end = begin;
    while (end < prices.size() && prices[end] <= limit) ++end;
    std::fill(prices.begin() + static_cast<std::ptrdiff_t>(begin),
              prices.begin() + static_cast<std::ptrdiff_t>(end), is_free ? 0.0 : prices[end - 1]);
    begin = end;
  }
}

// One pass from the leaves to the root; returns the heap of the bends that the whole tree has.
NodeId find_bends(const Links& links, std::span<const double> risk, BendHeaps& bends) {
  std::vector<NodeId> heap(links.size(), kNoNode);
  for (std::size_t node = links.size(); node-- > 0;) {
    if (links.n_children[node] == 0) continue;
    const auto first = static_cast<std::size_t>(links.first_child[node]);
    NodeId top = kNoNode;
    double below = 0;  // for a very high price every child is one leaf
    for (std::size_t child = first; child < first + links.n_children[node]; ++child) {
      below += risk[child];
      top = bends.merge(top, heap[child]);
    }
    std::int64_t leaves = links.n_children[node];
    double price = crossing(risk[node], below, leaves);
    while (top != kNoNode && bends.price[BendHeaps::at(top)] >= price) {
      below -= bends.risk[BendHeaps::at(top)];
      leaves += bends.leaves[BendHeaps::at(top)];
      top = bends.without_top(top);
      price = crossing(risk[node], below, leaves);
    }
    bends.price[node] = price;
    bends.risk[node] = risk[node] - below;
    bends.leaves[node] = leaves - 1;
    heap[node] = bends.merge(top, static_cast<NodeId>(node));
  }
  return heap.front();
}

}  // namespace

WeakestLinks weakest_links(const Links& links, std::span<const double> risk) {
  WeakestLinks result;
  result.alpha.assign(links.size(), 0);
  if (links.size() == 0) return result;
  BendHeaps bends(links.size());
  const NodeId top = find_bends(links, risk, bends);
  std::vector<NodeId>& steps = result.step_node;
  bends.drain(top, [&](NodeId node) { steps.push_back(node); });

  const std::vector<NodeId> place = reading_order(links);
  std::sort(steps.begin(), steps.end(), [&](NodeId a, NodeId b) {
    const std::size_t i = BendHeaps::at(a), j = BendHeaps::at(b);
    return bends.price[i] != bends.price[j] ? bends.price[i] < bends.price[j] : place[i] < place[j];
  });
  for (const NodeId node : steps) {
    result.step_alpha.push_back(bends.price[BendHeaps::at(node)]);
    result.step_risk.push_back(bends.risk[BendHeaps::at(node)]);
    result.step_leaves.push_back(bends.leaves[BendHeaps::at(node)]);
  }
  join_equal(result.step_alpha, kNoPrice * std::abs(risk[0]));

  // A node without a step of its own disappears with the one above; one that goes before it keeps its price.
  for (std::size_t i = 0; i < steps.size(); ++i) result.alpha[BendHeaps::at(steps[i])] = result.step_alpha[i];
  std::vector<bool> has_step(links.size(), false);
  for (const NodeId node : steps) has_step[BendHeaps::at(node)] = true;
  for (std::size_t node = 0; node < links.size(); ++node) {
    for (std::uint32_t branch = 0; branch < links.n_children[node]; ++branch) {
      const std::size_t child = static_cast<std::size_t>(links.first_child[node]) + branch;
      if (links.n_children[child] == 0) continue;
      if (!has_step[child] || result.alpha[child] > result.alpha[node]) {
        result.alpha[child] = result.alpha[node];
      }
    }
  }
  return result;
}

void prune_at_price(Tree& tree, double price) {
  std::vector<double> risk(tree.size());
  for (std::size_t node = 0; node < risk.size(); ++node) risk[node] = tree.loss[node] / tree.weight[0];
  const WeakestLinks links = weakest_links({tree.first_child, tree.n_children}, risk);
  for (std::size_t node = 0; node < risk.size(); ++node) {
    if (tree.kind[node] != NodeKind::kLeaf && links.alpha[node] <= price) become_leaf(tree, node);
  }
  tree = canonical(std::move(tree));
}

}  // namespace treewright
