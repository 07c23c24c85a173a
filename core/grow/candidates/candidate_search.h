// Asks the engine's search about one node, feature by feature, and works out what each test would give.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "criterion/criterion.h"
#include "grow/candidate_arrays.h"
#include "grow/candidates/candidates.h"
#include "grow/candidates/cut_curve.h"
#include "grow/choice.h"
#include "grow/column_rows.h"
#include "grow/feature_draw.h"
#include "grow/node_rules.h"
#include "grow/node_split.h"
#include "grow/open_node.h"
#include "grow/partition.h"
#include "grow/search_result.h"
#include "tree/builder.h"

namespace treewright {

// BranchRows: the rows that a test sends down one branch, as sums where the loss is a function of sums and as
// a list of samples elsewhere.
template <class Criterion>
class BranchRows {
 public:
  using Sample = typename Criterion::Sample;

  explicit BranchRows(const Criterion& criterion) : criterion_(&criterion) {
    if constexpr (HasLossOfTotals<Criterion>) {
      sums_.totals.assign(static_cast<std::size_t>(criterion.outputs()), 0.0);
    }
  }

  void add(const Sample& sample) {
    if constexpr (HasLossOfTotals<Criterion>) {
      ++sums_.rows;
      sums_.totals[sample.label] += sample.weight();
    } else {
      samples_.push_back(sample);
    }
  }

  // All rows of another branch.
  void add(const BranchRows& other) {
    if constexpr (HasLossOfTotals<Criterion>) {
      sums_.rows += other.sums_.rows;
      for (std::size_t k = 0; k < sums_.totals.size(); ++k) sums_.totals[k] += other.sums_.totals[k];
    } else {
      samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
    }
  }

  Summary summarise() {
    if constexpr (!HasLossOfTotals<Criterion>) {
      return criterion_->summarise(samples_.data(), samples_.size());
    } else {
      Summary summary = sums_;
      int present = 0;
      for (const double total : summary.totals) {
        summary.weight += total;
        present += total > 0;
      }
      summary.pure = present <= 1;
      if (!summary.pure) {
        summary.loss = Criterion::loss(summary.totals.data(), criterion_->outputs(), summary.weight);
      }
      return summary;
    }
  }

 private:
  const Criterion* criterion_;
  Summary sums_;
  std::vector<Sample> samples_;
};

// A summary in the words of a report.
template <class Criterion>
BranchFacts branch_facts(const Criterion& criterion, const Summary& summary) {
  BranchFacts facts{summary.rows, summary.weight, summary.loss, {}};
  if constexpr (HasLossOfTotals<Criterion>) {
    facts.amounts = summary.totals;
  } else {
    facts.amounts.assign(1, 0.0);
    if (summary.rows > 0) criterion.value(summary, facts.amounts.data());
  }
  return facts;
}

// Reports ask for one node at a time, so that bytes count for more here than time: what is marked as cold is
// compiled for size, and what it shares with growing trees is not.
template <class Criterion, class Scan>
class CandidateSearch {
 public:
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;

  CandidateSearch(const Dataset& data, const GrowPlan& plan, const Criterion& criterion,
                  const NodeQuery& query, RowList<Sample>& bag, Team& team)
      : data_(data),
        plan_(plan),
        criterion_(criterion),
        query_(query),
        team_(team),
        columns_(data, criterion, plan),
        rules_(plan, query.total_weight) {
    node_.rows = bag.rows.data();
    node_.samples = bag.samples.data();
    node_.size = bag.rows.size();
    node_.summary = criterion_.summarise(node_.samples, node_.size);
  }

  [[gnu::cold]] NodeCandidates run() {
    NodeCandidates found;
    found.node = branch_facts(criterion_, node_.summary);
    found.may_split = rules_.may_split(-1, node_.summary);
    found.features.resize(query_.features.size());
    std::vector<ColumnScratch<Criterion>> scratch(static_cast<std::size_t>(team_.size()) + 1);
    constexpr std::size_t kStepsPerRow = 16;
    team_.parallel_for(query_.features.size(), kStepsPerRow * node_.size * query_.features.size(),
                       [&](std::size_t i, int worker) {
                         found.features[i] =
                             look_at(query_.features[i], scratch[static_cast<std::size_t>(worker)]);
                       });
    choose(found, mark_drawn(found.features));
    return found;
  }

 private:
  [[gnu::cold]] FeatureFacts look_at(FeatureId feature, ColumnScratch<Criterion>& scratch) const {
    const Column& column = data_.column(feature);
    Limits limits = rules_.limits(node_.summary, query_.bounds);
    limits.monotone = rules_.monotone(feature);
    FeatureFacts facts;
    facts.best = columns_.best(node_, feature, limits, scratch);
    facts.best.feature = feature;
    std::vector<Code> seen;
    if (!facts.best.valid() || column.kind == ColumnKind::kNominal) seen = codes_seen(column, node_);
    facts.n_values = seen.size();
    if (facts.best.valid()) describe(column, seen, facts);
    if (query_.cuts) facts.curve = curve(column, limits, scratch);
    return facts;
  }

