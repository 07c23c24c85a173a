#include "tree/check.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tree/table.h"

namespace treewright {

namespace {

constexpr std::size_t kMaxNodes = std::numeric_limits<NodeId>::max();

template <class Integer>
std::size_t index(Integer i) {
  return static_cast<std::size_t>(i);
}

[[noreturn]] void fail(const std::string& sentence) {
  throw std::invalid_argument("Not a valid tree: " + sentence);
}

[[noreturn]] void fail_at(std::size_t node, const std::string& what) {
  fail("node " + std::to_string(node) + ": " + what + ".");
}

class Checker {
 public:
  Checker(const Tree& tree, std::span<const Code> n_codes)
      : tree_(tree), n_codes_(n_codes), n_(tree.size()) {}

  void check() {
    check_columns();
    check_sizes();
    check_surrogate_sizes();
    check_candidate_sizes();
    has_parent_.assign(n_, false);
    for (std::size_t node = 0; node < n_; ++node) {
      check_numbers(node);
      if (tree_.kind[node] == NodeKind::kLeaf) {
        check_leaf(node);
      } else {
        check_split(node);
        check_children(node);
      }
      check_surrogates(node);
    }
    for (std::size_t i = 0; i < tree_.candidate_node.size(); ++i) check_candidate(i);
    // Parents come before their children, so having a parent means being reachable from the root.
    for (std::size_t node = 1; node < n_; ++node) {
      if (!has_parent_[node]) fail_at(node, "it is not the child of any node");
    }
  }

 private:
  void check_columns() const {
    if (n_codes_.size() > index(std::numeric_limits<FeatureId>::max())) fail("there are too many features.");
    for (std::size_t feature = 0; feature < n_codes_.size(); ++feature) {
      // Room is needed above for the code of an unseen category and below kStopHere.
      if (n_codes_[feature] >= kStopHere - 1) {
        fail("feature " + std::to_string(feature) + " has too many codes.");
      }
    }
  }

  template <class T>
  void check_length(const std::vector<T>& array, std::size_t wanted, const char* name) const {
    if (array.size() == wanted) return;
    fail("array '" + std::string(name) + "' has " + std::to_string(array.size()) + " entries, expected " +
         std::to_string(wanted) + ".");
  }

  void check_sizes() const {
    if (n_ == 0) fail("it has no node.");
    if (n_ > kMaxNodes) fail("it has too many nodes.");
    if (tree_.outputs < 1) fail("it has no output.");
    check_length(tree_.feature, n_, "feature");
    check_length(tree_.first_child, n_, "first_child");
    check_length(tree_.n_children, n_, "n_children");
    check_length(tree_.threshold, n_, "threshold");
    check_length(tree_.table, n_, "table");
    check_length(tree_.missing, n_, "missing");
    check_length(tree_.value, n_ * index(tree_.outputs), "value");
    check_length(tree_.rows, n_, "rows");
    check_length(tree_.weight, n_, "weight");
    check_length(tree_.loss, n_, "loss");
    check_length(tree_.gain, n_, "gain");
  }

  void check_surrogate_sizes() {
    const std::size_t n_surrogates = tree_.surrogate_feature.size();
    has_surrogates_ = !tree_.surrogate_begin.empty();
    if (has_surrogates_) check_length(tree_.surrogate_begin, n_ + 1, "surrogate_begin");
    if (!has_surrogates_ && n_surrogates > 0) fail("surrogates are given without 'surrogate_begin'.");
    check_length(tree_.surrogate_kind, n_surrogates, "surrogate_kind");
    check_length(tree_.surrogate_threshold, n_surrogates, "surrogate_threshold");
    check_length(tree_.surrogate_table, n_surrogates, "surrogate_table");
    check_length(tree_.surrogate_flip, n_surrogates, "surrogate_flip");
    check_length(tree_.surrogate_agreement, n_surrogates, "surrogate_agreement");
    if (!has_surrogates_) return;
    if (tree_.surrogate_begin.front() != 0) fail("'surrogate_begin' does not start at 0.");
    if (tree_.surrogate_begin.back() != static_cast<std::int64_t>(n_surrogates)) {
      fail("'surrogate_begin' does not end at the number of surrogates.");
    }
    for (std::size_t node = 0; node < n_; ++node) {
      if (tree_.surrogate_begin[node] > tree_.surrogate_begin[node + 1]) {
        fail_at(node, "'surrogate_begin' is not ascending");
      }
    }
  }

