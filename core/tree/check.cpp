#include "tree/check.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tree/fault.h"
#include "tree/named_arrays.h"
#include "tree/row_sums.h"
#include "tree/table.h"
#include "tree/table_spans.h"

namespace treewright {

namespace {

constexpr std::size_t kMaxNodes = std::numeric_limits<NodeId>::max();

template <class Integer>
std::size_t index(Integer i) {
  return static_cast<std::size_t>(i);
}

[[noreturn]] void refuse(const std::string& rule, const std::string& found) {
  throw TreeFault(rule, "Not a valid tree: " + found);
}

[[noreturn]] void refuse_node(std::size_t node, const std::string& rule, const std::string& found) {
  const std::string name = "node " + std::to_string(node);
  refuse(name + " " + rule, name + ": " + found + ".");
}

[[noreturn]] void refuse_leaf(std::size_t node, const std::string& fault) {
  const std::string number = std::to_string(node);
  refuse("leaf " + number + " " + fault, "node " + number + ": it is a leaf but " + fault + ".");
}

// The rules of a test, in the words for a node's own test, for its surrogates and for its candidates.
struct TestRules {
  const char* feature;
  const char* threshold;
  const char* no_threshold;
  const char* no_table;
  const char* categories;
};

constexpr TestRules kOwnTest{"tests a feature that does not exist", "has no threshold",
                             "has a threshold that it does not use", "has a table that it does not use",
                             "tests categories of a numeric feature"};
constexpr TestRules kSurrogate{"has a surrogate on an unknown feature", "has a surrogate without threshold",
                               "has a surrogate with a threshold that it does not use",
                               "has a surrogate with an unused table",
                               "has a category surrogate on a numeric feature"};
constexpr TestRules kCandidate{
    "has a candidate on an unknown feature", "has a candidate with a threshold too many or few",
    "has a candidate with a threshold too many or few", "has a candidate with an unused table",
    "has a category candidate on a numeric feature"};

// What a node, a surrogate or a candidate asks of a row.
struct Test {
  std::size_t node;
  NodeKind kind;
  FeatureId feature;
  double threshold;
  std::int64_t table;
  std::uint32_t n_branches;
};

class Checker {
 public:
  Checker(const Tree& tree, std::span<const Code> n_codes)
      : tree_(tree), n_codes_(n_codes), n_(tree.size()) {}

  void check() {
    check_columns();
    check_sizes();
    check_surrogate_sizes();
    check_candidate_sizes();
    check_links();
    for (std::size_t node = 0; node < n_; ++node) {
      check_numbers(node);
      if (tree_.kind[node] == NodeKind::kLeaf) {
        check_leaf(node);
      } else {
        check_split(node);
      }
      check_surrogates(node);
    }
    for (std::size_t i = 0; i < tree_.candidate_node.size(); ++i) check_candidate(i);
    check_tables();
  }

  void check_stored() {
    check();
    for (std::size_t i = 0; i < tree_.value.size(); ++i) {
      if (!std::isfinite(tree_.value[i])) refuse_value(i / index(tree_.outputs));
    }
    for (std::size_t node = 0; node < n_; ++node) {
      // NaN: not known, as in a tree of numbers that was part of a forest.
      if (std::isinf(tree_.loss[node])) refuse_node(node, "has an infinite loss", "its loss is infinite");
      if (std::isinf(tree_.gain[node])) refuse_node(node, "has an infinite gain", "its gain is infinite");
      check_sums(node);
      if (!has_surrogates_) continue;
      for (std::int64_t s = tree_.surrogate_begin[node]; s < tree_.surrogate_begin[node + 1]; ++s) {
        if (tree_.surrogate_agreement[index(s)] > 1) refuse_agreement(node);
      }
    }
  }

 private:
  // --- lengths

  void check_columns() const {
    if (n_codes_.size() > index(std::numeric_limits<FeatureId>::max())) {
      refuse("there are too many features", "there are too many features.");
    }
    for (std::size_t feature = 0; feature < n_codes_.size(); ++feature) {
      // Room is needed above for the code of an unseen category and below kStopHere.
      if (n_codes_[feature] >= kStopHere - 1) {
        const std::string fault = "feature " + std::to_string(feature) + " has too many codes";
        refuse(fault, fault + ".");
      }
    }
  }

