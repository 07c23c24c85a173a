#include "grow/grow_classes.h"

#include <algorithm>
#include <limits>

#include "grow/grow.h"

namespace treewright {

Tree grow_classes(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                  std::span<const double> weights, const GrowPlan& plan, Team& team) {
  check_lengths(data.n_rows, labels.size(), weights.size());
  if (n_classes < 1 || n_classes > std::numeric_limits<std::uint16_t>::max()) {
    throw std::invalid_argument("The number of classes must be between 1 and 65535.");
  }
  // Fractions of rows are weights.
  const bool shared = plan.missing == MissingRule::kFractional &&
                      std::any_of(data.columns.begin(), data.columns.end(),
                                  [](const Column& column) { return column.has_missing; });
  const bool weighted = !weights.empty() || shared;
  const ClassTask task{data, labels, n_classes, weights, plan, team};
  switch (plan.criterion) {
    case CriterionName::kGini: return grow_gini(task, weighted);
    case CriterionName::kEntropy: return grow_entropy(task, weighted);
    default: throw std::invalid_argument("This criterion needs numbers, not classes, as target.");
  }
}

}  // namespace treewright
