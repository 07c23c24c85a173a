// Precision: the numbers in which a booster keeps targets, scores and steps between its trees. Everything
// that the exact method does otherwise than the others stands here.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "objective/objective.h"

namespace treewright {

class Precision {
 public:
  virtual ~Precision() = default;
  // Targets and scores as the rounds see them.
  virtual Targets targets(const Targets& rows) { return rows; }
  virtual std::vector<double> scores(std::vector<double> raw) const { return raw; }
  // What a leaf adds to the scores of its rows.
  virtual double step(double value, double learning_rate) const { return value * learning_rate; }
  // Whether sums of gradients may be taken in double precision.
  virtual bool has_whole_gradients() const { return true; }
  virtual float hessian_factor(std::size_t) const { return 1.0F; }
};

// Of the exact method: the xgboost package, which it equals, has floats throughout.
class SinglePrecision final : public Precision {
 public:
  Targets targets(const Targets& rows) override {
    y_ = rounded(rows.y);
    weights_ = rounded(rows.weights);
    return {y_, weights_};
  }
  std::vector<double> scores(std::vector<double> raw) const override { return rounded(raw); }
  double step(double value, double learning_rate) const override {
    return static_cast<double>(static_cast<float>(value) * static_cast<float>(learning_rate));
  }
  bool has_whole_gradients() const override { return false; }
  // Twice the second derivative: the package's bound for what the other classes do at the same time.
  float hessian_factor(std::size_t outputs) const override { return outputs > 1 ? 2.0F : 1.0F; }

 private:
  static std::vector<double> rounded(std::span<const double> numbers) {
    std::vector<double> singles(numbers.begin(), numbers.end());
    for (double& number : singles) number = static_cast<double>(static_cast<float>(number));
    return singles;
  }

  std::vector<double> y_, weights_;
};

}  // namespace treewright