  // `per_owner`: entries of each of the `n_owners` nodes, surrogates or candidates.
  static void check_length(const char* name, std::size_t size, std::size_t n_owners, const char* owners,
                           std::size_t per_owner = 1) {
    const std::size_t wanted = n_owners * per_owner;
    if (size == wanted) return;
    const std::string has = "array '" + std::string(name) + "' has ";
    refuse(has + std::to_string(size / per_owner) + " entries for " + std::to_string(n_owners) + " " + owners,
           has + std::to_string(size) + " entries, expected " + std::to_string(wanted) + ".");
  }

  void check_sizes() const {
    if (n_ == 0 || n_ > kMaxNodes) {
      refuse("a tree needs at least one and at most " + std::to_string(kMaxNodes) + " nodes, not " +
                 std::to_string(n_),
             n_ == 0 ? "it has no node." : "it has too many nodes.");
    }
    if (tree_.outputs < 1) refuse("array 'value' has no output", "it has no output.");
    for_each_node_array(
        tree_, [&](const char* name, const auto& array) { check_length(name, array.size(), n_, "nodes"); });
    for_each_missing_array(
        tree_, [&](const char* name, const auto& array) { check_length(name, array.size(), n_, "nodes"); });
    check_length("value", tree_.value.size(), n_, "nodes", index(tree_.outputs));
  }

  void check_surrogate_sizes() {
    const std::size_t n = tree_.surrogate_feature.size();
    for_each_surrogate_array(tree_, [&](const char* name, const auto& array) {
      check_length(name, array.size(), n, "surrogates");
    });
    const std::vector<std::int64_t>& begin = tree_.surrogate_begin;
    has_surrogates_ = !begin.empty();
    if (!has_surrogates_ && n > 0) {
      refuse("there are surrogates, but no node owns them",
             "surrogates are given without 'surrogate_begin'.");
    }
    if (!has_surrogates_) return;
    const char* rule = "array 'surrogate_begin' does not divide the surrogates among the nodes";
    if (begin.size() != n_ + 1) {
      refuse(rule, "array 'surrogate_begin' has " + std::to_string(begin.size()) + " entries, expected " +
                       std::to_string(n_ + 1) + ".");
    }
    if (begin.front() != 0) refuse(rule, "'surrogate_begin' does not start at 0.");
    if (begin.back() != static_cast<std::int64_t>(n)) {
      refuse(rule, "'surrogate_begin' does not end at the number of surrogates.");
    }
    for (std::size_t node = 0; node < n_; ++node) {
      if (begin[node] > begin[node + 1]) {
        refuse(rule, "node " + std::to_string(node) + ": 'surrogate_begin' is not ascending.");
      }
    }
  }

  void check_candidate_sizes() const {
    const std::size_t n = tree_.candidate_node.size();
    for_each_candidate_array(tree_, [&](const char* name, const auto& array) {
      check_length(name, array.size(), n, "candidates");
    });
    const char* rule = "array 'candidate_node' does not name nodes in ascending order";
    for (std::size_t i = 0; i < n; ++i) {
      const NodeId node = tree_.candidate_node[i];
      if (node < 0 || index(node) >= n_) refuse(rule, "a candidate belongs to a node that does not exist.");
      if (i > 0 && node < tree_.candidate_node[i - 1]) refuse(rule, "'candidate_node' is not ascending.");
    }
  }

  // --- links

  // With parents before children there can be no cycle, and with one parent each no node is shared or lost.
  void check_links() {
    std::vector<bool> has_parent(n_, false);
    std::size_t n_links = 0;
    for (std::size_t node = 0; node < n_; ++node) {
      if (tree_.kind[node] == NodeKind::kLeaf) {
        if (tree_.n_children[node] != 0) refuse_leaf(node, "has children");
        if (tree_.first_child[node] != kNoNode) {
          const std::string number = std::to_string(node);
          refuse("leaf " + number + " names a first child",
                 "node " + number + ": it is a leaf but has children.");
        }
        continue;
      }
      check_children(node);
      const std::size_t first = index(tree_.first_child[node]);
      for (std::size_t child = first; child < first + tree_.n_children[node]; ++child) {
        if (has_parent[child]) refuse_node(child, "does not have exactly one parent", "it has two parents");
        has_parent[child] = true;
      }
      n_links += tree_.n_children[node];
    }
    for (std::size_t node = 1; node < n_; ++node) {
      if (has_parent[node]) continue;
      refuse("the tree has " + std::to_string(n_) + " nodes but " + std::to_string(n_links) + " links",
             "node " + std::to_string(node) + ": it is not the child of any node.");
    }
  }

