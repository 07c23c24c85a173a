#include "predict/compiled_tree.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "predict/lean_nodes.h"
#include "tree/walk.h"

namespace treewright {

namespace {

constexpr std::size_t kTopNodes = 1024;  // 8 to 16 KiB: half of a first-level cache
constexpr int kClusterLevels = 3;        // 1 + 2 + 4 families of two: 112 bytes of packed nodes

// Appends the families (adjacent children) below `roots` level by level until `levels` or `most` are reached,
// and leaves the nodes whose families come next in `roots`.
void append_levels(const Tree& tree, int levels, std::size_t most, std::vector<NodeId>& roots,
                   std::vector<NodeId>& order) {
  for (int level = 0; level < levels && !roots.empty() && order.size() < most; ++level) {
    std::vector<NodeId> next;
    for (const NodeId node : roots) {
      for_each_child(tree, static_cast<std::size_t>(node), [&](std::size_t child, std::uint32_t) {
        order.push_back(static_cast<NodeId>(child));
        if (!tree.is_leaf(static_cast<NodeId>(child))) next.push_back(static_cast<NodeId>(child));
      });
    }
    roots.swap(next);
  }
}

// The ids of a checked tree in the order in which lean nodes lie in memory: the top level by level (every row
// passes there), then small clusters of a few levels each, so that one cache line serves several steps of the
// same row. Children stay adjacent; node 0 stays first.
std::vector<NodeId> memory_order(const Tree& tree) {
  std::vector<NodeId> order{0};
  order.reserve(tree.size());
  std::vector<NodeId> pending;
  if (!tree.is_leaf(0)) pending.push_back(0);
  append_levels(tree, static_cast<int>(kTopNodes), kTopNodes, pending, order);

  // Clusters depth first: a cluster is followed by the one below its first exit.
  std::vector<NodeId> roots;
  std::vector<NodeId> stack(pending.rbegin(), pending.rend());
  while (!stack.empty()) {
    roots.assign(1, stack.back());
    stack.pop_back();
    append_levels(tree, kClusterLevels, tree.size() + 1, roots, order);
    stack.insert(stack.end(), roots.rbegin(), roots.rend());
  }
  return order;
}

constexpr std::size_t kRowsTestedTogether = 8;

// Thresholds alone, and a branch for every value.
bool is_lean(const Tree& tree) {
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.kind[node] > NodeKind::kThreshold || tree.missing[node] == kStopHere) return false;
  }
  return true;
}

bool shares_rows(const Tree& tree) {
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.missing[node] == kEveryBranch) return true;
    if (tree.kind[node] != NodeKind::kMultiway) continue;
    const std::uint32_t* table = tree.tables.data() + tree.table[node];
    if (std::find(table + 2, table + 2 + table[1], kEveryBranch) != table + 2 + table[1]) return true;
  }
  return false;
}

std::vector<FeatureId> used_features(const Tree& tree, std::size_t n_features) {
  std::vector<bool> is_used(n_features, false);
  for (const FeatureId feature : tree.feature) {
    if (feature != kNoFeature) is_used[static_cast<std::size_t>(feature)] = true;
  }
  for (const FeatureId feature : tree.surrogate_feature) is_used[static_cast<std::size_t>(feature)] = true;
  std::vector<FeatureId> used;
  for (std::size_t feature = 0; feature < n_features; ++feature) {
    if (is_used[feature]) used.push_back(static_cast<FeatureId>(feature));
  }
  return used;
}

std::size_t depth_of_highest_leaf(const Tree& tree) {
  const std::vector<std::int32_t> depth = depths(tree);
  std::int32_t highest = std::numeric_limits<std::int32_t>::max();
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.kind[node] == NodeKind::kLeaf) highest = std::min(highest, depth[node]);
  }
  return static_cast<std::size_t>(highest);
}

template <class Node>
std::vector<Node> lean_nodes(const Tree& tree, const std::vector<NodeId>& order) {
  std::vector<std::uint32_t> position(tree.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    position[static_cast<std::size_t>(order[i])] = static_cast<std::uint32_t>(i);
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto node = static_cast<std::size_t>(order[i]);
    if (tree.kind[node] == NodeKind::kLeaf) {
      nodes.push_back(Node::leaf(order[i], static_cast<std::uint32_t>(i)));
    } else {
      nodes.push_back(Node::split(tree.threshold[node], tree.feature[node],
                                  position[static_cast<std::size_t>(tree.first_child[node])],
                                  tree.missing[node] == 1 ? 1 : 0));
    }
  }
  return nodes;
}

}  // namespace

float PackedNode::round_down(double threshold) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (threshold == std::numeric_limits<double>::infinity()) return kInfinity;
  if (threshold >= kLargest) return kLargest;
  if (threshold < -kLargest) return -kInfinity;
  const auto rounded = static_cast<float>(threshold);
  return rounded > threshold ? std::nextafter(rounded, -kInfinity) : rounded;
}

