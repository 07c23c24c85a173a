// The canonical numbering and the walks over it.
#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"
#include "random_tree.h"
#include "tree/canonical.h"
#include "tree/check.h"
#include "tree/walk.h"

namespace treewright::test {

namespace {

TEST("canonical: children are adjacent and branch 0 is numbered before the deeper nodes of branch 1") {
  TreeBuilder builder(1);
  builder.split_at_threshold(0, 0, 1.0);  // 1, 2
  builder.split_at_threshold(2, 1, 2.0);  // 3, 4
  builder.split_at_threshold(1, 2, 3.0);  // 5, 6
  builder.split_at_threshold(6, 3, 4.0);  // 7, 8
  builder.tree().weight = {0, 10, 20, 30, 40, 50, 60, 70, 80};
  const Tree tree = canonical(builder.finish());
  CHECK(tree.weight == (std::vector<double>{0, 10, 20, 50, 60, 70, 80, 30, 40}));
  CHECK(tree.first_child == (std::vector<NodeId>{1, 3, 7, -1, 5, -1, -1, -1, -1}));
  CHECK(tree.feature == (std::vector<FeatureId>{0, 2, 1, -1, 3, -1, -1, -1, -1}));
}

TEST("canonical: candidates follow their nodes and leave with them") {
  TreeBuilder builder(1);
  builder.split_at_threshold(0, 0, 1.0);  // 1, 2
  builder.split_at_threshold(2, 1, 2.0);  // 3, 4: node 2 keeps its number, 3 and 4 become 5 and 6
  builder.split_at_threshold(1, 2, 3.0);  // 5, 6: become 3 and 4
  builder.split_at_threshold(6, 3, 4.0);  // becomes node 4
  Tree& tree = builder.tree();
  tree.kind[2] = NodeKind::kLeaf;  // pruned
  tree.first_child[2] = kNoNode;
  tree.n_children[2] = 0;
  tree.candidate_node = {6, 6, 2, 0, 1, 1};
  tree.candidate_gain = {60, 61, 20, 0, 10, 11};
  tree.candidate_table = {-1, 4, 0, -1, -1, -1};
  tree.tables = {1, 2, 1, 2, 1, 1, 3};
  tree.candidate_feature.resize(6);
  tree.candidate_kind.resize(6);
  tree.candidate_threshold.resize(6);
  tree.candidate_branches.resize(6);
  tree.candidate_tries.resize(6);
  tree.candidate_left.resize(6);
  tree.candidate_right.resize(6);
  tree.candidate_split_info.resize(6);
  tree.candidate_least_gain.resize(6);
  const Tree out = canonical(builder.finish());
  CHECK(out.candidate_node == (std::vector<NodeId>{0, 1, 1, 4, 4}));
  CHECK(out.candidate_gain == (std::vector<double>{0, 10, 11, 60, 61}));
  CHECK(out.candidate_table == (std::vector<std::int64_t>{-1, -1, -1, -1, 0}));
  CHECK(out.tables == (std::vector<std::uint32_t>{1, 1, 3}));
}

// The same tree with its families (adjacent children) in another order of memory.
Tree shuffled(const Tree& tree, RandomTree& random) {
  std::vector<NodeId> order{0};
  std::vector<NodeId> new_first(tree.size(), kNoNode);
  std::vector<NodeId> open{0};
  while (!open.empty()) {
    const std::uint32_t pick = random.below(static_cast<std::uint32_t>(open.size()));
    std::swap(open[pick], open.back());
    const auto old = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (tree.kind[old] != NodeKind::kLeaf) new_first[old] = static_cast<NodeId>(order.size());
    for_each_child(tree, old, [&](std::size_t child, std::uint32_t) {
      order.push_back(static_cast<NodeId>(child));
      open.push_back(static_cast<NodeId>(child));
    });
  }
  Tree out;
  out.outputs = tree.outputs;
  out.tables = {7, 7, 7};  // words that nobody refers to
  if (!tree.surrogate_begin.empty()) out.surrogate_begin.push_back(0);
  const auto move_table = [&](std::int64_t offset) {
    if (offset < 0) return offset;
    const auto begin = tree.tables.begin() + offset;
    out.tables.insert(out.tables.end(), begin, begin + 2 + begin[1]);
    return static_cast<std::int64_t>(out.tables.size()) - 2 - begin[1];
  };
  for (const NodeId id : order) {
    const auto old = static_cast<std::size_t>(id);
    out.kind.push_back(tree.kind[old]);
    out.feature.push_back(tree.feature[old]);
    out.first_child.push_back(new_first[old]);
    out.n_children.push_back(tree.n_children[old]);
    out.threshold.push_back(tree.threshold[old]);
    out.table.push_back(move_table(tree.table[old]));
    out.missing.push_back(tree.missing[old]);
    for (std::int32_t k = 0; k < tree.outputs; ++k) {
      out.value.push_back(
          tree.value[old * static_cast<std::size_t>(tree.outputs) + static_cast<std::size_t>(k)]);
    }
    out.rows.push_back(tree.rows[old]);
    out.weight.push_back(tree.weight[old]);
    out.loss.push_back(tree.loss[old]);
    out.gain.push_back(tree.gain[old]);
    out.missing_rows.push_back(tree.missing_rows[old]);
    out.missing_weight.push_back(tree.missing_weight[old]);
    if (tree.surrogate_begin.empty()) continue;
    for (std::int64_t i = tree.surrogate_begin[old]; i < tree.surrogate_begin[old + 1]; ++i) {
      const auto s = static_cast<std::size_t>(i);
      out.surrogate_feature.push_back(tree.surrogate_feature[s]);
      out.surrogate_kind.push_back(tree.surrogate_kind[s]);
      out.surrogate_threshold.push_back(tree.surrogate_threshold[s]);
      out.surrogate_table.push_back(move_table(tree.surrogate_table[s]));
      out.surrogate_flip.push_back(tree.surrogate_flip[s]);
      out.surrogate_agreement.push_back(tree.surrogate_agreement[s]);
    }
    out.surrogate_begin.push_back(static_cast<std::int64_t>(out.surrogate_feature.size()));
  }
  return out;
}

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (x != x && y != y); });
}

