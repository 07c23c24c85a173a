// check_tree refuses every damaged tree with a sentence, and whatever it lets through can be walked safely.
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"
#include "predict/compiled_tree.h"
#include "random_tree.h"
#include "tree/check.h"

namespace treewright::test {

namespace {

const std::vector<Code> kCodes{0, 4};

// 0: x0 <= 0.5 → 1, 2;  1: subset of x1 → 3, 4;  2: branches of x1 → 5, 6, 7;  4: listed codes of x1 → 8, 9
Tree small_tree() {
  TreeBuilder builder(2);
  builder.split_at_threshold(0, 0, 0.5);
  builder.split_by_subset(1, 1, TableFormat::kBits, std::vector<std::uint32_t>{0b00110});
  builder.split_by_branch(2, 1, 3, std::vector<std::uint32_t>{0, 0, 1, 2, kEveryBranch});
  builder.split_by_subset(4, 1, TableFormat::kList, std::vector<std::uint32_t>{1, 3, 5});
  Tree tree = builder.finish();
  tree.missing[2] = kEveryBranch;
  tree.surrogate_begin = {0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  tree.surrogate_feature = {0, 1};
  tree.surrogate_kind = {NodeKind::kThreshold, NodeKind::kSubset};
  tree.surrogate_threshold = {1.5, kNaN};
  tree.surrogate_table = {-1, static_cast<std::int64_t>(tree.tables.size())};
  tree.tables.insert(tree.tables.end(), {1, 2, 1, 4});
  tree.surrogate_flip = {1, 0};
  tree.surrogate_agreement = {0.9, 0.8};
  // Of node 0 its own test and a subset, of node 2 one branch per category.
  tree.candidate_node = {0, 0, 2};
  tree.candidate_feature = {0, 1, 1};
  tree.candidate_kind = {NodeKind::kThreshold, NodeKind::kSubset, NodeKind::kMultiway};
  tree.candidate_threshold = {0.5, kNaN, kNaN};
  tree.candidate_table = {-1, static_cast<std::int64_t>(tree.tables.size()), -1};
  tree.tables.insert(tree.tables.end(), {1, 1, 2});
  tree.candidate_branches = {2, 2, 4};
  tree.candidate_tries = {7, 0, 0};
  tree.candidate_left = {3, 4, kNaN};
  tree.candidate_right = {7, 6, kNaN};
  tree.candidate_gain = {0.5, 0.25, 0.125};
  tree.candidate_split_info = {0, 0, 1.5};
  tree.candidate_least_gain = {-std::numeric_limits<double>::infinity(), 0.1, 0.2};
  return tree;
}

// What check_tree says about the tree; empty when it has no objection.
std::string objection(const Tree& tree, const std::vector<Code>& n_codes = kCodes) {
  try {
    check_tree(tree, n_codes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

struct Damage {
  const char* sentence;  // what the message has to contain
  std::function<void(Tree&)> apply;
};

const std::vector<Damage> kDamages{
    {"'candidate_gain' has 2 entries, expected 3", [](Tree& t) { t.candidate_gain.pop_back(); }},
    {"'candidate_tries' has 4 entries", [](Tree& t) { t.candidate_tries.push_back(0); }},
    {"'candidate_node' is not ascending", [](Tree& t) { t.candidate_node[0] = 1; }},
    {"a node that does not exist", [](Tree& t) { t.candidate_node[2] = 10; }},
    {"a node that does not exist", [](Tree& t) { t.candidate_node[0] = -1; }},
    {"node 3: it is a leaf but has candidates", [](Tree& t) { t.candidate_node[2] = 3; }},
    {"node 0: it has a candidate of an unknown kind", [](Tree& t) { t.candidate_kind[0] = NodeKind{4}; }},
    {"node 0: it has a candidate of an unknown kind", [](Tree& t) { t.candidate_kind[0] = NodeKind::kLeaf; }},
    {"node 0: it tests feature 2", [](Tree& t) { t.candidate_feature[1] = 2; }},
    {"node 0: its threshold is not a number", [](Tree& t) { t.candidate_threshold[0] = kNaN; }},
    {"node 0: it tests categories but has a threshold", [](Tree& t) { t.candidate_threshold[1] = 1; }},
    {"node 0: its table lies outside 'tables'", [](Tree& t) { t.candidate_table[1] = -1; }},
    {"node 0: its table overlaps another one",
     [](Tree& t) { t.candidate_table[1] = 0, t.tables.resize(t.tables.size() - 3); }},
    {"node 0: it has a candidate with an impossible number of branches",
     [](Tree& t) { t.candidate_branches[0] = 3; }},
    {"node 2: it has a candidate with an impossible number of branches",
     [](Tree& t) { t.candidate_branches[2] = 7; }},
    {"node 2: it has a candidate that tests categories of a number",
     [](Tree& t) { t.candidate_feature[2] = 0, t.candidate_branches[2] = 1; }},
    {"node 0: it has a candidate whose branches have no weights",
     [](Tree& t) { t.candidate_left[1] = kNaN; }},
    {"node 2: it has a candidate whose gain is not a number", [](Tree& t) { t.candidate_gain[2] = kNaN; }},
    {"node 0: it has a candidate whose gain is not a number",
     [](Tree& t) { t.candidate_least_gain[0] = kNaN; }},
    {"it has no node", [](Tree& t) { t = Tree{}; }},
    {"it has no output", [](Tree& t) { t.outputs = 0; }},
    {"it has no output", [](Tree& t) { t.outputs = -2; }},
    {"'value' has 20 entries, expected 30", [](Tree& t) { t.outputs = 3; }},
    {"'value' has 19 entries", [](Tree& t) { t.value.pop_back(); }},
    {"'feature' has 9 entries, expected 10", [](Tree& t) { t.feature.pop_back(); }},
    {"'first_child'", [](Tree& t) { t.first_child.push_back(0); }},
    {"'n_children'", [](Tree& t) { t.n_children.clear(); }},
    {"'threshold'", [](Tree& t) { t.threshold.pop_back(); }},
    {"'table'", [](Tree& t) { t.table.pop_back(); }},
    {"'missing'", [](Tree& t) { t.missing.pop_back(); }},
    {"'rows'", [](Tree& t) { t.rows.pop_back(); }},
    {"'weight'", [](Tree& t) { t.weight.pop_back(); }},
    {"'loss'", [](Tree& t) { t.loss.pop_back(); }},
    {"'gain'", [](Tree& t) { t.gain.pop_back(); }},
    {"node 0: it has the unknown kind 4", [](Tree& t) { t.kind[0] = NodeKind{4}; }},
    {"node 3: it has the unknown kind 255", [](Tree& t) { t.kind[3] = NodeKind{255}; }},
    {"node 0: it tests feature 2, which does not exist", [](Tree& t) { t.feature[0] = 2; }},
    {"node 0: it tests feature -1", [](Tree& t) { t.feature[0] = -1; }},
    {"node 1: it tests categories of a numeric feature", [](Tree& t) { t.feature[1] = 0; }},
    {"node 2: it tests categories of a numeric feature", [](Tree& t) { t.feature[2] = 0; }},
    {"node 0: its children lie outside the tree", [](Tree& t) { t.first_child[0] = 9; }},
    {"node 0: its children lie outside the tree", [](Tree& t) { t.first_child[0] = INT32_MAX; }},
    {"node 0: its children lie outside the tree", [](Tree& t) { t.first_child[0] = -1; }},
    {"node 1: its children do not come after it", [](Tree& t) { t.first_child[1] = 0; }},
    {"node 1: its children do not come after it", [](Tree& t) { t.first_child[1] = 1; }},
    {"node 5: it has two parents", [](Tree& t) { t.first_child[1] = 5; }},
    {"node 2: it has two parents", [](Tree& t) { t.first_child[1] = 2; }},
    {"node 0: it has 3 children, which its kind does not allow", [](Tree& t) { t.n_children[0] = 3; }},
    {"node 1: it has 1 children", [](Tree& t) { t.n_children[1] = 1; }},
    {"node 2: it has 0 children", [](Tree& t) { t.n_children[2] = 0; }},
    {"node 2: its children lie outside the tree", [](Tree& t) { t.n_children[2] = 0xFFFFFFFEU; }},
    {"node 7: it is not the child of any node",
     [](Tree& t) {
       t.n_children[2] = 2;
       t.tables[static_cast<std::size_t>(t.table[2]) + 5] = 0;
     }},
    {"node 0: its threshold is not a number", [](Tree& t) { t.threshold[0] = kNaN; }},
    {"node 1: it tests categories but has a threshold", [](Tree& t) { t.threshold[1] = 1.0; }},
    {"node 3: it is a leaf but has a threshold", [](Tree& t) { t.threshold[3] = kInf; }},
    {"node 3: it is a leaf but tests a feature", [](Tree& t) { t.feature[3] = 0; }},
    {"node 3: it is a leaf but has children", [](Tree& t) { t.first_child[3] = 5; }},
    {"node 3: it is a leaf but has children", [](Tree& t) { t.n_children[3] = 1; }},
    {"node 3: it is a leaf but has a table", [](Tree& t) { t.table[3] = 0; }},
    {"node 3: it is a leaf but has a branch", [](Tree& t) { t.missing[3] = kEveryBranch; }},
    {"node 3: it is a leaf but has a gain", [](Tree& t) { t.gain[3] = 0.5; }},
    {"node 0: it tests a threshold but has a table", [](Tree& t) { t.table[0] = 0; }},
    {"node 0: missing values go to branch 2", [](Tree& t) { t.missing[0] = 2; }},
    {"node 2: missing values go to branch 3", [](Tree& t) { t.missing[2] = 3; }},
    {"node 1: its table lies outside", [](Tree& t) { t.table[1] = -1; }},
    {"node 1: its table lies outside", [](Tree& t) { t.table[1] = INT64_MAX; }},
    {"node 1: its table lies outside",
     [](Tree& t) { t.table[1] = static_cast<std::int64_t>(t.tables.size()) - 1; }},
    {"node 0: its table lies outside", [](Tree& t) { t.tables.clear(); }},
    {"node 1: its table ends outside", [](Tree& t) { t.tables[1] = 0xFFFFFFFFU; }},
    {"its table overlaps another one",
     [](Tree& t) { t.tables[1] = static_cast<std::uint32_t>(t.tables.size()) - 2; }},
    {"node 1: its table has format 4", [](Tree& t) { t.tables[0] = 4; }},
    {"node 1: its table has format 5", [](Tree& t) { t.tables[0] = 5; }},
    {"node 1: its table has format 2", [](Tree& t) { t.tables[0] = 2; }},
    {"node 2: its table has format 0", [](Tree& t) { t.tables[static_cast<std::size_t>(t.table[2])] = 0; }},
    {"node 2: its table is empty", [](Tree& t) { t.tables[static_cast<std::size_t>(t.table[2]) + 1] = 0; }},
    {"node 2: its table names branch 3",
     [](Tree& t) { t.tables[static_cast<std::size_t>(t.table[2]) + 3] = 3; }},
    {"node 2: the codes in its table are not ascending",  // as pairs: 0 and 0, then their branches
     [](Tree& t) { t.tables[static_cast<std::size_t>(t.table[2])] = 4; }},
    {"node 2: its table of pairs has an even length",
     [](Tree& t) {
       const auto at = static_cast<std::size_t>(t.table[2]);
       t.tables[at] = 4;
       t.tables[at + 1] = 4;
     }},
    {"node 2: its table names branch 3",
     [](Tree& t) {
       const auto at = static_cast<std::size_t>(t.table[2]);
       t.tables[at] = 4;
       t.tables[at + 3] = 5;
       t.tables[at + 4] = 3;
     }},
    {"node 4: the codes in its table are not ascending",
     [](Tree& t) { t.tables[static_cast<std::size_t>(t.table[4]) + 3] = 1; }},
    {"node 4: its table lists code 6",
     [](Tree& t) { t.tables[static_cast<std::size_t>(t.table[4]) + 4] = 6; }},
    {"node 5: its weight", [](Tree& t) { t.weight[5] = -1; }},
    {"node 5: its weight", [](Tree& t) { t.weight[5] = kNaN; }},
    {"node 5: its weight", [](Tree& t) { t.weight[5] = kInf; }},
    {"node 5: it has a negative number of rows", [](Tree& t) { t.rows[5] = -1; }},
    {"node 5: its value is not a number", [](Tree& t) { t.value[11] = kNaN; }},
    {"'surrogate_begin' has 10 entries, expected 11", [](Tree& t) { t.surrogate_begin.pop_back(); }},
    {"without 'surrogate_begin'", [](Tree& t) { t.surrogate_begin.clear(); }},
    {"does not start at 0", [](Tree& t) { t.surrogate_begin[0] = -1; }},
    {"does not end at", [](Tree& t) { t.surrogate_begin[10] = 3; }},
    {"node 1: 'surrogate_begin' is not ascending", [](Tree& t) { t.surrogate_begin[1] = INT64_MAX; }},
    {"node 0: 'surrogate_begin' is not ascending", [](Tree& t) { t.surrogate_begin[1] = INT64_MIN; }},
    {"node 3: it has surrogates but not two children",
     [](Tree& t) { t.surrogate_begin[1] = t.surrogate_begin[2] = t.surrogate_begin[3] = 0; }},
    {"'surrogate_kind'", [](Tree& t) { t.surrogate_kind.pop_back(); }},
    {"'surrogate_threshold'", [](Tree& t) { t.surrogate_threshold.pop_back(); }},
    {"'surrogate_table'", [](Tree& t) { t.surrogate_table.pop_back(); }},
    {"'surrogate_flip'", [](Tree& t) { t.surrogate_flip.pop_back(); }},
    {"'surrogate_agreement'", [](Tree& t) { t.surrogate_agreement.pop_back(); }},
    {"neither a threshold nor a subset", [](Tree& t) { t.surrogate_kind[0] = NodeKind::kMultiway; }},
    {"neither a threshold nor a subset", [](Tree& t) { t.surrogate_kind[0] = NodeKind::kLeaf; }},
    {"node 0: it tests feature 7", [](Tree& t) { t.surrogate_feature[1] = 7; }},
    {"node 0: it tests categories of a numeric feature", [](Tree& t) { t.surrogate_feature[1] = 0; }},
    {"node 0: its threshold is not a number", [](Tree& t) { t.surrogate_threshold[0] = kNaN; }},
    {"node 0: its table lies outside", [](Tree& t) { t.surrogate_table[1] = 1000; }},
    {"flip is neither 0 nor 1", [](Tree& t) { t.surrogate_flip[0] = 2; }},
    {"agreement", [](Tree& t) { t.surrogate_agreement[0] = kNaN; }},
};

// Overwrites one random entry of one random array with a value that is likely to hurt.
template <class T>
void damage(std::vector<T>& array, RandomTree& random) {
  if (array.empty()) return;
  const std::size_t at = random.below(static_cast<std::uint32_t>(array.size()));
  if constexpr (std::is_same_v<T, double>) {
    const double hurting[]{kNaN, kInf, -kInf, -1.0, 0.0, 1e300, 2.5};
    array[at] = hurting[random.below(7)];
  } else {
    const std::int64_t hurting[]{-1, 0, 1, 2, 3, 7, 100, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    array[at] = static_cast<T>(hurting[random.below(11)]);
  }
}

void damage_any_array(Tree& tree, RandomTree& random) {
  switch (random.below(18)) {
    case 0: return damage(tree.kind, random);
    case 1: return damage(tree.feature, random);
    case 2: return damage(tree.first_child, random);
    case 3: return damage(tree.n_children, random);
    case 4: return damage(tree.threshold, random);
    case 5: return damage(tree.table, random);
    case 6: return damage(tree.missing, random);
    case 7: return damage(tree.value, random);
    case 8: return damage(tree.rows, random);
    case 9: return damage(tree.weight, random);
    case 10: return damage(tree.tables, random);
    case 11: return damage(tree.surrogate_begin, random);
    case 12: return damage(tree.surrogate_feature, random);
    case 13: return damage(tree.surrogate_kind, random);
    case 14: return damage(tree.surrogate_threshold, random);
    case 15: return damage(tree.surrogate_table, random);
    case 16: return damage(tree.surrogate_flip, random);
    default: return damage(tree.surrogate_agreement, random);
  }
}

TEST("check: a sound tree is accepted") {
  CHECK(objection(small_tree()) == "");
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Shape shape;
    shape.fractional = seed % 2 == 1;
    shape.surrogates = seed % 3 == 1;
    CHECK(objection(RandomTree(seed).tree(shape), shape.n_codes) == "");
  }
}

TEST("check: every kind of damage is named") {
  for (const Damage& damage : kDamages) {
    Tree tree = small_tree();
    damage.apply(tree);
    const std::string said = objection(tree);
    if (said.find(damage.sentence) == std::string::npos) {
      fail(__FILE__, __LINE__, "expected '" + std::string(damage.sentence) + "', got '" + said + "'");
    }
    CHECK(said.starts_with("Not a valid tree: "));
  }
}

TEST("check: a column with too many codes is refused") {
  CHECK(objection(small_tree(), {0, 0xFFFFFFFEU}).find("feature 1 has too many codes") != std::string::npos);
}

TEST("check: a tree for more features than there are is refused") {
  CHECK(objection(small_tree(), {0}).find("which does not exist") != std::string::npos);
  CHECK(objection(small_tree(), {}).find("which does not exist") != std::string::npos);
}

TEST("check: tables that many nodes share do not make the check slow") {
  TreeBuilder builder(1);
  NodeId node = 0;
  const std::vector<std::uint32_t> branches(50'000, 0);
  for (int level = 0; level < 50'000; ++level) {
    node = level == 0 ? builder.split_by_branch(0, 0, 1, branches) : builder.split_by_branch(node, 0, 1, {});
  }
  Tree tree = builder.finish();
  for (std::size_t i = 0; i + 1 < tree.size(); ++i) tree.table[i] = 0;
  CHECK(objection(tree, {60'000}).find("overlaps") != std::string::npos);
}

TEST("check: a stored tree whose branches do not have the rows and the weight of their node is refused") {
  const auto stored_objection = [](const Tree& tree) -> std::string {
    try {
      check_stored_tree(tree, kCodes);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  Tree tree = small_tree();
  tree.weight = {10, 4, 6, 1, 3, 1, 2, 3, 1, 2};
  tree.rows = {10, 4, 6, 1, 3, 1, 2, 3, 1, 2};
  CHECK(stored_objection(tree).empty());
  for (const double weight : {0.0, 2.9, 3.1, 1e308}) {
    Tree other = tree;
    other.weight[7] = weight;
    CHECK(stored_objection(other) ==
          "Not a valid tree: node 2: it has branches whose weights do not add up to its own.");
  }
  for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{3}, INT64_MAX}) {
    Tree other = tree;
    other.rows[9] = rows;
    CHECK(stored_objection(other) ==
          "Not a valid tree: node 4: it has branches whose rows do not add up to its own.");
  }
  // Node 2 shares rows: every branch counts a part of a row as one.
  tree.rows[7] = 5;
  CHECK(stored_objection(tree).empty());
  // Where rows may stay at the node, branches have at most what it has.
  tree.missing[2] = kStopHere;
  tree.tables[3 + 2 + 4] = kStopHere;
  CHECK(!stored_objection(tree).empty());
  tree.rows[7] = 1;
  tree.weight[7] = 1;
  CHECK(stored_objection(tree).empty());
}

TEST("check: what passes the check can be walked whatever the arrays hold") {
  std::size_t n_accepted = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    RandomTree random(seed);
    Shape shape;
    shape.n_splits = 6;
    shape.fractional = random.chance(2);
    shape.surrogates = random.chance(2);
    Tree tree = random.tree(shape);
    const std::uint32_t n_damages = 1 + random.below(3);
    for (std::uint32_t i = 0; i < n_damages; ++i) damage_any_array(tree, random);
    if (objection(tree, shape.n_codes) != "") continue;
    ++n_accepted;
    const CompiledTree compiled(tree, shape.n_codes);
    const std::vector<double> matrix = random.rows(9, shape.n_codes, 4);
    const MatrixRows<double> rows{matrix.data(), static_cast<std::ptrdiff_t>(shape.n_codes.size()), 9};
    std::vector<NodeId> leaves(9, kNoNode);
    compiled.leaves(rows, leaves.data(), 1);
    for (const NodeId leaf : leaves) CHECK(leaf >= 0 && static_cast<std::size_t>(leaf) < tree.size());
    std::vector<double> values(9 * compiled.n_outputs(), 0.0);
    compiled.add_values(rows, values.data());
  }
  CHECK(n_accepted > 100);
}

}  // namespace

}  // namespace treewright::test
