#include "grow/candidates.h"

#include <algorithm>
#include <stdexcept>

#include "criterion/absolute_error.h"
#include "criterion/entropy.h"
#include "criterion/gini.h"
#include "criterion/poisson.h"
#include "criterion/squared_error.h"
#include "grow/bag.h"
#include "grow/candidate_search.h"

namespace treewright {

namespace {

template <class T>
std::vector<T> taken(std::span<const T> values, std::span<const RowId> rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const RowId row : rows) out.push_back(values[row]);
  return out;
}

template <class Scan, class Criterion, class Sample>
NodeCandidates search(const Dataset& data, const GrowPlan& plan, const Criterion& criterion,
                      const NodeQuery& query, RowList<Sample> bag, Team& team) {
  bag.rows.assign(query.rows.begin(), query.rows.end());
  return CandidateSearch<Criterion, Scan>(data, plan, criterion, query, bag, team).run();
}

// Fractions of rows are weights; the same choice as in growing, so that sums are rounded alike.
bool shares_rows(const Dataset& data, const GrowPlan& plan) {
  return plan.missing == MissingRule::kFractional &&
         std::any_of(data.columns.begin(), data.columns.end(),
                     [](const Column& column) { return column.has_missing; });
}

template <bool kWeighted>
NodeCandidates class_search(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                            const NodeQuery& query, const GrowPlan& plan, Team& team) {
  auto bag = class_bag<kWeighted>(labels, n_classes, query.weights);
  if (plan.criterion == CriterionName::kEntropy) {
    constexpr std::size_t kMostEntries = std::size_t{1} << 18;  // 2 MB
    const std::size_t entries = kWeighted ? 0 : std::min(labels.size() + 1, kMostEntries);
    const Entropy<kWeighted> criterion{{n_classes}, PhiTable(entries), &team.stop()};
    return search<typename Entropy<kWeighted>::Scan>(data, plan, criterion, query, std::move(bag), team);
  }
  const Gini<kWeighted> criterion{{n_classes}};
  if (n_classes == 2) {
    return search<typename Gini<kWeighted>::TwoClassScan>(data, plan, criterion, query, std::move(bag), team);
  }
  return search<typename Gini<kWeighted>::ManyClassScan>(data, plan, criterion, query, std::move(bag), team);
}

// Sums of y·1 are rounded as sums of y are, so rows without weights need no search of their own here.
template <class Criterion>
NodeCandidates mean_search(const Dataset& data, std::span<const double> y, const NodeQuery& query,
                           const GrowPlan& plan, Team& team) {
  return search<typename Criterion::Scan>(data, plan, Criterion{}, query, mean_bag<true>(y, query.weights),
                                          team);
}

void check(const Dataset& data, std::size_t n_targets, const NodeQuery& query) {
  check_lengths(data.n_rows, n_targets, 0);
  if (query.rows.empty()) throw std::invalid_argument("A node needs at least one row.");
  if (!query.weights.empty() && query.weights.size() != query.rows.size()) {
    throw std::invalid_argument("There must be one weight for each listed row.");
  }
  for (const RowId row : query.rows) {
    if (row >= data.n_rows) throw std::invalid_argument("A row is not in the table.");
  }
  for (const FeatureId feature : query.features) {
    if (feature < 0 || feature >= data.n_features()) {
      throw std::invalid_argument("A feature is not in the table.");
    }
  }
}

}  // namespace

NodeCandidates class_candidates(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                                const NodeQuery& query, const GrowPlan& plan, Team& team) {
  check(data, labels.size(), query);
  if (plan.criterion != CriterionName::kGini && plan.criterion != CriterionName::kEntropy) {
    throw std::invalid_argument("This criterion needs numbers, not classes, as target.");
  }
  const std::vector<std::int32_t> own = taken(labels, query.rows);
  return query.weights.empty() && !shares_rows(data, plan)
             ? class_search<false>(data, own, n_classes, query, plan, team)
             : class_search<true>(data, own, n_classes, query, plan, team);
}

NodeCandidates mean_candidates(const Dataset& data, std::span<const double> y, const NodeQuery& query,
                               const GrowPlan& plan, Team& team) {
  check(data, y.size(), query);
  const std::vector<double> own = taken(y, query.rows);
  switch (plan.criterion) {
    case CriterionName::kSquaredError: return mean_search<SquaredError<true>>(data, own, query, plan, team);
    case CriterionName::kPoisson: return mean_search<Poisson<true>>(data, own, query, plan, team);
    case CriterionName::kAbsoluteError: {
      const AbsoluteError criterion{{}, &team.stop(), exact_origin(y)};
      return search<AbsoluteError::Scan>(data, plan, criterion, query,
                                         ranked_bag(own, criterion.origin, query.weights, team), team);
    }
    default: throw std::invalid_argument("This criterion needs classes, not numbers, as target.");
  }
}

}  // namespace treewright
