// Gradients and hessians of rows, one by one in single and summed in double precision.
#pragma once

namespace treewright {

struct RowGradient {
  float gradient;
  float hessian;

  // A row without any weight is not part of the round, and a negative hessian has no smallest loss.
  bool in_sample() const { return hessian > 0 || (hessian == 0 && gradient != 0); }
};

struct GradientSum {
  double gradient = 0;
  double hessian = 0;

  void add(RowGradient row) {
    gradient += static_cast<double>(row.gradient);
    hessian += static_cast<double>(row.hessian);
  }
  GradientSum operator-(const GradientSum& other) const {
    return {gradient - other.gradient, hessian - other.hessian};
  }
};

}  // namespace treewright