  [[gnu::cold]] CutCurve curve(const Column& column, const Limits& limits,
                               ColumnScratch<Criterion>& scratch) const {
    const bool is_nominal = column.kind == ColumnKind::kNominal;
    if (is_nominal && plan_.categories != CategoryGrouping::kSubset) return {};
    const auto rows = columns_.sorted(column, node_, scratch);
    const std::size_t n_missing = rows.count_missing();
    std::vector<Cell> missing(static_cast<std::size_t>(criterion_.target.stride()), Cell{});
    for (std::size_t i = 0; i < n_missing; ++i) {
      criterion_.target.add(missing.data(), rows.samples[position_of(rows.keys[i])]);
    }
    const NodeColumn<Criterion> node{criterion_,
                                     plan_,
                                     node_.summary,
                                     column,
                                     limits,
                                     missing.data(),
                                     n_missing,
                                     scratch.search.scan,
                                     scratch.search.known};
    if (is_nominal) return category_curve(node, rows, scratch.search.categories);
    return CurveWriter<Criterion, Scan>(node, plan_.cut)
        .write(SortedSource<std::uint64_t, Sample>{rows, n_missing});
  }

  // Along the order in which the search tries the categories.
  [[gnu::cold]] CutCurve category_curve(const NodeColumn<Criterion>& node,
                                        const SortedRows<std::uint64_t, Sample>& rows,
                                        CategoryBuckets<typename Criterion::Target>& all) const {
    using Target = typename Criterion::Target;
    all.fill(criterion_.target, rows);
    CurveWriter<Criterion, Scan> writer(node, plan_.cut);
    PooledCategories<Target> pooled;
    const CategoryBuckets<Target>* buckets = &all;
    std::vector<std::size_t> order;
    CutCurve found;
    if constexpr (Criterion::kOrdered) {
      const MedianOrder<Criterion> by_median(node, rows, all);
      order = by_median.order;
      found = writer.write(SortedSource<std::uint64_t, Sample>{by_median.rows(), node.missing_rows});
    } else {
      if (pooled.pool(all, static_cast<std::size_t>(std::max<std::int64_t>(plan_.min_category_rows, 1)))) {
        buckets = &pooled.buckets();
      }
      CategoryOrder by_mean;
      order_categories(*buckets, node.summary.totals, by_mean);
      order = std::move(by_mean.places);
      found = writer.write(OrderedSource<Target>{*buckets, order});
    }
    for (const std::size_t i : order) {
      const Code code = buckets->codes[i];
      found.order.push_back(code <= node.column.n_codes ? code : 0);
    }
    return found;
  }

