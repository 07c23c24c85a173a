// TreeBuilder: a tree that grows node by node; every array stays as long as the tree and parents come before
// their children. Ids are handed out in the order of the calls; canonical() gives the final numbering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tree/table.h"
#include "tree/tree.h"

namespace treewright {

class TreeBuilder {
 public:
  // Starts with the root as a leaf. It may use the memory of a tree that is not needed any more.
  explicit TreeBuilder(std::int32_t outputs, Tree spare = {}) : tree_(std::move(spare)) {
    clear();
    tree_.outputs = outputs;
    append_leaves(1);
  }

  // Room for n nodes at once: growing step by step would hold old and new memory at the same time.
  void reserve(std::size_t n) {
    tree_.kind.reserve(n);
    tree_.feature.reserve(n);
    tree_.first_child.reserve(n);
    tree_.n_children.reserve(n);
    tree_.threshold.reserve(n);
    tree_.table.reserve(n);
    tree_.missing.reserve(n);
    tree_.value.reserve(n * static_cast<std::size_t>(tree_.outputs));
    tree_.rows.reserve(n);
    tree_.weight.reserve(n);
    tree_.loss.reserve(n);
    tree_.gain.reserve(n);
    tree_.missing_rows.reserve(n);
    tree_.missing_weight.reserve(n);
  }

  // The tree so far. Rows, weight, loss, gain, value and what is missing are set by the caller, directly.
  Tree& tree() { return tree_; }

  // Each turns a leaf into a node with leaves as children and returns the first child's id.
  NodeId split_at_threshold(NodeId node, FeatureId feature, double threshold) {
    const NodeId first = split(node, NodeKind::kThreshold, feature, 2);
    tree_.threshold[index(node)] = threshold;
    return first;
  }
  NodeId split_by_subset(NodeId node, FeatureId feature, TableFormat format,
                         std::span<const std::uint32_t> data) {
    const NodeId first = split(node, NodeKind::kSubset, feature, 2);
    tree_.table[index(node)] = append_table(format, data);
    return first;
  }
  NodeId split_by_branch(NodeId node, FeatureId feature, std::uint32_t n_children,
                         std::span<const std::uint32_t> data, TableFormat format = TableFormat::kBranches) {
    const NodeId first = split(node, NodeKind::kMultiway, feature, n_children);
    tree_.table[index(node)] = append_table(format, data);
    return first;
  }

  // Stores a table (tree/table.h) and returns its offset.
  std::int64_t append_table(TableFormat format, std::span<const std::uint32_t> data) {
    const auto offset = static_cast<std::int64_t>(tree_.tables.size());
    tree_.tables.push_back(static_cast<std::uint32_t>(format));
    tree_.tables.push_back(static_cast<std::uint32_t>(data.size()));
    tree_.tables.insert(tree_.tables.end(), data.begin(), data.end());
    return offset;
  }

  Tree finish() { return std::move(tree_); }

 private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node); }

  NodeId split(NodeId node, NodeKind kind, FeatureId feature, std::uint32_t n_children) {
    const auto first = static_cast<NodeId>(tree_.size());
    tree_.kind[index(node)] = kind;
    tree_.feature[index(node)] = feature;
    tree_.first_child[index(node)] = first;
    tree_.n_children[index(node)] = n_children;
    append_leaves(n_children);
    return first;
  }

  void clear() {
    tree_.kind.clear();
    tree_.feature.clear();
    tree_.first_child.clear();
    tree_.n_children.clear();
    tree_.threshold.clear();
    tree_.table.clear();
    tree_.missing.clear();
    tree_.value.clear();
    tree_.rows.clear();
    tree_.weight.clear();
    tree_.loss.clear();
    tree_.gain.clear();
    tree_.missing_rows.clear();
    tree_.missing_weight.clear();
    tree_.tables.clear();
  }

  void append_leaves(std::size_t count) {
    const std::size_t n = tree_.size() + count;
    tree_.kind.resize(n, NodeKind::kLeaf);
    tree_.feature.resize(n, kNoFeature);
    tree_.first_child.resize(n, kNoNode);
    tree_.n_children.resize(n, 0);
    tree_.threshold.resize(n, std::numeric_limits<double>::quiet_NaN());
    tree_.table.resize(n, -1);
    tree_.missing.resize(n, 0);
    tree_.value.resize(n * static_cast<std::size_t>(tree_.outputs), 0.0);
    tree_.rows.resize(n, 0);
    tree_.weight.resize(n, 0.0);
    tree_.loss.resize(n, 0.0);
    tree_.gain.resize(n, 0.0);
    tree_.missing_rows.resize(n, 0);
    tree_.missing_weight.resize(n, 0.0);
  }

  Tree tree_;
};

}  // namespace treewright
