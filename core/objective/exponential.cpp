// AdaBoost's loss of two classes: e^−raw for a row of class 1, e^raw for one of class 0. Half the logit of
// the probability of class 1 makes it least.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/exponential.h"
#include "objective/check_rows.h"
#include "objective/families.h"
#include "objective/row_objective.h"

namespace treewright {

namespace {

struct Formula {
  TREEWRIGHT_INLINE static Derivatives at(double, double y, double raw) {
    const double loss = exponential(y > 0.5 ? -raw : raw);
    return {y > 0.5 ? -loss : loss, loss};
  }
  TREEWRIGHT_INLINE static double loss(double, double y, double raw) {
    return exponential(y > 0.5 ? -raw : raw);
  }
};

TREEWRIGHT_ROW_LOOPS(kLoops, Formula);

}  // namespace

class ExponentialObjective final : public RowObjective {
 public:
  static constexpr std::string_view kName = "exponential";
  static constexpr AnswerKind kAnswer = AnswerKind::kTwoClasses;
  static constexpr std::string_view kLink = "half_logit";
  static std::unique_ptr<Objective> make(const ObjectiveParams&) {
    return std::make_unique<ExponentialObjective>();
  }

  ExponentialObjective() : RowObjective(kLoops) {}

  void check(const Targets& rows) const override {
    check_rows(rows, "the loss exponential needs two classes, 0 or 1",
               [](double y) { return y == 0 || y == 1; });
  }

  std::vector<double> start(const Targets& rows, std::span<const double> offset) const override {
    double ones = 0, zeros = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double raw = offset.empty() ? 0.0 : offset[i];
      (rows.y[i] > 0.5 ? ones : zeros) += rows.weight(i) * Formula::loss(0, rows.y[i], raw);
    }
    if (!(ones + zeros > 0)) return {0.0};
    constexpr double kLeast = std::numeric_limits<double>::epsilon();
    const double share = std::clamp(ones / (ones + zeros), kLeast, 1.0 - kLeast);
    return {0.5 * std::log(share / (1.0 - share))};
  }

  double leaf_value(const Targets& rows, const double* raw, std::size_t,
                    std::span<const RowId> leaf) const override {
    double gradient = 0, hessian = 0;
    for (const RowId row : leaf) {
      const Derivatives at = Formula::at(0, rows.y[row], raw[row]);
      gradient += rows.weight(row) * at.gradient;
      hessian += rows.weight(row) * at.hessian;
    }
    return newton_step(gradient, hessian);
  }
};

template ObjectiveEntry entry_of<ExponentialObjective>();

}  // namespace treewright
