#include "criterion/criteria.h"
#include "grow/bag.h"
#include "grow/grow.h"
#include "grow/grower.h"

namespace treewright {

Tree grow_classes(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                  std::span<const double> weights, const GrowPlan& plan, Team& team) {
  check_lengths(data.n_rows, labels.size(), weights.size());
  check_classes(n_classes);
  const auto grow = [&]<class Criterion>(TypeOf<Criterion>) {
    const auto criterion =
        Criterion::make({.n_classes = n_classes, .y = {}, .n_rows = labels.size(), .stop = &team.stop()});
    return visit_scan(criterion, [&]<class Scan>(TypeOf<Scan>) {
      auto bag = class_bag<Criterion::Target::kIsWeighted>(labels, n_classes, weights);
      return Grower<Criterion, Scan>(data, plan, criterion, std::move(bag), team).grow();
    });
  };
  const bool weighted = !weights.empty() || shares_rows(data, plan);
  return visit_criterion<Task::kClasses>(plan.criterion, [&]<class Types>(Types) {
    return weighted ? grow(TypeOf<typename Types::Weighted>{}) : grow(TypeOf<typename Types::Unweighted>{});
  });
}

}  // namespace treewright