  void check_children(std::size_t node) const {
    const NodeKind kind = tree_.kind[node];
    if (kind > NodeKind::kMultiway) {
      refuse_node(node, "has an unknown kind",
                  "it has the unknown kind " + std::to_string(static_cast<int>(kind)));
    }
    const std::uint32_t n_children = tree_.n_children[node];
    if (kind == NodeKind::kMultiway ? n_children < 1 : n_children != 2) {
      refuse_node(node, n_children == 0 ? "has no children" : "has a binary test but not two children",
                  "it has " + std::to_string(n_children) + " children, which its kind does not allow");
    }
    const NodeId first = tree_.first_child[node];
    const char* outside = "its children lie outside the tree";
    if (first < 0) refuse_node(node, "stands after one of its children", outside);
    if (index(first) >= n_ || n_children > n_ - index(first)) {
      refuse_node(node, "has a child beyond the last node", outside);
    }
    if (index(first) <= node) {
      refuse_node(node, "stands after one of its children", "its children do not come after it");
    }
  }

  // --- nodes

  [[noreturn]] static void refuse_value(std::size_t node) {
    refuse_node(node, "has a value that is not a finite number", "its value is not a number");
  }

  void check_numbers(std::size_t node) const {
    if (tree_.rows[node] < 0) {
      refuse_node(node, "has a negative number of rows", "it has a negative number of rows");
    }
    const double weight = tree_.weight[node];
    if (!(weight >= 0) || std::isinf(weight)) {
      refuse_node(
          node, std::isfinite(weight) ? "has a negative weight" : "has a weight that is not a finite number",
          "its weight is not a finite number of at least 0");
    }
    check_missing_rows(node);
    const std::size_t n_outputs = index(tree_.outputs);
    for (std::size_t k = 0; k < n_outputs; ++k) {
      if (std::isnan(tree_.value[node * n_outputs + k])) refuse_value(node);
    }
  }

  // Both are known or none is; a leaf has none, and no weight is there without a row.
  void check_missing_rows(std::size_t node) const {
    const std::int64_t rows = tree_.missing_rows[node];
    const double weight = tree_.missing_weight[node];
    const bool is_leaf = tree_.kind[node] == NodeKind::kLeaf;
    const bool unknown = rows == kUnknownRows && std::isnan(weight) && !is_leaf;
    const bool counted = rows >= 0 && rows <= tree_.rows[node] && std::isfinite(weight) && weight >= 0;
    if (unknown || (counted && (rows > 0 ? !is_leaf : weight == 0))) return;
    refuse_node(node, "has a number of missing rows that cannot be",
                "its number of missing rows cannot be, or their weight cannot");
  }

  void check_sums(std::size_t node) const {
    if (tree_.kind[node] == NodeKind::kLeaf) return;
    if (const char* what = what_does_not_add_up(tree_, node)) {
      const std::string fault = std::string("branches whose ") + what + " do not add up to its own";
      refuse_node(node, "has " + fault, "it has " + fault);
    }
  }

  void check_leaf(std::size_t node) const {
    if (tree_.feature[node] != kNoFeature) refuse_leaf(node, "tests a feature");
    if (!std::isnan(tree_.threshold[node])) {
      refuse_node(node, kOwnTest.no_threshold, "it is a leaf but has a threshold");
    }
    if (tree_.table[node] != -1) refuse_node(node, kOwnTest.no_table, "it is a leaf but has a table");
    if (tree_.missing[node] != 0) refuse_leaf(node, "has a branch for missing values");
    if (tree_.gain[node] != 0) refuse_leaf(node, "has a gain");
  }

