// RowObjective: an objective of one output whose loss is a sum over rows. The loops over rows are templates
// of a formula; each family compiles them for its formulas, for wide registers too.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>

#include "base/processor.h"
#include "objective/objective.h"

namespace treewright {

// Some rows of the targets and their scores. `weights` is null where every row counts once.
struct ScoredRows {
  const double* y;
  const double* weights;
  const double* raw;
  std::size_t size;
};

struct Derivatives {
  double gradient;
  double hessian;
};

// The loss of one row: Formula::loss(parameter, y, raw); Formula::at(...) gives both derivatives.
template <class Formula>
concept RowFormula = requires(double parameter, double y, double raw) {
  { Formula::at(parameter, y, raw) } -> std::same_as<Derivatives>;
  { Formula::loss(parameter, y, raw) } -> std::same_as<double>;
};

template <RowFormula Formula, class Number>
TREEWRIGHT_INLINE void fill_gradients(double parameter, const ScoredRows& rows, Number* __restrict gradient,
                                      Number* __restrict hessian) {
  if (rows.weights == nullptr) {
    for (std::size_t i = 0; i < rows.size; ++i) {
      const Derivatives at = Formula::at(parameter, rows.y[i], rows.raw[i]);
      gradient[i] = static_cast<Number>(at.gradient);
      hessian[i] = static_cast<Number>(at.hessian);
    }
    return;
  }
  for (std::size_t i = 0; i < rows.size; ++i) {
    const Derivatives at = Formula::at(parameter, rows.y[i], rows.raw[i]);
    gradient[i] = static_cast<Number>(rows.weights[i] * at.gradient);
    hessian[i] = static_cast<Number>(rows.weights[i] * at.hessian);
  }
}

template <RowFormula Formula>
TREEWRIGHT_INLINE void fill_losses(double parameter, const ScoredRows& rows, double* __restrict losses) {
  for (std::size_t i = 0; i < rows.size; ++i) losses[i] = Formula::loss(parameter, rows.y[i], rows.raw[i]);
}

// The loops of one formula. `parameter` is its quantile, power or scale, where it has one.
struct RowLoops {
  void (*gradients_single)(double parameter, const ScoredRows& rows, float* gradient, float* hessian);
  void (*gradients_double)(double parameter, const ScoredRows& rows, double* gradient, double* hessian);
  void (*losses)(double parameter, const ScoredRows& rows, double* losses);
};

// The loops of a formula as the constant `name`, compiled for wide registers, too.
#define TREEWRIGHT_ROW_LOOPS(name, Formula)                                                        \
  TREEWRIGHT_WIDE_REGISTERS                                                                        \
  void name##Single(double parameter, const ScoredRows& rows, float* gradient, float* hessian) {   \
    fill_gradients<Formula>(parameter, rows, gradient, hessian);                                   \
  }                                                                                                \
  TREEWRIGHT_WIDE_REGISTERS                                                                        \
  void name##Double(double parameter, const ScoredRows& rows, double* gradient, double* hessian) { \
    fill_gradients<Formula>(parameter, rows, gradient, hessian);                                   \
  }                                                                                                \
  TREEWRIGHT_WIDE_REGISTERS                                                                        \
  void name##Losses(double parameter, const ScoredRows& rows, double* out) {                       \
    fill_losses<Formula>(parameter, rows, out);                                                    \
  }                                                                                                \
  constexpr RowLoops name {                                                                        \
    name##Single, name##Double, name##Losses                                                       \
  }

// Four sums side by side: faster than one, and the order of additions does not depend on the processor.
inline double sum_of_losses(const double* losses, const double* weights, std::size_t n) {
  double a = 0, b = 0, c = 0, d = 0;
  const auto loss = [&](std::size_t i) { return weights == nullptr ? losses[i] : weights[i] * losses[i]; };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a += loss(i);
    b += loss(i + 1);
    c += loss(i + 2);
    d += loss(i + 3);
  }
  for (; i < n; ++i) a += loss(i);
  return (a + b) + (c + d);
}

class RowObjective : public Objective {
 public:
  explicit RowObjective(const RowLoops& loops, double parameter = 0.0)
      : parameter_(parameter), loops_(loops) {}

  void gradients(const Targets& rows, const double* raw, std::size_t begin, std::size_t end, float* gradient,
                 float* hessian) const override {
    loops_.gradients_single(parameter_, block(rows, raw, begin, end), gradient, hessian);
  }

  void gradients(const Targets& rows, const double* raw, std::size_t begin, std::size_t end, double* gradient,
                 double* hessian) const override {
    loops_.gradients_double(parameter_, block(rows, raw, begin, end), gradient, hessian);
  }

  double total(const Targets& rows, const double* raw, std::size_t begin, std::size_t end) const override {
    constexpr std::size_t kRows = 512;
    std::array<double, kRows> losses;
    double sum = 0;
    for (std::size_t at = begin; at < end; at += kRows) {
      const ScoredRows some = block(rows, raw, at, std::min(at + kRows, end));
      loops_.losses(parameter_, some, losses.data());
      sum += sum_of_losses(losses.data(), some.weights, some.size);
    }
    return sum;
  }

 protected:
  double parameter_;

 private:
  static ScoredRows block(const Targets& rows, const double* raw, std::size_t begin, std::size_t end) {
    return {rows.y.data() + begin, rows.weights.empty() ? nullptr : rows.weights.data() + begin, raw + begin,
            end - begin};
  }

  const RowLoops& loops_;
};

}  // namespace treewright
