#include "criterion/criteria.h"
#include "forest/forest_growth.h"
#include "grow/bag.h"

namespace treewright {

namespace {

template <class Criterion>
GrownForest grow(const ForestTask& task, std::span<const double> y) {
  using Sample = typename Criterion::Sample;
  const auto criterion = Criterion::make({.y = y, .n_rows = y.size(), .stop = &task.team.stop()});
  const bool own = task.rule.draws == 0 && !task.weights.empty();
  const auto weight = [&](std::size_t row, std::uint32_t times) {
    return own ? task.weights[row] : static_cast<double>(times);
  };
  RowList<Sample> all;
  if constexpr (Criterion::kOrdered) all = number_bag(criterion, y, {}, task.team);
  const auto make_sample = [&](std::size_t row, std::uint32_t times) {
    if constexpr (Criterion::kOrdered) {
      Sample sample = all.samples[row];
      sample.amount = weight(row, times);
      return sample;
    } else if constexpr (Criterion::Target::kIsWeighted) {
      return Sample{y[row], weight(row, times)};
    } else {
      return Sample{y[row]};
    }
  };
  return grow_forest<typename Criterion::Scan>(
      task, criterion, ForestBuilder::Answer::kNumber,
      [&](std::span<const std::uint32_t> counts) { return drawn_bag<Sample>(counts, make_sample); });
}

}  // namespace

GrownForest grow_mean_forest(const ForestTask& task, std::span<const double> y) {
  check_lengths(task.data.n_rows, y.size(), task.weights.size());
  // Rows that stand in the bag at most once need no weights.
  const bool once = task.rule.draws == 0 ? task.weights.empty() : !task.rule.replace;
  return visit_criterion<Task::kNumbers>(task.plan.criterion, [&]<class Types>(Types) {
    return once ? grow<typename Types::Unweighted>(task, y) : grow<typename Types::Weighted>(task, y);
  });
}

}  // namespace treewright
