// SubtreeGrower: grows all below one small node from columns that are sorted once.
//
// Every feature keeps the subtree's rows in the order of its codes, as 32-bit entries (rank in the subtree <<
// 16 | position). A node is the same range [begin, end) in each of these lists; splitting it is a stable
// partition of the ranges. So no node sorts, gathers or hashes anything, and everything stays in the
// second-level cache. Binary splits and whole rows only; all features are looked at in every node.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/radix_sort.h"
#include "base/stop.h"
#include "data/dataset.h"
#include "grow/candidate_arrays.h"
#include "grow/feature_draw.h"
#include "grow/node_rules.h"
#include "grow/node_split.h"
#include "grow/open_node.h"
#include "grow/partition.h"
#include "grow/search_result.h"
#include "grow/tie_order.h"
#include "split/column_search.h"
#include "tree/builder.h"

namespace treewright {

template <class Criterion, class Scan>
class SubtreeGrower {
 public:
  using Sample = typename Criterion::Sample;
  using Entry = std::uint32_t;
  static constexpr std::size_t kMostRows = 65535;  // ranks and positions take 16 bits each

  // Whether trees of this plan have such subtrees.
  static bool serves(const GrowPlan& plan, bool draws_features) {
    const bool whole_rows = plan.missing == MissingRule::kLearned || plan.missing == MissingRule::kMajority;
    return !Criterion::kOrdered && whole_rows && !draws_features &&
           plan.categories == CategoryGrouping::kSubset && plan.ranking == Ranking::kGain &&
           plan.selection == Selection::kBest && plan.min_value_gap <= 0 && !plan.cut_penalty &&
           plan.arithmetic == Arithmetic::kExact;
  }

  SubtreeGrower(const Dataset& data, const Criterion& criterion, const GrowPlan& plan, const NodeRules& rules,
                const TieOrder& order)
      : data_(data),
        criterion_(criterion),
        plan_(plan),
        rules_(rules),
        order_(order),
        runner_ups_(plan, data.n_rows),
        search_(criterion, plan) {}

  // The subtree of `root`, whose node 0 stands for it.
  Tree grow(const OpenNode<Sample>& root, const StopFlag& stop) {
    rows_ = root.rows;
    samples_ = root.samples;
    size_ = root.size;
    side_.resize(size_);
    scratch_.resize(size_);
    sort_columns(stop);

    TreeBuilder builder(criterion_.outputs());
    builder.reserve(2 * size_);  // at most one leaf per row; what is not used is never touched
    rules_.record(builder.tree(), 0, criterion_, root.summary, root.bounds);
    stack_.clear();
    stack_.push_back({0, root.depth, root.key, 0, size_, root.bounds, root.summary});
    std::size_t steps = 0;
    constexpr std::size_t kStepsBetween = std::size_t{1} << 20;  // some milliseconds
    while (!stack_.empty()) {
      steps += (stack_.back().end - stack_.back().begin) * features_.size();
      if (steps >= kStepsBetween) {
        steps = 0;
        stop.throw_if_requested();
      }
      const Node node = std::move(stack_.back());
      stack_.pop_back();
      split(node, builder);
    }
    return builder.finish();
  }

 private:
  struct Node {
    NodeId id;
    std::int64_t depth;
    std::uint64_t key;
    std::size_t begin, end;
    ValueBounds bounds;
    Summary summary;
  };

  static Code rank_of(Entry entry) { return code_of(entry); }

  void sort_columns(const StopFlag& stop) {
    lists_.clear();
    features_.clear();
    first_list_.clear();
    keys_.resize(size_);
    other_keys_.resize(size_);
    for (const FeatureId feature : order_.columns()) {
      stop.throw_if_requested();
      first_list_.push_back(features_.size());
      append_list(feature);
    }
  }

