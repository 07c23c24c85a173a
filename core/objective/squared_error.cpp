// Half the squared error.
#include "objective/check_rows.h"
#include "objective/families.h"
#include "objective/row_objective.h"

namespace treewright {

namespace {

struct Formula {
  TREEWRIGHT_INLINE static Derivatives at(double, double y, double raw) { return {raw - y, 1.0}; }
  TREEWRIGHT_INLINE static double loss(double, double y, double raw) { return 0.5 * (y - raw) * (y - raw); }
};

TREEWRIGHT_ROW_LOOPS(kLoops, Formula);

}  // namespace

class SquaredErrorObjective final : public RowObjective {
 public:
  static constexpr std::string_view kName = "squared_error";
  static constexpr AnswerKind kAnswer = AnswerKind::kNumber;
  static constexpr std::string_view kLink = "identity";
  static constexpr double kScoreFactor = 2.0;  // halved, so that the derivative is the error
  static std::unique_ptr<Objective> make(const ObjectiveParams&) {
    return std::make_unique<SquaredErrorObjective>();
  }

  SquaredErrorObjective() : RowObjective(kLoops) {}

  bool hessian_is_weight() const override { return true; }

  void check(const Targets& rows) const override {
    check_rows(rows, "targets must be finite numbers", [](double) { return true; });
  }

  std::vector<double> start(const Targets& rows, std::span<const double> offset) const override {
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sum += rows.weight(i) * (rows.y[i] - (offset.empty() ? 0.0 : offset[i]));
      weight += rows.weight(i);
    }
    return {weight > 0 ? sum / weight : 0.0};
  }

  double leaf_value(const Targets& rows, const double* raw, std::size_t,
                    std::span<const RowId> leaf) const override {
    double sum = 0, weight = 0;
    for (const RowId row : leaf) {
      sum += rows.weight(row) * (rows.y[row] - raw[row]);
      weight += rows.weight(row);
    }
    return weight > 0 ? sum / weight : 0.0;
  }
};

template ObjectiveEntry entry_of<SquaredErrorObjective>();

}  // namespace treewright
