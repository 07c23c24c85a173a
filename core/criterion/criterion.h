// What a criterion is: the loss of a leaf, and a scan that moves rows from the right side of a cut to the
// left and knows the gain after each step. The list of all criteria is in criterion/criteria.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "base/stop.h"
#include "criterion/summary.h"

namespace treewright {

// What a criterion may ask before it sees a row.
struct CriterionSetup {
  int n_classes = 1;
  std::span<const double> y;       // of all rows, where the target is a number
  std::size_t n_rows = 0;          // of the node that is split first
  const StopFlag* stop = nullptr;  // for scans that take long
};

template <class Criterion>
concept IsCriterion = requires(const Criterion& criterion, typename Criterion::Sample* rows, std::size_t n,
                               const Summary& summary, double* value, const CriterionSetup& setup) {
  typename Criterion::Target;
  typename Criterion::Cell;
  typename Criterion::ScanBuffer;
  typename Criterion::Scan;
  {
    Criterion::kOrdered
  } -> std::convertible_to<bool>;  // losses are no sums over buckets: single rows are moved
  { Criterion::make(setup) } -> std::same_as<Criterion>;
  { criterion.target } -> std::convertible_to<typename Criterion::Target>;
  { criterion.outputs() } -> std::same_as<int>;  // numbers in the value of a leaf
  { criterion.summarise(rows, n) } -> std::same_as<Summary>;
  criterion.value(summary, value);
};

// The loss follows from the totals of the target: criteria on classes.
template <class Criterion>
concept HasLossOfTotals = requires(const double* counts, int classes, double weight) {
  { Criterion::loss(counts, classes, weight) } -> std::same_as<double>;
};

// The loss is in bits, in which C4.5's refinements are stated.
template <class Criterion>
concept IsInBits = requires { Criterion::kBits; };

// Criteria on numbers whose gain follows from the values of the leaves: what a forest, which keeps no losses,
// can still tell about a split.
struct SplitValues {
  double weight;      // of the node
  double left_share;  // of that weight
  double left, right, node;
};

template <class Criterion>
concept HasGainOfValues = requires(const SplitValues& values) {
  { Criterion::gain_of(values) } -> std::same_as<double>;
};

template <class Scan, class Criterion>
concept IsScanOf =
    std::constructible_from<Scan, const Criterion&, const double*, double, typename Criterion::ScanBuffer&> &&
    requires(Scan scan, const Scan& done, typename Criterion::Sample sample) {
      scan.move(sample);
      { done.gain() } -> std::same_as<double>;
      { done.left_weight() } -> std::same_as<double>;
      { done.total_weight() } -> std::same_as<double>;
      { done.left_value() } -> std::same_as<double>;
      { done.right_value() } -> std::same_as<double>;
    } && (Criterion::kOrdered ? requires(Scan scan, typename Criterion::Sample sample) {
      scan.place(sample);
      scan.placed();
    } : requires(Scan scan, const typename Criterion::Cell* bucket) { scan.move_bucket(bucket); });

template <class T>
struct TypeOf {
  using Type = T;
};

// body(TypeOf<Scan>) with the scan that fits: some criteria have a faster one for two classes.
template <IsCriterion Criterion, class Body>
decltype(auto) visit_scan(const Criterion& criterion, Body&& body) {
  if constexpr (requires { typename Criterion::TwoClassScan; }) {
    static_assert(IsScanOf<typename Criterion::TwoClassScan, Criterion>);
    if (criterion.target.classes == 2) return body(TypeOf<typename Criterion::TwoClassScan>{});
  }
  static_assert(IsScanOf<typename Criterion::Scan, Criterion>);
  return body(TypeOf<typename Criterion::Scan>{});
}

}  // namespace treewright
