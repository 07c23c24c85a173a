// Newton step (Chen & Guestrin 2016): the loss of a leaf with its best value −G/(H + λ) is −½·G²/(H + λ).
#pragma once

#include <cstddef>
#include <vector>

#include "criterion/summary.h"
#include "target/gradient_pair.h"

namespace treewright {

struct Newton {
  using Target = GradientPair;
  using Sample = GradientPair::Sample;
  using Cell = GradientPair::Cell;
  static constexpr bool kOrdered = false;
  using ScanBuffer = std::vector<double>;

  Target target;
  double l2 = 0;  // λ

  static int outputs() { return 1; }

  double half_square(Cell cell) const {
    const double gradient = target.gradient(cell), hessian = target.hessian(cell) + l2;
    return hessian > 0 ? 0.5 * gradient * gradient / hessian : 0.0;
  }

  Summary summarise(const Sample* samples, std::size_t n) const {
    Cell sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += samples[i].pair;
    return of_sum(sum, n);
  }
  Summary of_sum(Cell sum, std::size_t rows) const {
    Summary summary;
    summary.rows = rows;
    summary.weight = target.hessian(sum);
    summary.loss = -half_square(sum);
    summary.pure = rows < 2;
    // Halves of the cell, each exact as a double.
    summary.totals = {static_cast<double>(Target::gradient_steps(sum)),
                      static_cast<double>(Target::hessian_steps(sum))};
    return summary;
  }
  static Cell cell_of(const double* totals) {
    return Target::pack(static_cast<std::int64_t>(totals[0]), static_cast<std::int64_t>(totals[1]));
  }

  void value(const Summary& summary, double* out) const {
    const Cell sum = cell_of(summary.totals.data());
    const double hessian = target.hessian(sum) + l2;
    out[0] = hessian > 0 ? -target.gradient(sum) / hessian : 0.0;
  }

  class Scan;
};

class Newton::Scan {
 public:
  Scan(const Newton& criterion, const double* totals, double weight, std::vector<double>&)
      : criterion_(criterion), all_(cell_of(totals)), weight_(weight), before_(criterion.half_square(all_)) {}

  void move(Sample sample) { left_ += sample.pair; }
  void move_bucket(const Cell* bucket) { left_ += *bucket; }
  double gain() const {
    return criterion_.half_square(left_) + criterion_.half_square(all_ - left_) - before_;
  }
  double left_weight() const { return criterion_.target.hessian(left_); }
  double total_weight() const { return weight_; }
  double left_value() const { return value(left_); }
  double right_value() const { return value(all_ - left_); }

 private:
  double value(Cell cell) const {
    const double hessian = criterion_.target.hessian(cell) + criterion_.l2;
    return hessian > 0 ? -criterion_.target.gradient(cell) / hessian : 0.0;
  }

  const Newton& criterion_;
  Cell all_, left_ = 0;
  double weight_, before_;
};

}  // namespace treewright