CompiledTree::CompiledTree(const Tree& tree, std::span<const Code> n_codes)
    : n_outputs_(static_cast<std::size_t>(tree.outputs)),
      value_(tree.value),
      weight_(tree.weight),
      used_features_(treewright::used_features(tree, n_codes.size())),
      general_(tree, n_codes),
      fractional_(shares_rows(tree)) {
  if (is_lean(tree)) compile_lean(tree, n_codes.size());
}

void CompiledTree::compile_lean(const Tree& tree, std::size_t n_features) {
  const std::vector<NodeId> order = memory_order(tree);
  if (tree.size() <= PackedNode::kMostNodes && n_features <= PackedNode::kMostFeatures) {
    packed_ = lean_nodes<PackedNode>(tree, order);
  }
  wide_ = lean_nodes<WideNode>(tree, order);
  sure_steps_ = depth_of_highest_leaf(tree);
  missing_goes_right_ = std::find(tree.missing.begin(), tree.missing.end(), 1U) != tree.missing.end();
  lean_needs_complete_rows_ = fractional_ || !tree.surrogate_feature.empty();
}

template <class T>
void CompiledTree::leaves(const MatrixRows<T>& rows, NodeId* out, std::size_t out_stride) const {
  if (wide_.empty()) return leaves_general(rows, out, out_stride);
  if (!lean_needs_complete_rows_) return leaves_lean(rows, out, out_stride);
  for (std::size_t i = 0; i < rows.n_rows; i += kRowsTestedTogether) {
    MatrixRows<T> group = rows.from(i);
    group.n_rows = std::min(group.n_rows, kRowsTestedTogether);
    NodeId* group_out = out + i * out_stride;
    if (is_complete(group)) {
      leaves_lean(group, group_out, out_stride);
    } else {
      leaves_general(group, group_out, out_stride);
    }
  }
}

template <class T>
void CompiledTree::leaves_lean(const MatrixRows<T>& rows, NodeId* out, std::size_t out_stride) const {
  const auto walk = [&](const auto& nodes) {
    if (missing_goes_right_) {
      walk_lean<MissingGoes::kByNode>(nodes.data(), sure_steps_, rows, out, out_stride);
    } else {
      walk_lean<MissingGoes::kLeft>(nodes.data(), sure_steps_, rows, out, out_stride);
    }
  };
  if constexpr (sizeof(T) == sizeof(float)) {
    if (!packed_.empty()) return walk(packed_);
  }
  walk(wide_);
}

template <class T>
void CompiledTree::leaves_general(const MatrixRows<T>& rows, NodeId* out, std::size_t out_stride) const {
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    const T* row = rows.row(i);
    out[i * out_stride] = fractional_ ? main_leaf(row) : general_.descend(0, row, [](NodeId) {}).node;
  }
}

template <class T>
bool CompiledTree::is_complete(const MatrixRows<T>& rows) const {
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    const T* row = rows.row(i);
    bool any_missing = false;
    for (const FeatureId feature : used_features_) any_missing |= row[feature] != row[feature];
    if (any_missing) return false;
  }
  return true;
}

template <class T>
void CompiledTree::add_values(const MatrixRows<T>& rows, double* out) const {
  constexpr std::size_t kRows = 64;
  NodeId leaf[kRows];
  for (std::size_t begin = 0; begin < rows.n_rows; begin += kRows) {
    MatrixRows<T> some = rows.from(begin);
    some.n_rows = std::min(some.n_rows, kRows);
    double* some_out = out + begin * n_outputs_;
    if (fractional_ && (wide_.empty() || !is_complete(some))) {
      for (std::size_t i = 0; i < some.n_rows; ++i) add_shares(some.row(i), some_out + i * n_outputs_);
      continue;
    }
    leaves(some, leaf, 1);
    for (std::size_t i = 0; i < some.n_rows; ++i) {
      const double* value = value_.data() + static_cast<std::size_t>(leaf[i]) * n_outputs_;
      for (std::size_t k = 0; k < n_outputs_; ++k) some_out[i * n_outputs_ + k] += value[k];
    }
  }
}

template <class T>
void CompiledTree::append_path(const T* row, std::vector<NodeId>& out) const {
  if (fractional_) return append_shared_path(row, out);
  general_.descend(0, row, [&](NodeId node) { out.push_back(node); });
}

template void CompiledTree::leaves(const MatrixRows<float>&, NodeId*, std::size_t) const;
template void CompiledTree::leaves(const MatrixRows<double>&, NodeId*, std::size_t) const;
template void CompiledTree::add_values(const MatrixRows<float>&, double*) const;
template void CompiledTree::add_values(const MatrixRows<double>&, double*) const;
template void CompiledTree::append_path(const float*, std::vector<NodeId>&) const;
template void CompiledTree::append_path(const double*, std::vector<NodeId>&) const;

}  // namespace treewright
