// Poisson, gamma and Tweedie with the logarithm as link: half the deviance of y from e^raw, without the terms
// that do not depend on the score. With the power p of the variance (Poisson 1, gamma 2) its derivative is
// e^((2 − p) raw) − y e^((1 − p) raw).
#include <cmath>
#include <string>

#include "base/exponential.h"
#include "objective/check_rows.h"
#include "objective/families.h"
#include "objective/row_objective.h"

namespace treewright {

namespace {

struct Poisson {
  TREEWRIGHT_INLINE static Derivatives at(double, double y, double raw) {
    const double mean = exponential(raw);
    return {mean - y, mean};
  }
  TREEWRIGHT_INLINE static double loss(double, double y, double raw) { return exponential(raw) - y * raw; }
};

struct Gamma {
  TREEWRIGHT_INLINE static Derivatives at(double, double y, double raw) {
    const double ratio = y * exponential(-raw);
    return {1.0 - ratio, ratio};
  }
  TREEWRIGHT_INLINE static double loss(double, double y, double raw) { return raw + y * exponential(-raw); }
};

struct Tweedie {
  TREEWRIGHT_INLINE static Derivatives at(double power, double y, double raw) {
    const double of_target = y * exponential((1.0 - power) * raw);
    const double of_mean = exponential((2.0 - power) * raw);
    return {of_mean - of_target, (2.0 - power) * of_mean - (1.0 - power) * of_target};
  }
  TREEWRIGHT_INLINE static double loss(double power, double y, double raw) {
    return exponential((2.0 - power) * raw) / (2.0 - power) -
           y * exponential((1.0 - power) * raw) / (1.0 - power);
  }
};

TREEWRIGHT_ROW_LOOPS(kPoisson, Poisson);
TREEWRIGHT_ROW_LOOPS(kGamma, Gamma);
TREEWRIGHT_ROW_LOOPS(kTweedie, Tweedie);

class LogLinkObjective : public RowObjective {
 public:
  using RowObjective::RowObjective;

  std::vector<double> start(const Targets& rows, std::span<const double> offset) const override {
    Sums sums;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      add(sums, rows.weight(i), rows.y[i], offset.empty() ? 0.0 : offset[i]);
    }
    return {step(sums)};
  }

  double leaf_value(const Targets& rows, const double* raw, std::size_t,
                    std::span<const RowId> leaf) const override {
    Sums sums;
    for (const RowId row : leaf) add(sums, rows.weight(row), rows.y[row], raw[row]);
    return step(sums);
  }

 private:
  struct Sums {
    double of_targets = 0;
    double of_means = 0;
  };

  void add(Sums& sums, double weight, double y, double raw) const {
    sums.of_targets += weight * y * exponential((1.0 - parameter_) * raw);
    sums.of_means += weight * exponential((2.0 - parameter_) * raw);
  }

  // The derivative is 0 where e^step is the ratio of the sums. Where all targets are 0 there is no least
  // loss: a Newton step.
  double step(const Sums& sums) const {
    if (sums.of_targets > 0 && sums.of_means > 0) return std::log(sums.of_targets / sums.of_means);
    return sums.of_means > 0 ? -1.0 / (2.0 - parameter_) : 0.0;
  }
};

// Throws where a target is below 0, or none is above it.
void check_not_negative(const Targets& rows, const std::string& loss) {
  check_rows(rows, "the loss " + loss + " needs targets of at least 0", [](double y) { return y >= 0; });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.weight(i) * rows.y[i] > 0) return;
  }
  throw std::invalid_argument("All targets are 0: the loss " + loss + " needs one above 0.");
}

}  // namespace

class PoissonObjective final : public LogLinkObjective {
 public:
  static constexpr std::string_view kName = "poisson";
  static constexpr AnswerKind kAnswer = AnswerKind::kNumber;
  static constexpr std::string_view kLink = "log";
  static std::unique_ptr<Objective> make(const ObjectiveParams&) {
    return std::make_unique<PoissonObjective>();
  }

  PoissonObjective() : LogLinkObjective(kPoisson, 1.0) {}
  void check(const Targets& rows) const override { check_not_negative(rows, "poisson"); }
};

class GammaObjective final : public LogLinkObjective {
 public:
  static constexpr std::string_view kName = "gamma";
  static constexpr AnswerKind kAnswer = AnswerKind::kNumber;
  static constexpr std::string_view kLink = "log";
  static std::unique_ptr<Objective> make(const ObjectiveParams&) {
    return std::make_unique<GammaObjective>();
  }

  GammaObjective() : LogLinkObjective(kGamma, 2.0) {}
  void check(const Targets& rows) const override {
    check_rows(rows, "the loss gamma needs targets above 0", [](double y) { return y > 0; });
  }
};

class TweedieObjective final : public LogLinkObjective {
 public:
  static constexpr std::string_view kName = "tweedie";
  static constexpr AnswerKind kAnswer = AnswerKind::kNumber;
  static constexpr std::string_view kLink = "log";
  static constexpr std::string_view kParameter = "power";
  static std::unique_ptr<Objective> make(const ObjectiveParams& params) {
    if (!(params.power > 1 && params.power < 2)) {
      throw std::invalid_argument("The power of the variance must be between 1 and 2, neither included.");
    }
    return std::make_unique<TweedieObjective>(params.power);
  }

  explicit TweedieObjective(double power) : LogLinkObjective(kTweedie, power) {}
  void check(const Targets& rows) const override { check_not_negative(rows, "tweedie"); }
};

template ObjectiveEntry entry_of<PoissonObjective>();
template ObjectiveEntry entry_of<GammaObjective>();
template ObjectiveEntry entry_of<TweedieObjective>();

}  // namespace treewright