bool equal(const Tree& a, const Tree& b) {
  return a.outputs == b.outputs && a.kind == b.kind && a.feature == b.feature &&
         a.first_child == b.first_child && a.n_children == b.n_children &&
         same_numbers(a.threshold, b.threshold) && a.table == b.table && a.missing == b.missing &&
         a.value == b.value && a.rows == b.rows && a.weight == b.weight && a.loss == b.loss &&
         a.gain == b.gain && a.tables == b.tables && a.surrogate_begin == b.surrogate_begin &&
         a.surrogate_feature == b.surrogate_feature && a.surrogate_kind == b.surrogate_kind &&
         same_numbers(a.surrogate_threshold, b.surrogate_threshold) &&
         a.surrogate_table == b.surrogate_table && a.surrogate_flip == b.surrogate_flip &&
         a.surrogate_agreement == b.surrogate_agreement;
}

TEST("canonical: the order of growing leaves no trace in any array") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomTree random(seed);
    Shape shape;
    shape.surrogates = seed % 2 == 0;
    shape.fractional = seed % 3 == 0;
    const Tree tree = random.tree(shape);
    const Tree first = canonical(tree);
    check_tree(first, shape.n_codes);
    CHECK(first.size() == tree.size() && first.surrogate_feature.size() == tree.surrogate_feature.size());
    CHECK(equal(first, canonical(shuffled(tree, random))));
    CHECK(equal(first, canonical(first)));
  }
}

TEST("canonical: a single leaf stays what it is") {
  const Tree tree = canonical(TreeBuilder(2).finish());
  check_tree(tree, {});
  CHECK(tree.size() == 1 && n_leaves(tree) == 1 && max_depth(tree) == 0);
}

TEST("canonical: depths leaves and paths agree with the parents") {
  Shape shape;
  const Tree tree = canonical(RandomTree(3).tree(shape));
  const std::vector<NodeId> parent = parents(tree);
  const std::vector<std::int32_t> depth = depths(tree);
  std::size_t n_without_children = 0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    const std::vector<NodeId> path = path_from_root(parent, static_cast<NodeId>(node));
    CHECK(path.front() == 0 && path.back() == static_cast<NodeId>(node));
    CHECK(path.size() == static_cast<std::size_t>(depth[node]) + 1);
    CHECK(std::is_sorted(path.begin(), path.end()));
    n_without_children += tree.n_children[node] == 0;
  }
  CHECK(n_leaves(tree) == n_without_children);
  CHECK(max_depth(tree) == *std::max_element(depth.begin(), depth.end()));
}

TEST("canonical: a tree of 100000 levels is numbered checked and measured") {
  const Tree tree = canonical(chain(100'000));
  check_tree(tree, std::vector<Code>{0});
  CHECK(max_depth(tree) == 100'000);
  CHECK(n_leaves(tree) == 100'001);
  CHECK(path_from_root(parents(tree), static_cast<NodeId>(tree.size() - 1)).size() == 100'001);
}

}  // namespace

}  // namespace treewright::test
