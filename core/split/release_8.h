// The tests of C4.5 Release 8 (Quinlan 1993, 1996) in the program's own single-precision arithmetic: numeric
// cuts that pay for their number, one branch per category, and groups of categories (option -s).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "criterion/single_precision.h"
#include "split/candidate.h"
#include "split/category_buckets.h"
#include "split/group_ordered.h"

namespace treewright {

// Of a bucket or of totals: one amount per class.
template <class Criterion, class Amount>
SingleInfo class_info(const Criterion& criterion, const Amount* amounts) {
  SingleInfo info;
  for (int k = 0; k < criterion.target.channels(); ++k) {
    if (amounts[k] > 0) info.add(static_cast<double>(amounts[k]));
  }
  return info;
}

// Mean information of the known rows before a test of categories. The program rounds this one only once.
template <class Criterion>
float known_info(const Criterion& criterion, const double* totals, double weight) {
  const auto known = static_cast<double>(static_cast<float>(weight));
  double sum = 0;
  for (int k = 0; k < criterion.target.channels(); ++k) {
    sum += x_log2_x(static_cast<double>(static_cast<float>(totals[k])));
  }
  return static_cast<float>((x_log2_x(known) - sum) / known);
}

// Gain and split info per unit of weight. A test that tells (almost) nothing apart competes for nothing.
template <class Criterion>
void set_worth(Candidate& candidate, float gain, float split_info, const NodeColumn<Criterion>& node) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  candidate.mean_gain = gain;
  candidate.gain = static_cast<double>(gain) * node.summary.weight;
  candidate.split_info = static_cast<double>(split_info) * node.summary.weight;
  if (node.rules.ranking == Ranking::kGain) {
    candidate.rank = split_info > 0 ? gain : kNever;
  } else {
    candidate.rank = split_info > kSlack ? gain / split_info : kNever;
  }
}

// Groups of categories, C4.5's option -s: every category starts as a group of its own; the pair whose union
// is worth most is merged, again and again, as long as the gain ratio rises.
template <class Criterion>
class GroupMerger {
 public:
  using Buckets = CategoryBuckets<typename Criterion::Target>;

