// The tests of C4.5 Release 8 (Quinlan 1993, 1996) in the program's own single-precision arithmetic: numeric
// cuts that pay for their number, one branch per category, and groups of categories (release_8_merged.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "criterion/single_precision.h"
#include "split/category_buckets.h"
#include "split/group_best.h"
#include "split/release_8_merged.h"
#include "split/release_8_worth.h"

namespace treewright {

// The smaller side of a cut must hold a tenth of the average class, but at least m and at most 25.
inline float release_8_smallest_side(const SplitRules& rules, float known) {
  const auto share = static_cast<float>(0.10 * known / static_cast<double>(rules.declared_classes));
  if (share <= rules.min_branch_weight) return static_cast<float>(rules.min_branch_weight);
  return std::min(share, 25.0F);
}

template <class Criterion, class Source>
Candidate release_8_threshold(const NodeColumn<Criterion>& node, const Source& source) {
  struct Cut {
    float gain;
    Code code, next;
    double low;
  };
  Candidate best;
  double known_weight = 0;
  const double* totals = compared_totals(node, &known_weight);
  const auto known = static_cast<float>(known_weight), cases = static_cast<float>(node.summary.weight);
  const float smallest = release_8_smallest_side(node.rules, known);
  if (known < 2 * static_cast<float>(node.rules.min_branch_weight)) return best;

  SingleScan<Criterion::Target::kIsWeighted> scan(node.criterion, totals, known_weight, node.buffer);
  const float base = scan.info_before() / known;
  const auto unknown_rate = static_cast<float>(1.0 - known / static_cast<double>(cases));

  // Cuts that gain more than all before them: one of these wins, whatever is subtracted from all alike.
  std::vector<Cut> records;
  std::size_t tries = 0;
  const std::size_t known_rows = node.summary.rows - node.missing_rows;
  const bool has_values = node.column.kind == ColumnKind::kNumeric;
  auto cursor = source.cursor();
  while (!cursor.one_left()) {
    cursor.advance(scan);
    const auto low = static_cast<float>(scan.left_weight());
    if (low < smallest) continue;
    if (low > known - smallest) break;
    if (!admissible(scan, cursor.rows(), known_rows, node.limits)) continue;
    if (has_values) {
      const auto below = static_cast<float>(node.column.highest(cursor.code()));
      const auto above = static_cast<float>(node.column.lowest(cursor.next_code()));
      if (!(below < static_cast<double>(above) - node.rules.min_value_gap)) continue;
    }
    ++tries;
    const float gain = single_gain(unknown_rate, base, scan.info_after(), known);
    if (records.empty() || gain > records.back().gain) {
      records.push_back({gain, cursor.code(), cursor.next_code(), scan.left_weight()});
    }
  }
  best.tries = tries;
  if (records.empty()) return best;
  const auto cost = static_cast<float>(std::log2(static_cast<double>(tries)) / cases);
  const float value = records.back().gain - cost;
  if (!(value > 0)) return best;
  const Cut& cut = *std::find_if(records.begin(), records.end(),
                                 [&](const Cut& record) { return record.gain - cost == value; });
  best.kind = NodeKind::kThreshold;
  best.cut = cut.code;
  best.next = cut.next;
  best.left_weight = cut.low;
  best.compared_weight = known_weight;
  SingleInfo info;
  info.add(static_cast<double>(cases - known));
  info.add(cut.low);
  info.add(static_cast<double>(known - static_cast<float>(cut.low)));
  set_worth(best, value, info.total() / cases, node);
  return best;
}

template <class Criterion>
Candidate release_8_multiway(const NodeColumn<Criterion>& node,
                             const CategoryBuckets<typename Criterion::Target>& buckets) {
  const auto& target = node.criterion.target;
  Candidate candidate;
  double known_weight = 0;
  const double* totals = compared_totals(node, &known_weight);
  const auto known = static_cast<float>(known_weight), cases = static_cast<float>(node.summary.weight);
  if (!(known > 0)) return candidate;

  float after = 0;
  SingleInfo split;
  split.add(node.summary.weight - known_weight);
  std::size_t large_branches = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto* bucket = buckets.bucket(i);
    const double weight = target.weight(bucket);
    if (target.rows(bucket) < node.limits.min_rows || weight < node.limits.min_weight) return candidate;
    large_branches += at_least(weight, node.rules.min_branch_weight, Arithmetic::kSingle);
    after += class_info(node.criterion, bucket).total();
    split.add(weight);
  }
  if (large_branches < 2) return candidate;
  const float base = known_info(node.criterion, totals, known_weight);
  const auto unknown_rate = static_cast<float>((node.summary.weight - known_weight) / cases);
  candidate.kind = NodeKind::kMultiway;
  set_worth(candidate, single_gain(unknown_rate, base, after, known), split.total() / cases, node);
  return candidate;
}

template <class Criterion>
Candidate release_8_categories(const NodeColumn<Criterion>& node,
                               const CategoryBuckets<typename Criterion::Target>& buckets) {
  const bool merged = node.rules.categories == CategoryGrouping::kMerged && node.column.n_codes > 2;
  return merged ? release_8_merged(node, buckets) : release_8_multiway(node, buckets);
}

}  // namespace treewright
