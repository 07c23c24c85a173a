// StaleCandidates: forgets the candidates of nodes that pruning gave other rows. Below a raised test a node
// holds more rows than it was searched with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/tree.h"

namespace treewright {

class StaleCandidates {
 public:
  // Before pruning.
  explicit StaleCandidates(const Tree& tree) {
    if (tree.candidate_node.empty()) return;
    rows_ = tree.rows;
    weight_ = tree.weight;
  }

  // After pruning, while ids are still the same.
  void forget(Tree& tree) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tree.candidate_node.size(); ++i) {
      if (!is_fresh(tree, static_cast<std::size_t>(tree.candidate_node[i]))) continue;
      for_each_array(tree, [&](auto& array) { array[kept] = array[i]; });
      ++kept;
    }
    for_each_array(tree, [&](auto& array) { array.resize(kept); });
  }

 private:
  bool is_fresh(const Tree& tree, std::size_t node) const {
    // Pruning adds up shares of rows anew, in another precision.
    constexpr double kRounding = 1e-6;
    return tree.rows[node] == rows_[node] &&
           std::abs(tree.weight[node] - weight_[node]) <= kRounding * weight_[node];
  }

  template <class Visitor>
  static void for_each_array(Tree& tree, Visitor&& visit) {
    visit(tree.candidate_node);
    visit(tree.candidate_feature);
    visit(tree.candidate_kind);
    visit(tree.candidate_threshold);
    visit(tree.candidate_table);
    visit(tree.candidate_branches);
    visit(tree.candidate_tries);
    visit(tree.candidate_left);
    visit(tree.candidate_right);
    visit(tree.candidate_gain);
    visit(tree.candidate_split_info);
    visit(tree.candidate_least_gain);
  }

  std::vector<std::int64_t> rows_;
  std::vector<double> weight_;
};

}  // namespace treewright