  // Sorts one column and appends its list, unless the column is constant in the subtree.
  void append_list(FeatureId feature) {
    const Column& column = data_.column(feature);
    Code lowest = column.n_codes, highest = 0;
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t i = 0; i < size_; ++i) {
        const Code code = codes[rows_[i]];
        keys_[i] = make_key<std::uint64_t>(code, static_cast<std::uint32_t>(i));
        lowest = std::min(lowest, code);
        highest = std::max(highest, code);
      }
    });
    if (lowest == highest) return;
    constexpr int kLow = KeyLayout<std::uint64_t>::kPositionBits;
    // Only the bits in which the codes of the subtree differ need sorting.
    const int high = kLow + std::bit_width(lowest ^ highest);
    const std::uint64_t* sorted = radix_sort(keys_.data(), other_keys_.data(), size_, kLow, high);
    const std::size_t start = lists_.size();
    lists_.resize(start + size_);
    Code rank = code_of(sorted[0]) == kMissing ? 0 : 1;
    for (std::size_t i = 0; i < size_; ++i) {
      if (i > 0 && code_of(sorted[i]) != code_of(sorted[i - 1])) ++rank;
      lists_[start + i] = make_key<Entry>(rank, position_of(sorted[i]));
    }
    features_.push_back(feature);
  }

  Entry* list(std::size_t i) { return lists_.data() + i * size_; }

  void split(const Node& node, TreeBuilder& builder) {
    const bool keep = runner_ups_.kept_at(node.end - node.begin);
    Candidate best;
    const std::size_t winner = keep ? search_keeping(node, best) : search_all<false>(node, best);
    best.feature = features_.empty() ? kNoFeature : features_[winner];
    if (!rules_.accepts(best, node.summary)) return;
    if (keep) remember(node, builder);
    apply(node, winner, best, builder);
  }

  // A function of its own, so that the common case is compiled as if there were no other.
  [[gnu::noinline]] std::size_t search_keeping(const Node& node, Candidate& best) {
    return search_all<true>(node, best);
  }

  // Finds the best test of the node and returns the number of its list.
  template <bool kKeep>
  std::size_t search_all(const Node& node, Candidate& best) {
    Limits limits = rules_.limits(node.summary, node.bounds);
    const std::size_t n = features_.size(), first = n == 0 ? 0 : first_list_[order_.first(node.key)];
    std::size_t winner = 0;
    if constexpr (kKeep) offers_.clear();
    // Round from the first to the one before it.
    for (std::size_t left = n, i = first == n ? 0 : first; left > 0; --left, i = i + 1 == n ? 0 : i + 1) {
      const Entry* entries = list(i);
      if (rank_of(entries[node.begin]) == rank_of(entries[node.end - 1])) continue;  // constant here
      limits.monotone = rules_.monotone(features_[i]);
      if constexpr (!kKeep) {  // what no other column asks for need not be worked out
        if (plan_.ranking == Ranking::kGain) {
          limits.floor = std::max(limits.floor, best.rank);
          limits.to_beat = best.rank;
        }
      }
      const SortedRows<Entry, Sample> rows{entries + node.begin, node.end - node.begin, samples_};
      Candidate candidate =
          search_.search(data_.column(features_[i]), rows, node.summary, limits, search_scratch_);
      if (!candidate.valid()) continue;
      if constexpr (kKeep) {
        candidate.feature = static_cast<FeatureId>(i);
        runner_ups_.offer(candidate, limits.tie, offers_);
      }
      if (!(candidate.rank > best.rank + limits.tie)) continue;
      best = std::move(candidate);
      winner = i;
    }
    return winner;
  }

  // Writes the winner and the next best tests of the node into the tree.
  [[gnu::noinline]] void remember(const Node& node, TreeBuilder& builder) {
    constexpr double kAnyGain = -std::numeric_limits<double>::infinity();
    const CandidateContext context = candidate_context(node.id, node.summary.weight, kAnyGain, plan_);
    for (Candidate& offer : offers_) {
      put_codes(node, offer);
      double threshold = 0;
      if (offer.kind == NodeKind::kThreshold) {
        const Column& column = data_.column(offer.feature);
        threshold = threshold_of(column, plan_.cut, offer.cut, offer.next, plan_.arithmetic);
      }
      append_candidate(builder, context, offer, threshold, 2);
    }
  }

  // Codes of its column take the place of ranks in the subtree, the feature that of the list.
  void put_codes(const Node& node, Candidate& offer) {
    const auto i = static_cast<std::size_t>(offer.feature);
    const Entry* entries = list(i);
    offer.feature = features_[i];
    visit_codes(data_.column(offer.feature), [&](const auto* codes) {
      const auto code = [&](Code rank) -> Code {
        const Entry* at = std::partition_point(entries + node.begin, entries + node.end,
                                               [rank](Entry entry) { return rank_of(entry) < rank; });
        return codes[rows_[position_of(*at)]];
      };
      if (offer.kind == NodeKind::kThreshold) {
        offer.cut = code(offer.cut);
        if (offer.next != 0) offer.next = code(offer.next);
      }
      for (Code& right : offer.right) right = code(right);
    });
  }

  void apply(const Node& node, std::size_t winner, const Candidate& best, TreeBuilder& builder) {
    const Entry* entries = list(winner);
    const Column& column = data_.column(best.feature);
    seen_.clear();
    Candidate global = best;
    const Sides sides = choose_sides(node, entries, best, global, column);

    // Children's rows in the order of the winning column.
    children_[0].clear();
    children_[1].clear();
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::uint32_t position = position_of(entries[i]);
      children_[side_[position]].push_back(samples_[position]);
    }
    NodeSplit test(global, column, plan_);
    test.set_missing(sides.missing);
    const NodeId first = test.write(builder, node.id, sides.larger, seen_);
    sides.without_value.write(builder.tree(), node.id);

    bool open[2];
    Summary summaries[2];
    const std::size_t middle = node.begin + children_[0].size();
    double loss = node.summary.loss;
    for (std::uint32_t b : {0U, 1U}) {
      summaries[b] = criterion_.summarise(children_[b].data(), children_[b].size());
      loss -= summaries[b].loss;
      const ValueBounds bounds = rules_.bounds_of_child(node.bounds, best, b);
      rules_.record(builder.tree(), first + static_cast<NodeId>(b), criterion_, summaries[b], bounds);
      open[b] = rules_.may_split(node.depth + 1, summaries[b]);
    }
    builder.tree().gain[static_cast<std::size_t>(node.id)] = std::max(loss, 0.0);
    if (open[0] || open[1]) partition(node, middle, open);
    for (std::uint32_t b : {1U, 0U}) {
      if (!open[b]) continue;
      const ValueBounds bounds = rules_.bounds_of_child(node.bounds, best, b);
      stack_.push_back({first + static_cast<NodeId>(b), node.depth + 1, child_key(node.key, b),
                        b == 0 ? node.begin : middle, b == 0 ? middle : node.end, bounds,
                        std::move(summaries[b])});
    }
  }

  struct Sides {
    std::uint32_t missing;  // branch of missing values
    std::uint32_t larger;   // branch with more rows whose value is known
    MissingRows without_value;
  };

  // Marks the side of every row of the node and translates ranks of the subtree into codes of the column.
  Sides choose_sides(const Node& node, const Entry* entries, const Candidate& best, Candidate& global,
                     const Column& column) {
    const bool subset = best.kind == NodeKind::kSubset;
    // A sum of weights waits for the one before it, so they are summed only where they decide.
    const bool by_weight = !best.missing_known && plan_.missing != MissingRule::kLearned;
    std::size_t known = 0, known_right = 0;
    double weight[2] = {0, 0};
    global.right.clear();
    Code previous = 0;
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const Code rank = rank_of(entries[i]);
        const std::uint32_t position = position_of(entries[i]);
        if (rank == kMissing) continue;
        const bool right =
            subset ? std::binary_search(best.right.begin(), best.right.end(), rank) : rank > best.cut;
        side_[position] = right;
        ++known;
        known_right += right;
        if (by_weight) weight[right] += samples_[position].weight();
        if (rank == previous) continue;
        previous = rank;
        if (!subset && rank != best.cut && rank != best.next) continue;  // the code is seldom in the cache
        const Code code = codes[rows_[position]];
        if (subset) {
          seen_.push_back(code);
          if (right) global.right.push_back(code);
        } else if (rank == best.cut) {
          global.cut = code;
        } else if (rank == best.next) {
          global.next = code;
        }
      }
    });
    const std::uint32_t larger = known - known_right > known_right ? 0 : 1;
    std::uint32_t missing = best.missing;
    if (!best.missing_known) {
      missing = by_weight ? (weight[0] > weight[1] ? 0 : 1) : larger;
    }
    MissingRows without_value;
    for (std::size_t i = node.begin; i < node.end && rank_of(entries[i]) == kMissing; ++i) {
      side_[position_of(entries[i])] = static_cast<std::uint8_t>(missing);
      without_value.add(samples_[position_of(entries[i])].weight());
    }
    return {missing, larger, without_value};
  }

  // Keeps the order of each list; writes only what a child that will be split needs.
  void partition(const Node& node, std::size_t middle, const bool open[2]) {
    for (std::size_t i = 0; i < features_.size(); ++i) {
      Entry* entries = list(i);
      // A column that is constant here stays so below: its list is never read again in this branch.
      if (rank_of(entries[node.begin]) == rank_of(entries[node.end - 1])) continue;
      Entry* left = entries + node.begin;
      Entry* right = scratch_.data();
      for (std::size_t j = node.begin; j < node.end; ++j) {
        const Entry entry = entries[j];
        const bool to_right = side_[position_of(entry)] != 0;
        *left = entry;
        *right = entry;
        left += !to_right;
        right += to_right;
      }
      if (open[1]) std::copy(scratch_.data(), right, entries + middle);
    }
  }

  const Dataset& data_;
  const Criterion& criterion_;
  const GrowPlan& plan_;
  const NodeRules& rules_;
  const TieOrder& order_;
  RunnerUps runner_ups_;
  ColumnSearch<Criterion, Scan> search_;
  SearchScratch<Criterion> search_scratch_;

  const RowId* rows_ = nullptr;  // of the subtree, by position
  const Sample* samples_ = nullptr;
  std::size_t size_ = 0;
  std::vector<FeatureId> features_;      // those that vary in the subtree, in the order of the tree ...
  std::vector<std::size_t> first_list_;  // ... and which of them a node that begins at each place begins with
  std::vector<Entry> lists_;             // size_ entries for each of them
  std::vector<std::uint8_t> side_;       // branch of each position at the node that is split
  std::vector<Entry> scratch_;
  std::vector<std::uint64_t> keys_, other_keys_;
  std::vector<Sample> children_[2];
  std::vector<Code> seen_;
  std::vector<Candidate>
      offers_;  // the best tests of the node that is split; `feature` is the number of the list
  std::vector<Node> stack_;
};

}  // namespace treewright
