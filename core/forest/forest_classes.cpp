#include <algorithm>
#include <stdexcept>

#include "criterion/criteria.h"
#include "forest/forest_growth.h"
#include "grow/bag.h"
#include "target/class_counts.h"

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

struct Classes {
  std::span<const std::int32_t> labels;
  int n_classes;
};

// Weights that give every class of a bag the same weight; empty where the rule does not ask for them.
std::vector<double> class_weights(const ForestTask& task, const Classes& classes,
                                  std::span<const std::uint32_t> counts) {
  if (!task.rule.balanced) return {};
  std::vector<double> weight(static_cast<std::size_t>(classes.n_classes), 0.0);
  double total = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    weight[static_cast<std::size_t>(classes.labels[row])] += counts[row];
    total += counts[row];
  }
  const auto present = static_cast<double>(
      std::count_if(weight.begin(), weight.end(), [](double count) { return count > 0; }));
  for (double& count : weight) count = count > 0 ? total / (present * count) : 0.0;
  return weight;
}

// Weights are those of the user where no rows are drawn, times those that balance the classes of a bag.
RowList<ClassCounts<true>::Sample> weighted_bag(const ForestTask& task, const Classes& classes,
                                                std::span<const std::uint32_t> counts) {
  const std::vector<double> by_class = class_weights(task, classes, counts);
  const bool own = task.rule.draws == 0 && !task.weights.empty();
  return drawn_bag<ClassCounts<true>::Sample>(counts, [&](std::size_t row, std::uint32_t times) {
    const auto label = static_cast<std::uint32_t>(classes.labels[row]);
    const double amount = own ? task.weights[row] : static_cast<double>(times);
    return ClassCounts<true>::Sample{by_class.empty() ? amount : amount * by_class[label], label};
  });
}

RowList<CountedClasses::Sample> counted_bag(const Classes& classes, std::span<const std::uint32_t> counts) {
  return drawn_bag<CountedClasses::Sample>(counts, [&](std::size_t row, std::uint32_t times) {
    return CountedClasses::Sample{static_cast<std::uint16_t>(classes.labels[row]),
                                  static_cast<std::uint16_t>(times)};
  });
}

template <class Criterion, class MakeBag>
GrownForest grow(const ForestTask& task, const Classes& classes, MakeBag make_bag) {
  const auto criterion = Criterion::make(
      {.n_classes = classes.n_classes, .y = {}, .n_rows = classes.labels.size(), .stop = &task.team.stop()});
  return visit_scan(criterion, [&]<class Scan>(TypeOf<Scan>) {
    return grow_forest<Scan>(task, criterion, ForestBuilder::Answer::kClasses, make_bag);
  });
}

}  // namespace

GrownForest grow_class_forest(const ForestTask& task, std::span<const std::int32_t> labels, int n_classes) {
  check_lengths(task.data.n_rows, labels.size(), task.weights.size());
  check_classes(n_classes);
  for (const std::int32_t label : labels) {
    if (label < 0 || label >= n_classes)
      throw std::invalid_argument("A label is outside 0 ... n_classes - 1.");
  }
  const Classes classes{labels, n_classes};
  const bool whole = !task.rule.balanced && (task.rule.draws > 0 || task.weights.empty());
  return visit_criterion<Task::kClasses>(task.plan.criterion, [&]<class Types>(Types) {
    using Criterion = typename Types::Weighted;
    if constexpr (requires { typename Criterion::Counted; }) {
      if (whole && fits_counts(task.rule, labels.size())) {
        return grow<typename Criterion::Counted>(task, classes, [&](std::span<const std::uint32_t> counts) {
          return counted_bag(classes, counts);
        });
      }
    }
    return grow<Criterion>(task, classes, [&](std::span<const std::uint32_t> counts) {
      return weighted_bag(task, classes, counts);
    });
  });
}

}  // namespace treewright
