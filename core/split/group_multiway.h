// Multiway grouping: one branch per category (ID3, C4.5).
#pragma once

#include <cstddef>
#include <vector>

#include "split/category_buckets.h"
#include "split/group_best.h"
#include "split/split_info.h"

namespace treewright {

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

}  // namespace treewright
