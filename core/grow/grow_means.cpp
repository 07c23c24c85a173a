#include "criterion/absolute_error.h"
#include "criterion/poisson.h"
#include "criterion/squared_error.h"
#include "grow/bag.h"
#include "grow/column_finder.h"
#include "grow/grow.h"
#include "grow/grower.h"

namespace treewright {

namespace {

template <template <bool> class Criterion, bool kWeighted>
Tree grow(const Dataset& data, std::span<const double> y, std::span<const double> weights,
          const GrowPlan& plan, Team& team) {
  const Criterion<kWeighted> criterion{};
  auto bag = mean_bag<kWeighted>(y, weights);
  ColumnFinder<Criterion<kWeighted>, typename Criterion<kWeighted>::Scan> finder(data, plan, criterion, team);
  return Grower(data, plan, finder, bag, team).grow();
}

template <bool kWeighted>
Tree grow_some(const Dataset& data, std::span<const RowId> rows, std::span<const double> y,
               std::span<const double> weights, const GrowPlan& plan, Team& team) {
  const SquaredError<kWeighted> criterion{};
  RowList<typename SquaredError<kWeighted>::Sample> bag;
  bag.rows.assign(rows.begin(), rows.end());
  bag.samples.reserve(rows.size());
  for (const RowId row : rows) {
    if constexpr (kWeighted) {
      bag.samples.push_back({y[row], weights[row]});
    } else {
      bag.samples.push_back({y[row]});
    }
  }
  ColumnFinder<SquaredError<kWeighted>, typename SquaredError<kWeighted>::Scan> finder(data, plan, criterion,
                                                                                       team);
  return Grower(data, plan, finder, bag, team).grow();
}

}  // namespace

Tree grow_means_of(const Dataset& data, std::span<const RowId> rows, std::span<const double> y,
                   std::span<const double> weights, const GrowPlan& plan, Team& team) {
  check_lengths(data.n_rows, y.size(), weights.size());
  if (rows.empty()) throw std::invalid_argument("A tree needs at least one row.");
  return weights.empty() ? grow_some<false>(data, rows, y, weights, plan, team)
                         : grow_some<true>(data, rows, y, weights, plan, team);
}

Tree grow_means(const Dataset& data, std::span<const double> y, std::span<const double> weights,
                const GrowPlan& plan, Team& team) {
  check_lengths(data.n_rows, y.size(), weights.size());
  const bool weighted = !weights.empty() || plan.missing == MissingRule::kFractional;
  switch (plan.criterion) {
    case CriterionName::kSquaredError:
      return weighted ? grow<SquaredError, true>(data, y, weights, plan, team)
                      : grow<SquaredError, false>(data, y, weights, plan, team);
    case CriterionName::kPoisson:
      return grow<Poisson, true>(data, y, weights, plan, team);  // its logarithms outweigh the weights
    case CriterionName::kAbsoluteError: {
      const AbsoluteError criterion{{}, &team.stop(), exact_origin(y)};
      auto bag = ranked_bag(y, criterion.origin, weights, team);
      ColumnFinder<AbsoluteError, AbsoluteError::Scan> finder(data, plan, criterion, team);
      return Grower(data, plan, finder, bag, team).grow();
    }
    default: throw std::invalid_argument("This criterion needs classes, not numbers, as target.");
  }
}

}  // namespace treewright
