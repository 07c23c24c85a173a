#include "explain/game_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tree/table_spans.h"

namespace treewright {

namespace {

// Sums of weights that differ by less differ by rounding.
constexpr double kRounding = 1e-4;

std::size_t index(NodeId node) {
  return static_cast<std::size_t>(node);
}

double weight_of_children(const Tree& tree, std::size_t node) {
  double sum = 0;
  for (std::uint32_t b = 0; b < tree.n_children[node]; ++b) {
    sum += tree.weight[index(tree.first_child[node]) + b];
  }
  return sum;
}

// Whether a node sends missing values, or some category, to this entry instead of one branch.
bool has_entry(const Tree& tree, std::size_t node, std::uint32_t entry) {
  if (tree.missing[node] == entry) return true;
  if (tree.kind[node] != NodeKind::kMultiway) return false;
  const TableSpan span = TableSpans::at(node, static_cast<std::size_t>(tree.table[node]), tree.tables);
  const auto end = tree.tables.begin() + static_cast<std::ptrdiff_t>(span.end);
  return std::find(tree.tables.begin() + static_cast<std::ptrdiff_t>(span.begin + 2), end, entry) != end;
}

bool ends_rows(const Tree& tree, std::size_t node) {
  return has_entry(tree, node, kStopHere);
}

bool shares_rows(const Tree& tree, std::size_t node) {
  return has_entry(tree, node, kEveryBranch);
}

}  // namespace

GameTree::GameTree(const Tree& tree, std::span<const Code> n_codes, std::vector<double> values,
                   std::size_t n_outputs)
    : n_outputs_(n_outputs), values_(std::move(values)), nodes_(tree, n_codes) {
  const std::size_t n = tree.size();
  tests_.resize(n);
  is_weightless_.assign(n, 0);
  const bool has_surrogates = !tree.surrogate_feature.empty();
  for (std::size_t node = 0; node < n; ++node) {
    if (tree.kind[node] == NodeKind::kLeaf) continue;
    const bool own_surrogates = has_surrogates && tree.surrogate_begin[node] < tree.surrogate_begin[node + 1];
    tests_[node] = {tree.threshold[node], tree.feature[node], tree.missing[node],
                    tree.kind[node] == NodeKind::kThreshold && !own_surrogates};
    tested_.push_back(tree.feature[node]);
    is_weightless_[node] = weight_of_children(tree, node) > 0 && tree.weight[node] > 0 ? 0 : 1;
    if (tree.kind[node] == NodeKind::kThreshold && tree.missing[node] == kEveryBranch &&
        is_weightless_[node] != 0) {
      tests_[node].missing = kStopHere;
    }
    if (shares_rows(tree, node)) sharing_nodes_.push_back(static_cast<NodeId>(node));
  }
  tested_.insert(tested_.end(), tree.surrogate_feature.begin(), tree.surrogate_feature.end());
  std::sort(tested_.begin(), tested_.end());
  tested_.erase(std::unique(tested_.begin(), tested_.end()), tested_.end());
  may_share_ = !sharing_nodes_.empty();
  add_edges(tree);
  // Shares of a row are rounded: the outputs of all leaves together need not add up alike.
  mirrors_ = n_outputs_ > 1 && !may_share_ && leaves_agree();
}

// Whether the outputs of every leaf have the same sum.
bool GameTree::leaves_agree() const {
  constexpr double kSame = 1e-14;
  double first = 0, largest = 0;
  bool is_first = true;
  for (const GameEdge& edge : edges_) {
    if (!edge.is_leaf) continue;
    double sum = 0;
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      sum += value(edge)[k];
      largest = std::max(largest, std::abs(value(edge)[k]));
    }
    if (is_first) first = sum;
    is_first = false;
    if (!(std::abs(sum - first) <= kSame * largest)) return false;
  }
  return true;
}

// The share of training rows that end at an inner node: those that took no branch.
double GameTree::remaining_share(const Tree& tree, std::size_t node) const {
  if (!(tree.weight[node] > 0) || is_weightless_[node] != 0) return 0;
  const double rest = 1 - weight_of_children(tree, node) / tree.weight[node];
  return rest > kRounding ? rest : 0;
}

void GameTree::add_edges(const Tree& tree) {
  GameEdge root;
  root.is_leaf = tree.kind[0] == NodeKind::kLeaf;
  std::vector<GameEdge> waiting{root};
  std::vector<std::size_t> above;  // by level: the edges on the way to the next one
  while (!waiting.empty()) {
    GameEdge edge = waiting.back();
    waiting.pop_back();
    const auto level = static_cast<std::size_t>(edge.level);
    for (; above.size() > level; above.pop_back()) {
      edges_[above.back()].end = static_cast<std::int32_t>(edges_.size());
    }
    if (edge.from != kNoNode) {
      edge.parent = static_cast<std::int32_t>(above.back());
      edge.n_places = edges_[above.back()].n_places;
      edge.z_all = edge.z;
      for (std::size_t l = level; l-- > 1;) {
        const GameEdge& other = edges_[above[l]];
        if (other.feature != edge.feature) continue;
        edge.older = static_cast<std::int32_t>(l);
        edge.place = other.place;
        edge.z_all = edge.z * other.z_all;
        break;
      }
      if (edge.older < 0) edge.place = edge.n_places++;
    }
    most_places_ = std::max(most_places_, static_cast<std::size_t>(edge.n_places));
    n_levels_ = std::max(n_levels_, level + 1);
    above.push_back(edges_.size());
    edges_.push_back(edge);
    if (edge.is_leaf) continue;

    const std::size_t node = index(edge.to);
    const double sum = weight_of_children(tree, node);
    const double rest = remaining_share(tree, node);
    const bool shares = shares_rows(tree, node);
    GameEdge next;
    next.from = edge.to;
    next.feature = tree.feature[node];
    next.level = edge.level + 1;
    if (rest > 0 || ends_rows(tree, node) || (shares && is_weightless_[node] != 0)) {
      next.to = edge.to;
      next.branch = kStopHere;
      next.z = rest;
      next.is_leaf = true;
      waiting.push_back(next);
    }
    for (std::uint32_t b = tree.n_children[node]; b-- > 0;) {
      const std::size_t child = index(tree.first_child[node]) + b;
      next.to = static_cast<NodeId>(child);
      next.branch = b;
      next.is_leaf = tree.kind[child] == NodeKind::kLeaf;
      // Rows that take every branch have the node's own shares, to the last bit, so that a missing value adds
      // nothing. Elsewhere weights may be rounded, and shares add up to 1.
      if (is_weightless_[node] != 0) {
        next.z = 1.0 / tree.n_children[node];
      } else if (shares || rest > 0) {
        next.z = tree.weight[child] / tree.weight[node];
      } else {
        next.z = tree.weight[child] / sum;
      }
      waiting.push_back(next);
    }
  }
  for (const std::size_t edge : above) edges_[edge].end = static_cast<std::int32_t>(edges_.size());
}

std::vector<double> GameTree::base() const {
  std::vector<double> sum(n_outputs_, 0.0), share(n_levels_, 1.0);
  for (const GameEdge& edge : edges_) {
    const auto level = static_cast<std::size_t>(edge.level);
    share[level] = level == 0 ? 1.0 : share[level - 1] * edge.z;
    if (!edge.is_leaf) continue;
    for (std::size_t k = 0; k < n_outputs_; ++k) sum[k] += share[level] * value(edge)[k];
  }
  return sum;
}

}  // namespace treewright
