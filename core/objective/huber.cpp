// Huber's loss: half the square of small errors, the size of large ones. What is small is decided anew in
// every round: the share of errors that `share` says (Friedman 2001, Algorithm 4).
#include <cmath>

#include "objective/check_rows.h"
#include "objective/families.h"
#include "objective/row_objective.h"
#include "objective/weighted_quantile.h"

namespace treewright {

namespace {

struct Formula {
  TREEWRIGHT_INLINE static Derivatives at(double scale, double y, double raw) {
    const double error = raw - y;
    const double above = error > scale ? scale : error;
    return {above < -scale ? -scale : above, 1.0};
  }
  TREEWRIGHT_INLINE static double loss(double scale, double y, double raw) {
    const double size = raw > y ? raw - y : y - raw;
    return size > scale ? scale * (size - 0.5 * scale) : 0.5 * size * size;
  }
};

TREEWRIGHT_ROW_LOOPS(kLoops, Formula);

}  // namespace

class HuberObjective final : public RowObjective {
 public:
  static constexpr std::string_view kName = "huber";
  static constexpr AnswerKind kAnswer = AnswerKind::kNumber;
  static constexpr std::string_view kLink = "identity";
  static constexpr std::string_view kParameter = "quantile";
  static std::unique_ptr<Objective> make(const ObjectiveParams& params) {
    return std::make_unique<HuberObjective>(checked_quantile(params.quantile));
  }

  explicit HuberObjective(double share) : RowObjective(kLoops, 1.0), share_(share) {}

  // The true second derivative is 0 beyond the scale, where a step still helps.
  bool hessian_is_weight() const override { return true; }
  bool renews_leaves() const override { return true; }

  void check(const Targets& rows) const override {
    check_rows(rows, "targets must be finite numbers", [](double) { return true; });
  }

  // The median, whatever the scale.
  std::vector<double> start(const Targets& rows, std::span<const double> offset) const override {
    WeightedNumbers rest = residuals(rows, offset);
    return {middle_quantile(rest, 0.5)};
  }

  void begin_round(const Targets& rows, const double* raw) override {
    WeightedNumbers sizes{{}, {rows.weights.begin(), rows.weights.end()}};
    sizes.values.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) sizes.values.push_back(std::abs(rows.y[i] - raw[i]));
    parameter_ = lower_quantile(sizes, share_);
  }

  // One step from the median towards the mean of what is small.
  double leaf_value(const Targets& rows, const double* raw, std::size_t,
                    std::span<const RowId> leaf) const override {
    WeightedNumbers rest = residuals(rows, raw, leaf);
    const double median = lower_quantile(rest, 0.5);
    double sum = 0, weight = 0;
    for (const RowId row : leaf) {
      sum -= rows.weight(row) * Formula::at(parameter_, rows.y[row] - raw[row], median).gradient;
      weight += rows.weight(row);
    }
    return weight > 0 ? median + sum / weight : 0.0;
  }

 private:
  const double share_;
};

template ObjectiveEntry entry_of<HuberObjective>();

}  // namespace treewright
