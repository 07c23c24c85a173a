// The loss of two classes: −ln of the probability of the row's class, which for class 1 is 1 / (1 + e^−raw).
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
  // e^−|raw| never overflows, and both probabilities follow from it without loss of digits.
  TREEWRIGHT_INLINE static Derivatives at(double, double y, double raw) {
    const double small = exponential_of_negative(raw > 0 ? -raw : raw);
    const double larger = 1.0 / (1.0 + small);
    const double smaller = small * larger;
    return {(raw > 0 ? larger : smaller) - y, larger * smaller};
  }
  TREEWRIGHT_INLINE static double loss(double, double y, double raw) {
    const double small = exponential_of_negative(raw > 0 ? -raw : raw);
    return (raw > 0 ? raw : 0.0) - y * raw + log_one_plus(small);
  }
};

TREEWRIGHT_ROW_LOOPS(kLoops, Formula);

}  // namespace

class LogLossObjective final : public RowObjective {
 public:
  static constexpr std::string_view kName = "log_loss";
  static constexpr AnswerKind kAnswer = AnswerKind::kTwoClasses;
  static constexpr std::string_view kLink = "logit";
  static constexpr std::string_view kOfSeveralClasses = "multinomial";
  static std::unique_ptr<Objective> make(const ObjectiveParams&) {
    return std::make_unique<LogLossObjective>();
  }

  LogLossObjective() : RowObjective(kLoops) {}

  void check(const Targets& rows) const override {
    check_rows(rows, "the loss log_loss of two classes needs 0 or 1",
               [](double y) { return y == 0 || y == 1; });
  }

  std::vector<double> start(const Targets& rows, std::span<const double> offset) const override {
    double ones = 0, weight = 0, mean_offset = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ones += rows.weight(i) * rows.y[i];
      weight += rows.weight(i);
      if (!offset.empty()) mean_offset += rows.weight(i) * offset[i];
    }
    if (!(weight > 0)) return {0.0};
    constexpr double kLeast = std::numeric_limits<double>::epsilon();
    const double share = std::clamp(ones / weight, kLeast, 1.0 - kLeast);
    const double raw = std::log(share / (1.0 - share)) - mean_offset / weight;
    return {offset.empty() || share == kLeast || share == 1.0 - kLeast ? raw : search(rows, offset, raw)};
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

 private:
  // Newton's method, halved into the interval that is known to hold the minimum whenever it leaves it.
  static double search(const Targets& rows, std::span<const double> offset, double raw) {
    constexpr int kSteps = 100;
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    for (int i = 0; i < kSteps; ++i) {
      double gradient = 0, hessian = 0;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const Derivatives at = Formula::at(0, rows.y[row], raw + offset[row]);
        gradient += rows.weight(row) * at.gradient;
        hessian += rows.weight(row) * at.hessian;
      }
      (gradient > 0 ? high : low) = raw;
      const double step = std::clamp(newton_step(gradient, hessian), -8.0, 8.0);
      if (std::abs(step) <= 1e-14 * std::max(1.0, std::abs(raw))) return raw + step;
      // A step goes towards the side that is still open, so a bound is left only where there is one.
      raw = raw + step > low && raw + step < high ? raw + step : 0.5 * (low + high);
    }
    return raw;
  }
};

template ObjectiveEntry entry_of<LogLossObjective>();

}  // namespace treewright
