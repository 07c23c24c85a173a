// One column at one node, searched in both ways in which the engine reads it, and by trying everything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "split/column_search.h"
#include "split_data.h"

namespace treewright::test {

template <class Criterion>
struct ColumnCase {
  using Sample = typename Criterion::Sample;

  Criterion criterion;
  Column column;
  std::vector<Code> codes;  // by row
  std::vector<Sample> samples;
  SplitRules rules;
  Limits limits;

  Summary summary() { return criterion.summarise(samples.data(), samples.size()); }

  template <class Scan>
  Candidate from_rows() {
    const Summary all = summary();  // first: it may give the samples their ranks
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      keys.push_back(make_key<std::uint64_t>(codes[i], static_cast<std::uint32_t>(i)));
    }
    std::sort(keys.begin(), keys.end());
    SearchScratch<Criterion> scratch;
    const ColumnSearch<Criterion, Scan> search(criterion, rules);
    const SortedRows<std::uint64_t, Sample> rows{keys.data(), keys.size(), samples.data()};
    return search.search(column, rows, all, limits, scratch);
  }

  template <class Scan>
  Candidate from_table() {
    const auto stride = static_cast<std::size_t>(criterion.target.stride());
    std::vector<typename Criterion::Cell> cells((std::size_t{column.n_codes} + 1) * stride, 0);
    for (std::size_t i = 0; i < codes.size(); ++i)
      criterion.target.add(cells.data() + codes[i] * stride, samples[i]);
    SearchScratch<Criterion> scratch;
    const ColumnSearch<Criterion, Scan> search(criterion, rules);
    const Buckets<typename Criterion::Target> table{&criterion.target, cells.data(), column.n_codes};
    return search.search(column, table, summary(), limits, scratch);
  }

  // The gain of sending rows right, over the rows that the rule for missing values compares.
  // -infinity when a side is too small.
  double gain_of(const std::function<bool(Code)>& goes_right) const {
    std::vector<Sample> all, sides[2];
    double weights[2] = {0, 0};
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == kMissing && rules.missing != MissingRule::kLearned) continue;
      const bool right = goes_right(codes[i]);
      all.push_back(samples[i]);
      sides[right].push_back(samples[i]);
      weights[right] += samples[i].weight();
    }
    for (const bool right : {false, true}) {
      if (!may_be_leaf(criterion, sides[right]) || sides[right].size() < limits.min_rows ||
          weights[right] < limits.min_weight) {
        return -std::numeric_limits<double>::infinity();
      }
    }
    return loss_of(criterion, all) - loss_of(criterion, sides[0]) - loss_of(criterion, sides[1]);
  }

  // The gain of a candidate, from its own description.
  double gain_of(const Candidate& candidate) const {
    return gain_of([&](Code code) {
      if (code == kMissing) return candidate.missing == 1;
      if (candidate.kind == NodeKind::kThreshold) return code > candidate.cut;
      return std::binary_search(candidate.right.begin(), candidate.right.end(), code);
    });
  }

  std::vector<Code> present() const {
    std::vector<Code> codes_present(codes);
    std::sort(codes_present.begin(), codes_present.end());
    codes_present.erase(std::unique(codes_present.begin(), codes_present.end()), codes_present.end());
    std::erase(codes_present, kMissing);
    return codes_present;
  }

  // All cuts with missing rows on either side; a cut at the last code leaves the missing rows alone.
  double best_threshold_gain() const {
    double best = -std::numeric_limits<double>::infinity();
    for (const Code cut : present()) {
      for (const bool missing_right : {true, false}) {
        best =
            std::max(best, gain_of([&](Code code) { return code == kMissing ? missing_right : code > cut; }));
      }
    }
    return best;
  }

  // All subsets of the categories present.
  double best_subset_gain() const {
    const std::vector<Code> all = present();
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t mask = 0; mask < (std::size_t{1} << all.size()); ++mask) {
      std::vector<bool> right(std::size_t{column.n_codes} + 1, false);
      for (std::size_t i = 0; i < all.size(); ++i) right[all[i]] = ((mask >> i) & 1) != 0;
      for (const bool missing_right : {true, false}) {
        right[kMissing] = missing_right;
        best = std::max(best, gain_of([&](Code code) { return static_cast<bool>(right[code]); }));
      }
    }
    return best;
  }
};

template <class Criterion>
ColumnCase<Criterion> random_case(const Criterion& criterion, ColumnKind kind, Random& random, std::size_t n,
                                  Code n_codes, double missing, unsigned levels) {
  ColumnCase<Criterion> made{criterion, {}, random_codes(random, n, n_codes, missing), {}, {}, {}};
  made.column = make_column(kind, made.codes, n_codes);
  made.samples = random_rows(criterion, random, n, levels);
  return made;
}

}  // namespace treewright::test
