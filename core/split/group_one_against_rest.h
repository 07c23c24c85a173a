// One category against all the others (J48 -B): the categories of a column compete by gain ratio.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "split/category_buckets.h"
#include "split/group_best.h"
#include "split/split_info.h"

namespace treewright {

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