  GroupMerger(const NodeColumn<Criterion>& node, const Buckets& buckets)
      : node_(node),
        classes_(static_cast<std::size_t>(node.criterion.target.channels())),
        by_ratio_(node.rules.ranking == Ranking::kGainRatio) {
    const double* totals = compared_totals(node, &known_);
    cases_ = node.summary.weight;
    if (!(known_ >= kSlack)) return;
    base_ = known_info(node.criterion, totals, known_);
    unknown_phi_ = x_log2_x(cases_ - known_);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      Group group;
      for (std::size_t k = 0; k < classes_; ++k) {
        group.counts.push_back(static_cast<double>(buckets.bucket(i)[k]));
      }
      measure(group);
      group.codes.push_back(buckets.codes[i]);
      groups_.push_back(std::move(group));
    }
  }

  Candidate merge() {
    Candidate best;
    if (groups_.empty()) return best;
    Worth worth = evaluate_groups(1.0);
    // Categories that (almost) no row has wait apart.
    std::erase_if(groups_, [](const Group& group) { return group.weight <= 0.5; });
    if (merge_pure()) worth = evaluate_groups(1.0);
    after_ = split_phi_ = 0;
    for (const Group& group : groups_) {
      after_ += group.info;
      split_phi_ += group.phi;
    }
    const float least_gain = worth.gain / 2;
    while (groups_.size() > 2) {
      if (node_.criterion.stop != nullptr) node_.criterion.stop->throw_if_requested();
      const std::size_t reasonable = large(node_.rules.min_branch_weight);
      const Pair pair = best_pair(least_gain, reasonable);
      if (by_ratio_ && reasonable >= 2 && (!pair.found || pair.worth.value < worth.value + 1e-5F)) break;
      if (!pair.found) break;
      unite(pair.first, pair.second);
      worth = pair.worth;
    }
    if (!(worth.value > 0)) return best;
    const Worth final = evaluate_groups(node_.rules.min_branch_weight);
    if (final.gain <= -kSlack) return best;
    best.kind = NodeKind::kMultiway;
    best.groups.assign(node_.column.n_codes, static_cast<std::uint32_t>(groups_.size()));
    std::size_t placed = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (const Code code : groups_[g].codes) best.groups[code - 1] = static_cast<std::uint32_t>(g);
      placed += groups_[g].codes.size();
    }
    best.n_groups = static_cast<std::uint32_t>(groups_.size() + (placed < node_.column.n_codes ? 1 : 0));
    set_worth(best, final.gain, final.split_info, node_);
    return best;
  }

 private:
  struct Group {
    std::vector<double> counts;
    std::vector<Code> codes;
    double weight = 0, phi = 0;
    float info = 0;
  };
  struct Worth {
    float gain, split_info, value;
  };
  struct Pair {
    std::size_t first = 0, second = 0;
    Worth worth{-std::numeric_limits<float>::infinity(), 0, 0};
    bool found = false;
  };

  void measure(Group& group) const {
    group.weight = 0;
    for (const double count : group.counts) group.weight += count;
    group.phi = x_log2_x(group.weight);
    group.info = class_info(node_.criterion, group.counts.data()).total();
  }

  std::size_t large(double minimum) const {
    return static_cast<std::size_t>(std::count_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return at_least(group.weight, minimum, Arithmetic::kSingle);
    }));
  }

  // Of a partition with this information in its branches and in the sizes of its branches.
  Worth evaluate(float after, float split_info, std::size_t large_branches) const {
    constexpr auto kNothing = static_cast<float>(-kSlack);
    const auto cases = static_cast<float>(cases_), known = static_cast<float>(known_);
    const auto unknown_rate = static_cast<float>((cases_ - known_) / cases);
    Worth worth{};
    worth.gain = large_branches < 2 ? kNothing : single_gain(unknown_rate, base_, after, known);
    worth.split_info = split_info / cases;
    if (by_ratio_) {
      worth.value = worth.gain >= 0 && worth.split_info > kSlack ? worth.gain / worth.split_info : kNothing;
    } else {
      worth.value = worth.split_info > 0 && worth.gain > kNothing ? worth.gain : kNothing;
    }
    return worth;
  }

  Worth evaluate_groups(double minimum) const {
    float after = 0;
    SingleInfo split;
    split.add(cases_ - known_);
    for (const Group& group : groups_) {
      after += group.info;
      split.add(group.weight, group.phi);
    }
    return evaluate(after, split.total(), large(minimum));
  }

  // Of the partition in which two groups have become one; from sums over all groups, not group by group.
  Worth evaluate_union(const Group& a, const Group& b, const Group& both, std::size_t large_branches) const {
    const double after = after_ - a.info - b.info + both.info;
    const double split_phi = split_phi_ - a.phi - b.phi + both.phi;
    return evaluate(static_cast<float>(after),
                    static_cast<float>(x_log2_x(cases_) - unknown_phi_ - split_phi), large_branches);
  }

  // Groups of one and the same class belong together from the start.
  bool merge_pure() {
    constexpr double kTrace = 0.1;
    bool merged = false;
    for (std::size_t p = 0; p + 1 < groups_.size(); ++p) {
      std::size_t dominant = 0;
      while (dominant < classes_ && groups_[p].counts[dominant] < kTrace) ++dominant;
      if (dominant == classes_ || groups_[p].counts[dominant] < groups_[p].weight - kTrace) continue;
      for (std::size_t q = p + 1; q < groups_.size();) {
        if (groups_[q].counts[dominant] < groups_[q].weight - kTrace) {
          ++q;
          continue;
        }
        unite(p, q);  // another group stands at q now
        merged = true;
      }
    }
    return merged;
  }

  Pair best_pair(float least_gain, std::size_t reasonable) {
    // While few groups are large, the largest may not swallow others.
    std::size_t barred = groups_.size();
    if (reasonable < 3) {
      barred = 0;
      for (std::size_t g = 1; g < groups_.size(); ++g) {
        if (groups_[g].weight > groups_[barred].weight) barred = g;
      }
    }
    const std::size_t of_one_row = large(1.0);
    Pair best;
    scratch_.counts.resize(classes_);
    for (std::size_t p = 0; p < groups_.size(); ++p) {
      if (p == barred) continue;
      for (std::size_t q = p + 1; q < groups_.size(); ++q) {
        if (q == barred) continue;
        const Group &a = groups_[p], &b = groups_[q];
        for (std::size_t k = 0; k < classes_; ++k) scratch_.counts[k] = a.counts[k] + b.counts[k];
        measure(scratch_);
        const auto is_large = [](double weight) { return at_least(weight, 1.0, Arithmetic::kSingle); };
        const std::size_t large_branches =
            of_one_row - is_large(a.weight) - is_large(b.weight) + is_large(scratch_.weight);
        const Worth worth = evaluate_union(a, b, scratch_, large_branches);
        const bool gains_enough = worth.gain >= least_gain && best.worth.gain < least_gain;
        const bool any_will_do = !best.found && (!by_ratio_ || reasonable < 2);
        if (gains_enough || worth.value >= best.worth.value || any_will_do) best = {p, q, worth, true};
      }
    }
    return best;
  }

  // The second group joins the first; the last one takes its place.
  void unite(std::size_t first, std::size_t second) {
    Group &to = groups_[first], &from = groups_[second];
    after_ -= static_cast<double>(to.info) + static_cast<double>(from.info);
    split_phi_ -= to.phi + from.phi;
    for (std::size_t k = 0; k < classes_; ++k) to.counts[k] += from.counts[k];
    to.codes.insert(to.codes.end(), from.codes.begin(), from.codes.end());
    measure(to);
    after_ += to.info;
    split_phi_ += to.phi;
    if (second + 1 < groups_.size()) from = std::move(groups_.back());
    groups_.pop_back();
  }

  const NodeColumn<Criterion>& node_;
  std::size_t classes_;
  bool by_ratio_;
  double known_ = 0, cases_ = 0, unknown_phi_ = 0;
  float base_ = 0;
  std::vector<Group> groups_;
  double after_ = 0, split_phi_ = 0;  // sums over all groups, kept up while pairs are merged
  Group scratch_;
};

template <class Criterion>
Candidate release_8_merged(const NodeColumn<Criterion>& node,
                           const CategoryBuckets<typename Criterion::Target>& buckets) {
  return GroupMerger<Criterion>(node, buckets).merge();
}

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