  void check_candidate_sizes() const {
    const std::size_t n = tree_.candidate_node.size();
    check_length(tree_.candidate_feature, n, "candidate_feature");
    check_length(tree_.candidate_kind, n, "candidate_kind");
    check_length(tree_.candidate_threshold, n, "candidate_threshold");
    check_length(tree_.candidate_table, n, "candidate_table");
    check_length(tree_.candidate_branches, n, "candidate_branches");
    check_length(tree_.candidate_tries, n, "candidate_tries");
    check_length(tree_.candidate_left, n, "candidate_left");
    check_length(tree_.candidate_right, n, "candidate_right");
    check_length(tree_.candidate_gain, n, "candidate_gain");
    check_length(tree_.candidate_split_info, n, "candidate_split_info");
    check_length(tree_.candidate_least_gain, n, "candidate_least_gain");
    for (std::size_t i = 0; i < n; ++i) {
      const NodeId node = tree_.candidate_node[i];
      if (node < 0 || index(node) >= n_) fail("a candidate belongs to a node that does not exist.");
      if (i > 0 && node < tree_.candidate_node[i - 1]) fail("'candidate_node' is not ascending.");
    }
  }

  void check_numbers(std::size_t node) const {
    if (tree_.rows[node] < 0) fail_at(node, "it has a negative number of rows");
    if (!(tree_.weight[node] >= 0) || std::isinf(tree_.weight[node])) {
      fail_at(node, "its weight is not a finite number of at least 0");
    }
    const std::size_t n_outputs = index(tree_.outputs);
    for (std::size_t k = 0; k < n_outputs; ++k) {
      if (std::isnan(tree_.value[node * n_outputs + k])) fail_at(node, "its value is not a number");
    }
  }

  void check_leaf(std::size_t node) const {
    if (tree_.feature[node] != kNoFeature) fail_at(node, "it is a leaf but tests a feature");
    if (tree_.first_child[node] != kNoNode || tree_.n_children[node] != 0) {
      fail_at(node, "it is a leaf but has children");
    }
    if (!std::isnan(tree_.threshold[node])) fail_at(node, "it is a leaf but has a threshold");
    if (tree_.table[node] != -1) fail_at(node, "it is a leaf but has a table");
    if (tree_.missing[node] != 0) fail_at(node, "it is a leaf but has a branch for missing values");
    if (tree_.gain[node] != 0) fail_at(node, "it is a leaf but has a gain");
  }

  void check_split(std::size_t node) {
    const std::uint32_t n_children = tree_.n_children[node];
    const NodeKind kind = tree_.kind[node];
    if (kind > NodeKind::kMultiway)
      fail_at(node, "it has the unknown kind " + std::to_string(static_cast<int>(kind)));
    if (kind == NodeKind::kMultiway ? n_children < 1 : n_children != 2) {
      fail_at(node, "it has " + std::to_string(n_children) + " children, which its kind does not allow");
    }
    if (is_branch(tree_.missing[node]) && tree_.missing[node] >= n_children) {
      fail_at(node, "missing values go to branch " + std::to_string(tree_.missing[node]) +
                        ", which does not exist");
    }
    check_test(node, {kind, tree_.feature[node], tree_.threshold[node], tree_.table[node], n_children});
  }

  // What a node or a surrogate asks of a row.
  struct Test {
    NodeKind kind;
    FeatureId feature;
    double threshold;
    std::int64_t table;
    std::uint32_t n_branches;
  };

  void check_feature(std::size_t node, const Test& test) const {
    if (test.feature < 0 || index(test.feature) >= n_codes_.size()) {
      fail_at(node, "it tests feature " + std::to_string(test.feature) + ", which does not exist");
    }
  }

  void check_test(std::size_t node, const Test& test) {
    check_feature(node, test);
    if (test.kind == NodeKind::kThreshold) {
      if (std::isnan(test.threshold)) fail_at(node, "its threshold is not a number");
      if (test.table != -1) fail_at(node, "it tests a threshold but has a table");
      return;
    }
    if (!std::isnan(test.threshold)) fail_at(node, "it tests categories but has a threshold");
    if (n_codes_[index(test.feature)] == 0) fail_at(node, "it tests categories of a numeric feature");
    check_table(node, test);
  }

  void check_table(std::size_t node, const Test& test) {
    const std::size_t size = tree_.tables.size();
    if (test.table < 0 || size < 2 || index(test.table) > size - 2)
      fail_at(node, "its table lies outside 'tables'");
    const std::uint32_t* table = tree_.tables.data() + test.table;
    const std::size_t length = table[1];
    if (length > size - 2 - index(test.table)) fail_at(node, "its table ends outside 'tables'");
    // Tables may not share words: this keeps the whole check linear, whatever the file says.
    words_used_ += length + 2;
    if (words_used_ > size) fail_at(node, "its table overlaps another one");

    const std::uint32_t* data = table + 2;
    const bool is_multiway = test.kind == NodeKind::kMultiway;
    if (table[0] == static_cast<std::uint32_t>(TableFormat::kBits) && !is_multiway) return;
    const bool is_list = table[0] == static_cast<std::uint32_t>(TableFormat::kList) ||
                         table[0] == static_cast<std::uint32_t>(TableFormat::kListLeft);
    if (is_list && !is_multiway) {
      check_list(node, {data, length}, n_codes_[index(test.feature)]);
    } else if (table[0] == static_cast<std::uint32_t>(TableFormat::kBranches) && is_multiway) {
      check_branches(node, {data, length}, test.n_branches);
    } else if (table[0] == static_cast<std::uint32_t>(TableFormat::kPairs) && is_multiway) {
      if (length % 2 == 0) fail_at(node, "its table of pairs has an even length");
      check_list(node, {data, length / 2}, n_codes_[index(test.feature)]);
      check_branches(node, {data + length / 2, length / 2 + 1}, test.n_branches);
    } else {
      fail_at(node, "its table has format " + std::to_string(table[0]) + ", which its kind does not allow");
    }
  }

