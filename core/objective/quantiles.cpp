// Absolute error, and the loss of a quantile: |y − raw| counts `level` times above the score and 1 − `level`
// times below it. The gradient says on which side a row is, and nothing of how far; leaves take quantiles.
#include "objective/check_rows.h"
#include "objective/families.h"
#include "objective/row_objective.h"
#include "objective/weighted_quantile.h"

namespace treewright {

namespace {

struct Absolute {
  TREEWRIGHT_INLINE static Derivatives at(double, double y, double raw) {
    return {raw > y ? 1.0 : (raw < y ? -1.0 : 0.0), 1.0};
  }
  TREEWRIGHT_INLINE static double loss(double, double y, double raw) { return raw > y ? raw - y : y - raw; }
};

struct Level {
  TREEWRIGHT_INLINE static Derivatives at(double level, double y, double raw) {
    return {raw > y ? 1.0 - level : -level, 1.0};
  }
  TREEWRIGHT_INLINE static double loss(double level, double y, double raw) {
    return raw > y ? (1.0 - level) * (raw - y) : level * (y - raw);
  }
};

TREEWRIGHT_ROW_LOOPS(kAbsolute, Absolute);
TREEWRIGHT_ROW_LOOPS(kLevel, Level);

class QuantilesObjective : public RowObjective {
 public:
  using RowObjective::RowObjective;

  bool hessian_is_weight() const override { return true; }
  bool renews_leaves() const override { return true; }

  void check(const Targets& rows) const override {
    check_rows(rows, "targets must be finite numbers", [](double) { return true; });
  }

  std::vector<double> start(const Targets& rows, std::span<const double> offset) const override {
    WeightedNumbers rest = residuals(rows, offset);
    return {middle_quantile(rest, parameter_)};
  }

  double leaf_value(const Targets& rows, const double* raw, std::size_t,
                    std::span<const RowId> leaf) const override {
    WeightedNumbers rest = residuals(rows, raw, leaf);
    return lower_quantile(rest, parameter_);
  }
};

}  // namespace

class AbsoluteErrorObjective final : public QuantilesObjective {
 public:
  static constexpr std::string_view kName = "absolute_error";
  static constexpr AnswerKind kAnswer = AnswerKind::kNumber;
  static constexpr std::string_view kLink = "identity";
  static std::unique_ptr<Objective> make(const ObjectiveParams&) {
    return std::make_unique<AbsoluteErrorObjective>();
  }

  AbsoluteErrorObjective() : QuantilesObjective(kAbsolute, 0.5) {}
};

class QuantileObjective final : public QuantilesObjective {
 public:
  static constexpr std::string_view kName = "quantile";
  static constexpr AnswerKind kAnswer = AnswerKind::kNumber;
  static constexpr std::string_view kLink = "identity";
  static constexpr std::string_view kParameter = "quantile";
  static std::unique_ptr<Objective> make(const ObjectiveParams& params) {
    return std::make_unique<QuantileObjective>(checked_quantile(params.quantile));
  }

  explicit QuantileObjective(double level) : QuantilesObjective(kLevel, level) {}
};

template ObjectiveEntry entry_of<AbsoluteErrorObjective>();
template ObjectiveEntry entry_of<QuantileObjective>();

}  // namespace treewright
