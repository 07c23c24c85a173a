// Groupings that give a category a branch to itself: each its own (ID3, C4.5), or one against the rest (J48),
// and the split info by which such tests are compared.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "criterion/entropy.h"
#include "split/category_buckets.h"
#include "split/group_ordered.h"

namespace treewright {

// Split info (intrinsic value): the entropy of the branch sizes, in bits, times the weight of the node.
class BranchInfo {
 public:
  void add(double weight) {
    if (!(weight > 0)) return;
    weight_ += weight;
    sum_ += x_log2_x(weight);
  }
  double total() const { return x_log2_x(weight_) - sum_; }

 private:
  double weight_ = 0, sum_ = 0;
};

// The gain comes from the rows whose value is known; when missing is a category of its own, all are.
template <class Criterion>
Candidate multiway(const NodeColumn<Criterion>& node,
                   const CategoryBuckets<typename Criterion::Target>& buckets) {
  using Cell = typename Criterion::Cell;
  const auto& target = node.criterion.target;
  const int classes = target.channels();
  const bool own_branch = node.rules.missing == MissingRule::kOwnBranch;

  double known_weight = 0;
  const double* totals = compared_totals(node, &known_weight);
  Candidate candidate;
  if (known_weight <= 0) return candidate;

  std::vector<double> counts(static_cast<std::size_t>(classes));
  double after = 0;
  BranchInfo info;
  std::size_t large_branches = 0, branches = 0;
  bool too_small = false;
  const auto add_branch = [&](const Cell* bucket) {
    for (int k = 0; k < classes; ++k) counts[static_cast<std::size_t>(k)] = static_cast<double>(bucket[k]);
    const double weight = target.weight(bucket);
    // Limits on leaves speak of every branch that holds rows; C4.5's own limit of two branches.
    too_small |= target.rows(bucket) < node.limits.min_rows || weight < node.limits.min_weight;
    after += Criterion::loss(counts.data(), classes, weight);
    info.add(weight);
    large_branches += at_least(weight, node.rules.min_branch_weight, node.rules.arithmetic);
    ++branches;
  };
  for (std::size_t i = 0; i < buckets.size(); ++i) add_branch(buckets.bucket(i));
  if (own_branch && node.missing_rows > 0) add_branch(node.missing);
  if (branches < 2 || large_branches < 2 || too_small) return candidate;

  candidate.kind = NodeKind::kMultiway;
  info.add(node.summary.weight - known_weight);
  candidate.split_info = info.total();
  candidate.gain = Criterion::loss(totals, classes, known_weight) - after;
  return candidate;
}

template <class Criterion>
Candidate one_against_rest(const NodeColumn<Criterion>& node,
                           const CategoryBuckets<typename Criterion::Target>& buckets) {
  const auto& target = node.criterion.target;
  const auto classes = static_cast<std::size_t>(target.channels());
  double known = 0;
  const double* totals = compared_totals(node, &known);
  const double before = Criterion::loss(totals, target.channels(), known);

  Candidate best;
  std::vector<double> one(classes), rest(classes);
  double best_ratio = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto* bucket = buckets.bucket(i);
    const double weight = target.weight(bucket);
    const std::size_t rows = target.rows(bucket), known_rows = node.summary.rows - node.missing_rows;
    const double smallest = node.rules.min_branch_weight;
    if (!at_least(weight, smallest, node.rules.arithmetic) ||
        !at_least(known - weight, smallest, node.rules.arithmetic) || rows >= known_rows ||
        rows < node.limits.min_rows || known_rows - rows < node.limits.min_rows ||
        weight < node.limits.min_weight || known - weight < node.limits.min_weight) {
      continue;
    }
    for (std::size_t k = 0; k < classes; ++k) {
      one[k] = static_cast<double>(bucket[k]);
      rest[k] = totals[k] - one[k];
    }
    Candidate candidate;
    candidate.kind = NodeKind::kSubset;
    candidate.one = buckets.codes[i];
    candidate.left_weight = weight;
    candidate.gain = before - Criterion::loss(one.data(), target.channels(), weight) -
                     Criterion::loss(rest.data(), target.channels(), known - weight);
    BranchInfo info;
    info.add(weight);
    info.add(known - weight);
    info.add(node.summary.weight - known);
    candidate.split_info = info.total();
    const double ratio = candidate.split_info > kTolerance ? candidate.gain / candidate.split_info : 0;
    // The first declared category is taken whatever it is worth.
    if (candidate.one != 1 && !(ratio > best_ratio + kTolerance)) continue;
    best_ratio = ratio;
    best = std::move(candidate);
  }
  return best;
}

}  // namespace treewright
