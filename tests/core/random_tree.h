// Random trees with every kind of node, and rows whose values often meet the thresholds exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tree/builder.h"
#include "tree/tree.h"

namespace treewright::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

struct Shape {
  std::size_t n_splits = 40;
  std::vector<Code> n_codes{0, 0, 5, 0, 70, 3};
  std::int32_t outputs = 3;
  bool thresholds_only = false;
  bool fractional = false;
  bool surrogates = false;
};

class RandomTree {
 public:
  explicit RandomTree(std::uint64_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance(std::uint32_t one_in) { return below(one_in) == 0; }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  // Values lie on a coarse grid; 0.1 steps are not representable, so float32 and float64 rows differ there.
  double number() { return (static_cast<double>(below(21)) - 10.0) * (chance(2) ? 0.1 : 0.5); }

  Tree tree(const Shape& shape) {
    TreeBuilder builder(shape.outputs);
    std::vector<NodeId> leaves{0};
    builder.tree().weight[0] = 100.0;
    for (std::size_t i = 0; i < shape.n_splits; ++i) {
      const std::uint32_t pick = below(static_cast<std::uint32_t>(leaves.size()));
      const NodeId node = leaves[pick];
      leaves[pick] = leaves.back();
      leaves.pop_back();
      const NodeId first = split(builder, node, shape);
      Tree& tree = builder.tree();
      const std::uint32_t n_children = tree.n_children[index(node)];
      for (std::uint32_t b = 0; b < n_children; ++b) leaves.push_back(first + static_cast<NodeId>(b));
      tree.missing[index(node)] = shape.fractional && !chance(3) ? kEveryBranch : below(n_children);
      tree.gain[index(node)] = unit();
      share_weight(tree, node);
    }
    Tree tree = builder.finish();
    for (double& value : tree.value) value = unit();
    if (shape.surrogates) add_surrogates(tree, shape);
    return tree;
  }

  // Row-major, n_rows * n_codes.size(). With missing_one_in = 0 no value is missing.
  std::vector<double> rows(std::size_t n_rows, std::span<const Code> n_codes, std::uint32_t missing_one_in) {
    std::vector<double> matrix;
    for (std::size_t i = 0; i < n_rows; ++i) {
      for (const Code n : n_codes) {
        double x = n > 0 ? 1.0 + below(n + 1) : chance(30) ? (chance(2) ? kInf : -kInf) : number();
        if (missing_one_in > 0 && chance(missing_one_in)) x = kNaN;
        matrix.push_back(x);
      }
    }
    return matrix;
  }

 private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node); }

  double threshold() { return chance(20) ? kInf : number(); }

  std::vector<std::uint32_t> bits(Code n_codes) {
    std::vector<std::uint32_t> words(below(2) + (n_codes + 2 + 31) / 32 - 1);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random_());
    return words;
  }

  std::vector<std::uint32_t> list(Code n_codes) {
    std::vector<std::uint32_t> codes;
    for (Code code = 0; code <= n_codes + 1; ++code) {
      if (chance(2)) codes.push_back(code);
    }
    return codes;
  }

  NodeId split(TreeBuilder& builder, NodeId node, const Shape& shape) {
    const auto feature = static_cast<FeatureId>(below(static_cast<std::uint32_t>(shape.n_codes.size())));
    const Code n_codes = shape.n_codes[index(feature)];
    const std::uint32_t kind = n_codes == 0 || shape.thresholds_only ? 0 : below(4);
    if (kind == 0)
      return builder.split_at_threshold(node, feature, n_codes == 0 ? threshold() : below(n_codes + 1) + 0.5);
    if (kind == 1) return builder.split_by_subset(node, feature, TableFormat::kBits, bits(n_codes));
    if (kind == 2) return builder.split_by_subset(node, feature, TableFormat::kList, list(n_codes));
    const std::uint32_t n_children = 1 + below(5);
    std::vector<std::uint32_t> branches(1 + below(n_codes + 2));
    for (std::uint32_t& branch : branches) {
      branch = shape.fractional && chance(6) ? kEveryBranch : below(n_children);
      if (chance(9)) branch = kStopHere;
    }
    if (chance(2)) {
      std::vector<std::uint32_t> pairs = list(n_codes);
      branches.resize(pairs.size() + 1, 0);
      pairs.insert(pairs.end(), branches.begin(), branches.end());
      return builder.split_by_branch(node, feature, n_children, pairs, TableFormat::kPairs);
    }
    return builder.split_by_branch(node, feature, n_children, branches);
  }

  // Some branches stay empty, as in C4.5.
  void share_weight(Tree& tree, NodeId node) {
    double left = tree.weight[index(node)];
    const auto first = index(tree.first_child[index(node)]);
    const std::uint32_t n_children = tree.n_children[index(node)];
    for (std::uint32_t b = 0; b < n_children; ++b) {
      const double part = b + 1 == n_children ? left : chance(8) ? 0.0 : left * unit();
      tree.weight[first + b] = part;
      left -= part;
    }
  }

  void add_surrogates(Tree& tree, const Shape& shape) {
    tree.surrogate_begin.assign(1, 0);
    for (std::size_t node = 0; node < tree.size(); ++node) {
      const std::uint32_t count = tree.n_children[node] == 2 ? below(4) : 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t feature = below(static_cast<std::uint32_t>(shape.n_codes.size()));
        const Code n_codes = shape.n_codes[feature];
        const bool is_subset = n_codes > 0 && !shape.thresholds_only;
        tree.surrogate_feature.push_back(static_cast<FeatureId>(feature));
        tree.surrogate_kind.push_back(is_subset ? NodeKind::kSubset : NodeKind::kThreshold);
        tree.surrogate_threshold.push_back(is_subset ? kNaN : threshold());
        tree.surrogate_table.push_back(is_subset ? append_list(tree, n_codes) : -1);
        tree.surrogate_flip.push_back(static_cast<std::uint8_t>(below(2)));
        tree.surrogate_agreement.push_back(unit());
      }
      tree.surrogate_begin.push_back(static_cast<std::int64_t>(tree.surrogate_feature.size()));
    }
  }

  std::int64_t append_list(Tree& tree, Code n_codes) {
    const auto offset = static_cast<std::int64_t>(tree.tables.size());
    const std::vector<std::uint32_t> codes = list(n_codes);
    tree.tables.insert(tree.tables.end(), {1U, static_cast<std::uint32_t>(codes.size())});
    tree.tables.insert(tree.tables.end(), codes.begin(), codes.end());
    return offset;
  }

  std::mt19937_64 random_;
};

// A chain: node k is split at k + 0.5, its left child is a leaf. A row with the value x stops after x + 1
// splits.
inline Tree chain(std::int32_t n_levels) {
  TreeBuilder builder(1);
  NodeId node = 0;
  for (std::int32_t level = 0; level < n_levels; ++level) {
    const NodeId first = builder.split_at_threshold(node, 0, level + 0.5);
    builder.tree().value[static_cast<std::size_t>(first)] = level;
    node = first + 1;
  }
  Tree tree = builder.finish();
  tree.value.back() = n_levels;
  return tree;
}

}  // namespace treewright::test