  // What the test does to the rows.
  [[gnu::cold]] void describe(const Column& column, std::span<const Code> seen, FeatureFacts& facts) const {
    NodeSplit test(facts.best, column, plan_);
    if (test.is_sparse()) test.set_branches(column, plan_.missing, seen);
    std::uint32_t larger = 0;
    if (test.kind() != NodeKind::kMultiway && plan_.missing != MissingRule::kFractional) {
      const BranchSizes sizes = count_known(column, node_, test);
      larger = sizes.left > sizes.right ? 0 : 1;
      const bool by_rows = plan_.missing == MissingRule::kLearned;
      if (!test.missing_known()) {
        test.set_missing(by_rows ? larger : (sizes.left_weight > sizes.right_weight ? 0 : 1));
      }
    }
    facts.n_children = test.n_children();
    facts.missing = test.missing();
    if (test.kind() == NodeKind::kThreshold) {
      facts.threshold = threshold_of(column, plan_.cut, facts.best.cut, facts.best.next, plan_.arithmetic);
    } else {
      facts.code_branches.assign(column.n_codes, kStopHere);
      for (const Code code : seen) facts.code_branches[code - 1] = test.branch(code);
      TreeBuilder builder(1);
      test.write(builder, 0, facts.best.one != 0 ? 1 : larger, seen);
      facts.table = std::move(builder.tree().tables);
    }
    std::vector<BranchRows<Criterion>> branches(test.n_children(), BranchRows<Criterion>(criterion_));
    std::vector<Sample> missing;
    const BranchLookup branch(test, column.n_codes, node_.size);
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t i = 0; i < node_.size; ++i) {
        const Code code = codes[node_.rows[i]];
        const std::uint32_t b = code == kMissing ? kStopHere : branch(code);
        if (b < branches.size()) {
          branches[b].add(node_.samples[i]);
        } else {
          missing.push_back(node_.samples[i]);
        }
      }
    });
    measure(test.missing(), branches, missing, facts);
  }

  [[gnu::cold]] void measure(std::uint32_t missing_branch, std::vector<BranchRows<Criterion>>& branches,
                             const std::vector<Sample>& missing, FeatureFacts& facts) const {
    const bool compared = plan_.missing == MissingRule::kLearned || plan_.missing == MissingRule::kOwnBranch;
    const bool joined = compared && missing_branch < branches.size();
    if (joined) {
      for (const Sample& sample : missing) branches[missing_branch].add(sample);
    }
    double after = 0;
    for (BranchRows<Criterion>& branch : branches) {
      facts.branches.push_back(branch_facts(criterion_, branch.summarise()));
      after += facts.branches.back().loss;
    }
    facts.known = branch_facts(criterion_, node_.summary);
    if (!joined && !missing.empty()) {
      BranchRows<Criterion> known(criterion_);
      for (const BranchRows<Criterion>& branch : branches) known.add(branch);
      facts.known = branch_facts(criterion_, known.summarise());
      after = share_missing(missing_branch, branches, missing, facts);
    }
    facts.decrease = std::max(node_.summary.loss - after, 0.0);
  }

  // The losses of the children when the rows without a value have joined them.
  [[gnu::cold]] double share_missing(std::uint32_t missing_branch,
                                     std::vector<BranchRows<Criterion>>& branches,
                                     const std::vector<Sample>& missing, const FeatureFacts& facts) const {
    double after = 0;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      const double weight = facts.branches[b].weight;
      const bool shared = missing_branch == kEveryBranch && weight > 0;
      if (shared || missing_branch == b) {
        for (Sample sample : missing) {
          if constexpr (requires { sample.amount; }) {
            if (shared)
              sample.amount = share_of(sample.amount, weight / facts.known.weight, plan_.arithmetic);
          }
          branches[b].add(sample);
        }
      }
      after += branches[b].summarise().loss;
    }
    return after;
  }

  // The features that were asked for, by their places, in the order in which the node compares them. Columns
  // beyond the drawn ones are looked at only until one offers a test.
  [[gnu::cold]] std::vector<std::size_t> mark_drawn(std::vector<FeatureFacts>& features) const {
    const FeatureDraw feature_draw(data_.n_features(), plan_);
    std::uint64_t key = 0;
    for (const std::uint32_t branch : query_.path) key = child_key(key, branch);
    std::vector<FeatureId> order;
    feature_draw.draw(key, order);
    std::vector<std::size_t> place_of(order.size(), features.size()), places;
    for (std::size_t i = 0; i < features.size(); ++i) {
      place_of[static_cast<std::size_t>(features[i].best.feature)] = i;
    }
    bool found = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t place = place_of[static_cast<std::size_t>(order[i])];
      if (place == features.size()) continue;
      places.push_back(place);
      FeatureFacts& facts = features[place];
      facts.drawn = i < feature_draw.per_node() || !found;
      found = found || (facts.drawn && facts.best.valid());
    }
    return places;
  }

  [[gnu::cold]] void choose(NodeCandidates& found, const std::vector<std::size_t>& places) const {
    std::vector<Candidate> candidates(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const FeatureFacts& facts = found.features[places[i]];
      if (facts.drawn) candidates[i] = facts.best;
      candidates[i].feature = facts.best.feature;
    }
    const Choice choice(data_, plan_);
    if (choice.filters()) found.average_gain = choice.average(candidates);
    const std::size_t winner = choice.winner(node_.summary, candidates);
    found.winner = winner == kNoCandidate ? kNoCandidate : places[winner];
    for (const std::size_t i : RunnerUps(plan_, node_.size)
                                   .order(candidates, winner, choice.tie(node_.summary), candidates.size())) {
      found.next.push_back(places[i]);
    }
    if (found.winner != kNoCandidate) found.memory = memory(found, choice.filters());
    found.eligible.resize(found.features.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      found.eligible[places[i]] = !choice.filters() || candidates[i].mean_gain >= found.average_gain - kSlack;
    }
    found.accepted =
        found.winner != kNoCandidate && rules_.accepts(found.features[found.winner].best, node_.summary);
  }

  // As a growing tree would remember the tests, all of them.
  [[gnu::cold]] Tree memory(const NodeCandidates& candidates, bool filters) const {
    SearchResult result(candidates.features[candidates.winner].best);
    for (const std::size_t i : candidates.next) result.next.push_back(candidates.features[i].best);
    if (filters) result.least_gain = candidates.average_gain;
    TreeBuilder builder(1);
    append_candidates(builder, 0, result, node_.summary.weight, data_, plan_,
                      [this](const Column& column) { return codes_seen(column, node_); });
    return builder.finish();
  }

  const Dataset& data_;
  const GrowPlan& plan_;
  const Criterion& criterion_;
  const NodeQuery& query_;
  Team& team_;
  ColumnRows<Criterion, Scan> columns_;
  NodeRules rules_;
  OpenNode<Sample> node_;
};

}  // namespace treewright