  void check_split(std::size_t node) {
    const std::uint32_t n_children = tree_.n_children[node], missing = tree_.missing[node];
    if (is_branch(missing) && missing >= n_children) {
      refuse_node(node, "sends missing values to a branch that does not exist",
                  "missing values go to branch " + std::to_string(missing) + ", which does not exist");
    }
    check_test(
        {node, tree_.kind[node], tree_.feature[node], tree_.threshold[node], tree_.table[node], n_children},
        kOwnTest);
  }

  // --- tests

  void check_feature(const Test& test, const TestRules& rules) const {
    if (test.feature < 0 || index(test.feature) >= n_codes_.size()) {
      refuse_node(test.node, rules.feature,
                  "it tests feature " + std::to_string(test.feature) + ", which does not exist");
    }
  }

  void check_test(const Test& test, const TestRules& rules) {
    check_feature(test, rules);
    if (test.kind == NodeKind::kThreshold) {
      if (std::isnan(test.threshold))
        refuse_node(test.node, rules.threshold, "its threshold is not a number");
      if (test.table != -1) refuse_node(test.node, rules.no_table, "it tests a threshold but has a table");
      return;
    }
    if (!std::isnan(test.threshold)) {
      refuse_node(test.node, rules.no_threshold, "it tests categories but has a threshold");
    }
    if (n_codes_[index(test.feature)] == 0) {
      refuse_node(test.node, rules.categories, "it tests categories of a numeric feature");
    }
    tabled_.push_back(test);
  }

  [[noreturn]] static void refuse_agreement(std::size_t node) {
    refuse_node(node, "has a surrogate with an impossible agreement",
                "a surrogate's agreement is not a number of at least 0");
  }

  void check_surrogates(std::size_t node) {
    if (!has_surrogates_ || tree_.surrogate_begin[node] == tree_.surrogate_begin[node + 1]) return;
    if (tree_.n_children[node] != 2) {
      refuse_node(node, "has surrogates but no binary test", "it has surrogates but not two children");
    }
    for (std::int64_t i = tree_.surrogate_begin[node]; i < tree_.surrogate_begin[node + 1]; ++i) {
      const std::size_t s = index(i);
      const NodeKind kind = tree_.surrogate_kind[s];
      if (kind != NodeKind::kThreshold && kind != NodeKind::kSubset) {
        refuse_node(node, "has a surrogate of unknown kind",
                    "it has a surrogate that is neither a threshold nor a subset");
      }
      check_test(
          {node, kind, tree_.surrogate_feature[s], tree_.surrogate_threshold[s], tree_.surrogate_table[s], 2},
          kSurrogate);
      if (tree_.surrogate_flip[s] > 1) {
        refuse_node(node, "has a surrogate whose flip is neither 0 nor 1",
                    "a surrogate's flip is neither 0 nor 1");
      }
      if (!(tree_.surrogate_agreement[s] >= 0)) refuse_agreement(node);
    }
  }

  // `fault` follows "has a candidate".
  [[noreturn]] static void refuse_candidate(std::size_t node, const std::string& fault) {
    refuse_node(node, "has a candidate " + fault, "it has a candidate " + fault);
  }

  void check_candidate(std::size_t i) {
    const std::size_t node = index(tree_.candidate_node[i]);
    if (tree_.kind[node] == NodeKind::kLeaf) refuse_leaf(node, "has candidates");
    const NodeKind kind = tree_.candidate_kind[i];
    if (kind == NodeKind::kLeaf || kind > NodeKind::kMultiway) {
      refuse_node(node, "has a candidate of unknown kind", "it has a candidate of an unknown kind");
    }
    const std::uint32_t branches = tree_.candidate_branches[i];
    const std::int64_t table = tree_.candidate_table[i];
    const Test test{node, kind, tree_.candidate_feature[i], tree_.candidate_threshold[i], table, branches};
    check_feature(test, kCandidate);
    const bool multiway = kind == NodeKind::kMultiway;
    const Code n_codes = n_codes_[index(test.feature)];
    // One branch per category, one for missing values and one for categories that the node does not hold.
    if (multiway ? branches < 1 || branches > n_codes + 2 : branches != 2) {
      refuse_candidate(node, "with an impossible number of branches");
    }
    if (multiway && table == -1) {
      const char* found = "it has a candidate that tests categories of a number";
      if (n_codes == 0) refuse_node(node, kCandidate.categories, found);
      if (!std::isnan(test.threshold)) refuse_node(node, kCandidate.no_threshold, found);
    } else {
      if (kind == NodeKind::kSubset && table == -1) {
        refuse_node(node, "has a candidate without a table", "its table lies outside 'tables'");
      }
      check_test(test, kCandidate);
    }
    const double left = tree_.candidate_left[i], right = tree_.candidate_right[i];
    if (!multiway && !(left >= 0 && right >= 0 && std::isfinite(left + right))) {
      refuse_candidate(node, "whose branches have no weights");
    }
    if (!std::isfinite(tree_.candidate_gain[i]) || !std::isfinite(tree_.candidate_split_info[i]) ||
        std::isnan(tree_.candidate_least_gain[i])) {
      refuse_candidate(node, "whose gain is not a number");
    }
  }

