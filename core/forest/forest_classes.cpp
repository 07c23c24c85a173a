#include <algorithm>
#include <limits>
#include <stdexcept>

#include "forest/forest_growth.h"
#include "grow/bag.h"
#include "target/counted_classes.h"

namespace treewright {

namespace {

// Whether no row can stand in a bag more often than a sample can count.
bool fits_counts(const BagRule& rule, std::size_t n_rows) {
  const auto draws = static_cast<double>(rule.draws);
  if (draws <= CountedClasses::kMostTimes) return true;
  constexpr double kFarBelow = 30000;  // hundreds of standard deviations from the largest count
  if (rule.probabilities.empty()) return draws / static_cast<double>(n_rows) < kFarBelow;
  double total = 0, largest = 0;
  for (const double p : rule.probabilities) {
    total += p;
    largest = std::max(largest, p);
  }
  return draws * largest / total < kFarBelow;
}

}  // namespace

std::vector<double> class_weights(const ForestTask& task, const ClassBag& bag,
                                  std::span<const std::uint32_t> counts) {
  if (!task.rule.balanced) return {};
  std::vector<double> weight(static_cast<std::size_t>(bag.n_classes), 0.0);
  double total = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    weight[static_cast<std::size_t>(bag.labels[row])] += counts[row];
    total += counts[row];
  }
  const auto present = static_cast<double>(
      std::count_if(weight.begin(), weight.end(), [](double count) { return count > 0; }));
  for (double& count : weight) count = count > 0 ? total / (present * count) : 0.0;
  return weight;
}

GrownForest grow_class_forest(const ForestTask& task, std::span<const std::int32_t> labels, int n_classes) {
  check_lengths(task.data.n_rows, labels.size(), task.weights.size());
  if (n_classes < 1 || n_classes > std::numeric_limits<std::uint16_t>::max()) {
    throw std::invalid_argument("The number of classes must be between 1 and 65535.");
  }
  for (const std::int32_t label : labels) {
    if (label < 0 || label >= n_classes)
      throw std::invalid_argument("A label is outside 0 ... n_classes - 1.");
  }
  const ClassBag bag{labels, n_classes};
  const bool whole = !task.rule.balanced && (task.rule.draws > 0 || task.weights.empty());
  switch (task.plan.criterion) {
    case CriterionName::kGini:
      return grow_gini_forest(task, bag, whole && fits_counts(task.rule, labels.size()));
    case CriterionName::kEntropy: return grow_entropy_forest(task, bag);
    default: throw std::invalid_argument("This criterion needs numbers, not classes, as target.");
  }
}

}  // namespace treewright
