// Columns, rows and losses for the tests of splitting and growing. Every loss is written down as in its
// definition, in O(rows) per call, so that it shares nothing with the scans that it checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "criterion/criteria.h"
#include "data/column.h"

namespace treewright::test {

inline bool near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

// The value of a numeric code is the code itself unless values are given.
inline Column make_column(ColumnKind kind, const std::vector<Code>& codes, Code n_codes,
                          std::vector<double> values = {}) {
  Column column;
  column.kind = kind;
  write_codes(&column, codes.size(), n_codes, StopFlag{}, [&](std::size_t row) { return codes[row]; });
  if (kind != ColumnKind::kNumeric) return column;
  if (values.empty()) {
    for (Code code = 1; code <= n_codes; ++code) values.push_back(code);
  }
  column.lower = ValueList(std::move(values));
  return column;
}

inline std::vector<Code> random_codes(Random& random, std::size_t n, Code n_codes, double missing = 0) {
  std::vector<Code> codes(n);
  for (Code& code : codes) {
    code = random.uniform01() < missing ? kMissing : 1 + static_cast<Code>(random.uniform(n_codes));
  }
  return codes;
}

// --- one row of each target: a label or a value, and a weight
// --------------------------------------------------------

inline ClassCounts<false>::Sample make_row(const ClassCounts<false>&, double y, double) {
  return {static_cast<std::uint16_t>(y)};
}
inline ClassCounts<true>::Sample make_row(const ClassCounts<true>&, double y, double weight) {
  return {weight, static_cast<std::uint32_t>(y)};
}
inline WeightedMean<false>::Sample make_row(const WeightedMean<false>&, double y, double) {
  return {y};
}
inline WeightedMean<true>::Sample make_row(const WeightedMean<true>&, double y, double weight) {
  return {y, weight};
}
inline RankedValue::Sample make_row(const RankedValue&, double y, double weight) {
  return {y, weight, static_cast<std::uint32_t>(y)};  // any rank that orders rows as y does
}

// Labels below `levels` or values that are whole numbers below it.
template <class Criterion>
std::vector<typename Criterion::Sample> random_rows(const Criterion& criterion, Random& random, std::size_t n,
                                                    std::uint64_t levels) {
  std::vector<typename Criterion::Sample> rows(n);
  for (auto& row : rows) {
    const auto y = static_cast<double>(random.uniform(levels));
    row = make_row(criterion.target, y, 0.25 * static_cast<double>(1 + random.uniform(8)));
  }
  return rows;
}

// --- losses by definition
// ---------------------------------------------------------------------------------------------

template <class Sample>
std::map<std::uint32_t, double> class_weights(const std::vector<Sample>& rows, double* total) {
  std::map<std::uint32_t, double> counts;
  *total = 0;
  for (const Sample& row : rows) {
    counts[row.label] += row.weight();
    *total += row.weight();
  }
  return counts;
}

// For criteria that have no definition of their own here: at least the scan must agree with the loss.
template <HasLossOfTotals Criterion>
double loss_of(const Criterion&, const std::vector<typename Criterion::Sample>& rows) {
  double total = 0;
  std::vector<double> counts;
  for (const auto& [label, weight] : class_weights(rows, &total)) counts.push_back(weight);
  return Criterion::loss(counts.data(), static_cast<int>(counts.size()), total);
}

template <bool kWeighted>
double loss_of(const Gini<kWeighted>&, const std::vector<typename Gini<kWeighted>::Sample>& rows) {
  double total = 0, impurity = 1;
  for (const auto& [label, weight] : class_weights(rows, &total))
    impurity -= weight / total * (weight / total);
  return rows.empty() ? 0 : total * impurity;
}

template <bool kWeighted>
double loss_of(const Entropy<kWeighted>&, const std::vector<typename Entropy<kWeighted>::Sample>& rows) {
  double total = 0, bits = 0;
  for (const auto& [label, weight] : class_weights(rows, &total)) bits -= weight * std::log2(weight / total);
  return bits;
}

template <class Sample>
double mean_of_rows(const std::vector<Sample>& rows) {
  double sum = 0, weight = 0;
  for (const Sample& row : rows) {
    sum += row.y * row.weight();
    weight += row.weight();
  }
  return sum / weight;
}

template <bool kWeighted>
double loss_of(const SquaredError<kWeighted>&,
               const std::vector<typename SquaredError<kWeighted>::Sample>& rows) {
  const double mean = mean_of_rows(rows);
  double loss = 0;
  for (const auto& row : rows) loss += row.weight() * (row.y - mean) * (row.y - mean);
  return loss;
}

template <bool kWeighted>
double loss_of(const Poisson<kWeighted>&, const std::vector<typename Poisson<kWeighted>::Sample>& rows) {
  const double mean = mean_of_rows(rows);
  double loss = 0;
  for (const auto& row : rows) {
    loss += row.weight() * ((row.y > 0 ? row.y * std::log(row.y / mean) : 0.0) - row.y + mean);
  }
  return loss;
}

// Some value of y is a median, and no number has a smaller loss.
inline double loss_of(const AbsoluteError&, const std::vector<RankedValue::Sample>& rows) {
  double least = rows.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (const auto& at : rows) {
    double loss = 0;
    for (const auto& row : rows) loss += row.amount * std::abs(row.y - at.y);
    least = std::min(least, loss);
  }
  return least;
}

// Whether a leaf may hold these rows: a rate of zero is not allowed.
template <class Criterion>
bool may_be_leaf(const Criterion&, const std::vector<typename Criterion::Sample>& rows) {
  return !rows.empty();
}
template <bool kWeighted>
bool may_be_leaf(const Poisson<kWeighted>&, const std::vector<typename Poisson<kWeighted>::Sample>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.y > 0; });
}

