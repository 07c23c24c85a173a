// ErrorRule: estimated errors of a leaf and how estimates are compared; Estimates: what pruning knows about
// every node so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "prune/extra_errors.h"

namespace treewright {

class ErrorRule {
 public:
  ErrorRule(PruneProgram program, double confidence)
      : tolerance_(program == PruneProgram::kJ48 ? 1e-6 : 0.0), extra_(program, confidence) {}

  // Both programs prefer the smaller tree when the estimates differ by less than this.
  static constexpr double kPreference = 0.1;

  double of_leaf(double weight, double errors_seen) const {
    return weight > tolerance_ ? errors_seen + extra_(weight, errors_seen) : 0.0;
  }

  // "a is not above b": J48 forgives a little.
  bool at_most(double a, double b) const { return a <= b || a - b < tolerance_; }

  // Rows with a missing value go to branches whose share of the known weight exceeds this.
  double smallest_share() const { return tolerance_; }

 private:
  double tolerance_;
  ExtraErrors extra_;
};

class Estimates {
 public:
  Estimates(std::size_t n_nodes, std::size_t n_classes, const ErrorRule& rule)
      : rule_(rule),
        n_classes_(n_classes),
        counts_(n_nodes * n_classes, 0.0),
        errors_(n_nodes, 0.0),
        shares_(n_nodes, 0) {}

  const ErrorRule& rule() const { return rule_; }
  std::size_t n_classes() const { return n_classes_; }

  // Weight of each class among the rows of a node.
  double* counts(std::size_t node) { return counts_.data() + node * n_classes_; }
  const double* counts(std::size_t node) const { return counts_.data() + node * n_classes_; }

  // Estimated errors of a node's subtree, as pruned so far.
  double errors(std::size_t node) const { return errors_[node]; }
  void set_errors(std::size_t node, double errors) { errors_[node] = errors; }

  // Whether the node shared some of its rows among its branches.
  bool shares(std::size_t node) const { return shares_[node] != 0; }
  void set_shares(std::size_t node, bool shares) { shares_[node] = shares ? 1 : 0; }

  double weight(const double* counts) const {
    double sum = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) sum += counts[k];
    return sum;
  }

  // Estimated errors of a leaf with these class weights.
  double of_leaf(const double* counts) const {
    const double total = weight(counts);
    return rule_.of_leaf(total, total - *std::max_element(counts, counts + n_classes_));
  }

 private:
  ErrorRule rule_;
  std::size_t n_classes_;
  std::vector<double> counts_;
  std::vector<double> errors_;
  std::vector<std::uint8_t> shares_;
};

}  // namespace treewright
