#include "criterion/criteria.h"
#include "grow/bag.h"
#include "grow/grow.h"
#include "grow/grower.h"

namespace treewright {

Tree grow_means(const Dataset& data, std::span<const double> y, std::span<const double> weights,
                const GrowPlan& plan, Team& team) {
  check_lengths(data.n_rows, y.size(), weights.size());
  const auto grow = [&]<class Criterion>(TypeOf<Criterion>) {
    const auto criterion = Criterion::make({.y = y, .n_rows = y.size(), .stop = &team.stop()});
    return Grower<Criterion, typename Criterion::Scan>(data, plan, criterion,
                                                       number_bag(criterion, y, weights, team), team)
        .grow();
  };
  const bool weighted = !weights.empty() || plan.missing == MissingRule::kFractional;
  return visit_criterion<Task::kNumbers>(plan.criterion, [&]<class Types>(Types) {
    return weighted ? grow(TypeOf<typename Types::Weighted>{}) : grow(TypeOf<typename Types::Unweighted>{});
  });
}

Tree grow_means_of(const Dataset& data, std::span<const RowId> rows, std::span<const double> y,
                   std::span<const double> weights, const GrowPlan& plan, Team& team) {
  check_lengths(data.n_rows, y.size(), weights.size());
  if (rows.empty()) throw std::invalid_argument("A tree needs at least one row.");
  const auto grow = [&]<class Criterion>(const Criterion& criterion) {
    RowList<typename Criterion::Sample> bag;
    bag.rows.assign(rows.begin(), rows.end());
    bag.samples.reserve(rows.size());
    for (const RowId row : rows)
      bag.samples.push_back(mean_sample<Criterion::Target::kIsWeighted>(y, weights, row));
    return Grower<Criterion, typename Criterion::Scan>(data, plan, criterion, std::move(bag), team).grow();
  };
  return weights.empty() ? grow(SquaredError<false>{}) : grow(SquaredError<true>{});
}

}  // namespace treewright