  static void check_list(std::size_t node, std::span<const std::uint32_t> codes, Code n_codes) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] > n_codes + 1)
        fail_at(node, "its table lists code " + std::to_string(codes[i]) + ", which does not exist");
      if (i > 0 && codes[i] <= codes[i - 1]) fail_at(node, "the codes in its table are not ascending");
    }
  }

  static void check_branches(std::size_t node, std::span<const std::uint32_t> branches,
                             std::uint32_t n_branches) {
    if (branches.empty()) fail_at(node, "its table is empty");
    for (const std::uint32_t branch : branches) {
      if (is_branch(branch) && branch >= n_branches) {
        fail_at(node, "its table names branch " + std::to_string(branch) + ", which does not exist");
      }
    }
  }

  void check_children(std::size_t node) {
    const NodeId first = tree_.first_child[node];
    if (first < 0 || index(first) >= n_ || tree_.n_children[node] > n_ - index(first)) {
      fail_at(node, "its children lie outside the tree");
    }
    if (index(first) <= node) fail_at(node, "its children do not come after it");
    for (std::size_t child = index(first); child < index(first) + tree_.n_children[node]; ++child) {
      if (has_parent_[child]) fail_at(child, "it has two parents");
      has_parent_[child] = true;
    }
  }

  void check_surrogates(std::size_t node) {
    if (!has_surrogates_ || tree_.surrogate_begin[node] == tree_.surrogate_begin[node + 1]) return;
    if (tree_.n_children[node] != 2) fail_at(node, "it has surrogates but not two children");
    for (std::int64_t i = tree_.surrogate_begin[node]; i < tree_.surrogate_begin[node + 1]; ++i) {
      const std::size_t s = index(i);
      const NodeKind kind = tree_.surrogate_kind[s];
      if (kind != NodeKind::kThreshold && kind != NodeKind::kSubset) {
        fail_at(node, "it has a surrogate that is neither a threshold nor a subset");
      }
      check_test(node, {kind, tree_.surrogate_feature[s], tree_.surrogate_threshold[s],
                        tree_.surrogate_table[s], 2});
      if (tree_.surrogate_flip[s] > 1) fail_at(node, "a surrogate's flip is neither 0 nor 1");
      if (!(tree_.surrogate_agreement[s] >= 0))
        fail_at(node, "a surrogate's agreement is not a number of at least 0");
    }
  }

  void check_candidate(std::size_t i) {
    const std::size_t node = index(tree_.candidate_node[i]);
    if (tree_.kind[node] == NodeKind::kLeaf) fail_at(node, "it is a leaf but has candidates");
    const NodeKind kind = tree_.candidate_kind[i];
    if (kind == NodeKind::kLeaf || kind > NodeKind::kMultiway) {
      fail_at(node, "it has a candidate of an unknown kind");
    }
    const std::uint32_t branches = tree_.candidate_branches[i];
    const std::int64_t table = tree_.candidate_table[i];
    const Test test{kind, tree_.candidate_feature[i], tree_.candidate_threshold[i], table, branches};
    check_feature(node, test);
    const bool multiway = kind == NodeKind::kMultiway;
    // One branch per category, one for missing values and one for categories that the node does not hold.
    const bool too_many = branches > n_codes_[index(test.feature)] + 2;
    if (multiway ? branches < 1 || too_many : branches != 2) {
      fail_at(node, "it has a candidate with an impossible number of branches");
    }
    if (multiway && table == -1) {
      if (n_codes_[index(test.feature)] == 0 || !std::isnan(test.threshold)) {
        fail_at(node, "it has a candidate that tests categories of a number");
      }
    } else {
      check_test(node, test);
    }
    if (!multiway && !(tree_.candidate_left[i] >= 0 && tree_.candidate_right[i] >= 0)) {
      fail_at(node, "it has a candidate whose branches weigh less than nothing");
    }
    if (!std::isfinite(tree_.candidate_gain[i]) || !std::isfinite(tree_.candidate_split_info[i]) ||
        std::isnan(tree_.candidate_least_gain[i])) {
      fail_at(node, "it has a candidate whose gain is not a number");
    }
  }

  const Tree& tree_;
  const std::span<const Code> n_codes_;
  const std::size_t n_;
  bool has_surrogates_ = false;
  std::vector<bool> has_parent_;
  std::size_t words_used_ = 0;
};

}  // namespace

void check_tree(const Tree& tree, std::span<const Code> n_codes) {
  Checker(tree, n_codes).check();
}

}  // namespace treewright