  // --- tables

  void check_tables() const {
    TableSpans spans;
    const std::size_t size = tree_.tables.size();
    for (const Test& test : tabled_) {
      if (test.table < 0 || size < 2 || index(test.table) > size - 2) {
        refuse_node(test.node, "has its table outside the tables", "its table lies outside 'tables'");
      }
      spans.add(TableSpans::at(test.node, index(test.table), tree_.tables));
      if (spans.all().back().end > size) {
        refuse_node(test.node, "has a table that ends outside the tables", "its table ends outside 'tables'");
      }
    }
    if (const auto node = spans.find_overlap()) {
      refuse_node(*node, "has a table that overlaps another one", "its table overlaps another one");
    }
    for (const Test& test : tabled_) check_entries(test);
  }

  void check_entries(const Test& test) const {
    const std::uint32_t* table = tree_.tables.data() + test.table;
    const std::uint32_t* data = table + 2;
    const std::size_t length = table[1];
    const bool is_multiway = test.kind == NodeKind::kMultiway;
    const auto format = static_cast<TableFormat>(table[0]);
    if (format == TableFormat::kBits && !is_multiway) return;
    if ((format == TableFormat::kList || format == TableFormat::kListLeft) && !is_multiway) {
      check_list(test, {data, length});
    } else if (format == TableFormat::kBranches && is_multiway) {
      check_branches(test, {data, length});
    } else if (format == TableFormat::kPairs && is_multiway) {
      if (length % 2 == 0) {
        refuse_node(test.node, "has a table of pairs of even length",
                    "its table of pairs has an even length");
      }
      check_list(test, {data, length / 2});
      check_branches(test, {data + length / 2, length / 2 + 1});
    } else {
      refuse_node(
          test.node,
          format > TableFormat::kPairs ? "has a table of unknown format" : "has a table of the wrong format",
          "its table has format " + std::to_string(table[0]) + ", which its kind does not allow");
    }
  }

  void check_list(const Test& test, std::span<const std::uint32_t> codes) const {
    const Code n_codes = n_codes_[index(test.feature)];
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] > n_codes + 1) {
        refuse_node(test.node, "lists a category that does not exist",
                    "its table lists code " + std::to_string(codes[i]) + ", which does not exist");
      }
      if (i > 0 && codes[i] <= codes[i - 1]) {
        refuse_node(test.node, "has a category list that is not ascending",
                    "the codes in its table are not ascending");
      }
    }
  }

  static void check_branches(const Test& test, std::span<const std::uint32_t> branches) {
    if (branches.empty()) refuse_node(test.node, "has an empty table", "its table is empty");
    for (const std::uint32_t branch : branches) {
      if (is_branch(branch) && branch >= test.n_branches) {
        refuse_node(test.node, "sends a category to a branch that does not exist",
                    "its table names branch " + std::to_string(branch) + ", which does not exist");
      }
    }
  }

  const Tree& tree_;
  const std::span<const Code> n_codes_;
  const std::size_t n_;
  bool has_surrogates_ = false;
  std::vector<Test> tabled_;  // tests of categories: of a node, then of its surrogates; of candidates at last
};

}  // namespace

void check_tree(const Tree& tree, std::span<const Code> n_codes) {
  Checker(tree, n_codes).check();
}

void check_stored_tree(const Tree& tree, std::span<const Code> n_codes) {
  Checker(tree, n_codes).check_stored();
}

}  // namespace treewright