// --- every criterion with each of its scans
// ----------------------------------------------------------------------------

template <class CriterionType, class ScanType>
struct Scanned {
  using Criterion = CriterionType;
  using Scan = ScanType;
};

// visit(criterion, Scanned, levels) with all scans of one criterion; levels: how many values the target has.
template <class Criterion, class Visitor>
void visit_scans(Visitor visit) {
  using Scan = typename Criterion::Scan;
  if constexpr (HasLossOfTotals<Criterion>) {
    for (const unsigned n_classes : {2U, 5U}) {
      // Counts beyond a table of logarithms are computed.
      const CriterionSetup setup{.n_classes = static_cast<int>(n_classes), .y = {}, .n_rows = 7};
      visit(Criterion::make(setup), Scanned<Criterion, Scan>{}, n_classes);
      if constexpr (requires { typename Criterion::TwoClassScan; }) {
        using TwoClassScan = typename Criterion::TwoClassScan;
        if (n_classes == 2) visit(Criterion::make(setup), Scanned<Criterion, TwoClassScan>{}, n_classes);
      }
    }
  } else {
    const double y[] = {0.0};
    for (const unsigned levels : {4U, 6U, 7U})
      visit(Criterion::make({.y = y}), Scanned<Criterion, Scan>{}, levels);
  }
}

template <class Visitor>
void for_each_criterion(Visitor visit) {
  const auto both = [&]<class Types>(Types) {
    using Unweighted = typename Types::Unweighted;
    using Weighted = typename Types::Weighted;
    visit_scans<Weighted>(visit);
    if constexpr (!std::is_same_v<Unweighted, Weighted>) visit_scans<Unweighted>(visit);
  };
  for (const CriterionEntry& entry : kCriteria) {
    entry.task == Task::kClasses ? visit_criterion<Task::kClasses>(entry.criterion, both)
                                 : visit_criterion<Task::kNumbers>(entry.criterion, both);
  }
  visit_scans<Poisson<false>>(visit);  // the engine grows by Poisson<true> only
}

// The same for criteria whose losses are sums over buckets.
template <class Visitor>
void for_each_bucket_criterion(Visitor visit) {
  for_each_criterion([&]<class Criterion>(const Criterion& criterion, auto scanned, unsigned levels) {
    if constexpr (!Criterion::kOrdered) visit(criterion, scanned, levels);
  });
}

}  // namespace treewright::test
