// The best test of one column at one node: picks the grouping that fits the column's kind and finishes the
// candidate.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "criterion/criterion.h"
#include "split/category_buckets.h"
#include "split/cursors.h"
#include "split/group_by_category.h"
#include "split/group_ordered.h"
#include "split/group_subset.h"
#include "split/many_categories.h"
#include "split/release_8.h"

namespace treewright {

// Scratch memory of one thread.
template <class Criterion>
struct SearchScratch {
  using Cell = typename Criterion::Cell;
  typename Criterion::ScanBuffer scan;
  std::vector<double> known;
  std::vector<Cell> missing;
  CategoryBuckets<typename Criterion::Target> categories;
  SubsetScratch<typename Criterion::Target> subsets;
};

template <class Criterion, class Scan>
class ColumnSearch {
 public:
  using Target = typename Criterion::Target;
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;

  ColumnSearch(const Criterion& criterion, const SplitRules& rules) : criterion_(criterion), rules_(rules) {}

  // From a dense table of buckets.
  Candidate search(const Column& column, const Buckets<Target>& table, const Summary& summary,
                   const Limits& limits, SearchScratch<Criterion>& scratch) const {
    NodeColumn<Criterion> node{
        criterion_,           rules_,       summary,      column, limits, table.bucket(kMissing),
        table.rows(kMissing), scratch.scan, scratch.known};
    if (column.kind == ColumnKind::kNominal) {
      scratch.categories.fill(table);
      return search_categories(node, scratch.categories, scratch.subsets);
    }
    return search_thresholds(node, BucketSource<Target>{table});
  }

  // From rows in the order of their codes.
  template <class Key>
  Candidate search(const Column& column, const SortedRows<Key, Sample>& rows, const Summary& summary,
                   const Limits& limits, SearchScratch<Criterion>& scratch) const {
    if (column.kind == ColumnKind::kNominal) {
      scratch.categories.fill(criterion_.target, rows);
      NodeColumn<Criterion> node{criterion_,
                                 rules_,
                                 summary,
                                 column,
                                 limits,
                                 scratch.categories.missing.data(),
                                 scratch.categories.missing_rows,
                                 scratch.scan,
                                 scratch.known};
      if constexpr (Criterion::kOrdered) {
        return priced(node, best_subset_by_rows<Scan>(node, rows, scratch.categories),
                      scratch.categories.size());
      } else {
        return search_categories(node, scratch.categories, scratch.subsets);
      }
    }
    const std::size_t n_missing = column.has_missing ? rows.count_missing() : 0;
    scratch.missing.assign(static_cast<std::size_t>(criterion_.target.stride()), Cell{});
    for (std::size_t i = 0; i < n_missing; ++i) {
      criterion_.target.add(scratch.missing.data(), rows.samples[position_of(rows.keys[i])]);
    }
    NodeColumn<Criterion> node{criterion_, rules_,       summary,      column, limits, scratch.missing.data(),
                               n_missing,  scratch.scan, scratch.known};
    return search_thresholds(node, SortedSource<Key, Sample>{rows, n_missing});
  }

 private:
  template <class Source>
  Candidate search_thresholds(const NodeColumn<Criterion>& node, const Source& source) const {
    if constexpr (IsInBits<Criterion>) {
      if (rules_.arithmetic == Arithmetic::kSingle) return release_8_threshold(node, source);
    }
    std::size_t tries = 0;
    const double gap = node.column.kind == ColumnKind::kNumeric ? rules_.min_value_gap : 0.0;
    Candidate best = best_grouping<Scan>(node, source, gap, &tries);
    best.tries = tries;
    if (!best.valid()) return best;
    if (rules_.cut_penalty) {
      // Choosing among `tries` cuts takes log2(tries) bits to write down (Quinlan 1996).
      best.gain -= std::log2(static_cast<double>(tries));
      const bool tolerant = rules_.arithmetic == Arithmetic::kTolerant;
      if (!(best.gain > (tolerant ? kTolerance * node.summary.weight : 0))) {
        Candidate none;
        none.tries = tries;
        return none;
      }
    }
    rank(node, best);
    return best;
  }

  Candidate search_categories(const NodeColumn<Criterion>& node, const CategoryBuckets<Target>& categories,
                              SubsetScratch<Target>& scratch) const {
    if constexpr (IsInBits<Criterion>) {
      if (rules_.arithmetic == Arithmetic::kSingle) return release_8_categories(node, categories);
      if (rules_.categories == CategoryGrouping::kOneAgainstRest) {
        return ranked(node, one_against_rest(node, categories));
      }
    }
    if constexpr (HasLossOfTotals<Criterion>) {
      if (rules_.categories == CategoryGrouping::kMultiway) return ranked(node, multiway(node, categories));
    }
    if (rules_.min_category_rows > 1) {
      PooledCategories<Target>& pooled = scratch.pooled;
      if (pooled.pool(categories, static_cast<std::size_t>(rules_.min_category_rows))) {
        Candidate best = search_subsets(node, pooled.buckets(), scratch);
        pooled.spell_out(best);
        return best;
      }
    }
    return search_subsets(node, categories, scratch);
  }

  Candidate search_subsets(const NodeColumn<Criterion>& node, const CategoryBuckets<Target>& categories,
                           SubsetScratch<Target>& scratch) const {
    const double price = price_of_categories(rules_, node.summary, categories.size());
    return priced(node, best_subset<Scan>(node, categories, price, scratch), categories.size());
  }

  Candidate priced(const NodeColumn<Criterion>& node, Candidate best, std::size_t n_categories) const {
    best.price = price_of_categories(rules_, node.summary, n_categories);
    return ranked(node, std::move(best));
  }

  Candidate ranked(const NodeColumn<Criterion>& node, Candidate best) const {
    rank(node, best);
    return best;
  }

  void rank(const NodeColumn<Criterion>& node, Candidate& best) const {
    best.rank = best.gain - best.price;
    best.mean_gain = best.gain / node.summary.weight;
    best.compared_weight = compared_weight(node);
    if (!best.valid() || rules_.ranking == Ranking::kGain) return;
    if (best.kind != NodeKind::kMultiway) {
      const double known = best.compared_weight;
      BranchInfo info;
      info.add(node.summary.weight - known);
      info.add(best.left_weight);
      info.add(known - best.left_weight);
      best.split_info = info.total();
    }
    // Nothing is divided by (almost) nothing.
    const bool tolerant = rules_.arithmetic == Arithmetic::kTolerant;
    const bool divisible = best.split_info > (tolerant ? kTolerance : 0.0);
    best.rank = divisible ? best.gain / best.split_info : -std::numeric_limits<double>::infinity();
  }

  const Criterion& criterion_;
  const SplitRules& rules_;
};

}  // namespace treewright
