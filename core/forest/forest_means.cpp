#include <stdexcept>

#include "criterion/absolute_error.h"
#include "criterion/poisson.h"
#include "criterion/squared_error.h"
#include "forest/forest_growth.h"
#include "grow/bag.h"

namespace treewright {

namespace {

constexpr auto kNumber = ForestBuilder::Answer::kNumber;

template <template <bool> class Criterion, bool kWeighted>
GrownForest grow(const ForestTask& task, std::span<const double> y) {
  using Sample = typename Criterion<kWeighted>::Sample;
  const bool own = task.rule.draws == 0 && !task.weights.empty();
  const Criterion<kWeighted> criterion{};
  return grow_with<typename Criterion<kWeighted>::Scan>(
      task, criterion, kNumber, [&](const std::vector<std::uint32_t>& counts) {
        return drawn_bag<Sample>(counts, [&](std::size_t row, std::uint32_t times) {
          if constexpr (kWeighted) {
            return Sample{y[row], own ? task.weights[row] : static_cast<double>(times)};
          } else {
            return Sample{y[row]};
          }
        });
      });
}

GrownForest grow_absolute(const ForestTask& task, std::span<const double> y) {
  const AbsoluteError criterion{{}, &task.team.stop(), exact_origin(y)};
  const RowList<RankedValue::Sample> all = ranked_bag(y, criterion.origin, {}, task.team);
  const bool own = task.rule.draws == 0 && !task.weights.empty();
  return grow_with<AbsoluteError::Scan>(
      task, criterion, kNumber, [&](const std::vector<std::uint32_t>& counts) {
        return drawn_bag<RankedValue::Sample>(counts, [&](std::size_t row, std::uint32_t times) {
          RankedValue::Sample sample = all.samples[row];
          sample.amount = own ? task.weights[row] : static_cast<double>(times);
          return sample;
        });
      });
}

}  // namespace

GrownForest grow_mean_forest(const ForestTask& task, std::span<const double> y) {
  check_lengths(task.data.n_rows, y.size(), task.weights.size());
  // Rows that stand in the bag at most once need no weights.
  const bool once = task.rule.draws == 0 ? task.weights.empty() : !task.rule.replace;
  switch (task.plan.criterion) {
    case CriterionName::kSquaredError:
      return once ? grow<SquaredError, false>(task, y) : grow<SquaredError, true>(task, y);
    case CriterionName::kPoisson: return grow<Poisson, true>(task, y);  // its logarithms outweigh the weights
    case CriterionName::kAbsoluteError: return grow_absolute(task, y);
    default: throw std::invalid_argument("This criterion needs classes, not numbers, as target.");
  }
}

}  // namespace treewright
