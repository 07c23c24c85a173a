#include "criterion/gini_subsets.h"

#include <algorithm>

#include "base/processor.h"

namespace treewright {

namespace {

TREEWRIGHT_WIDE_REGISTERS
void add_counts(const double* counts, std::size_t n_categories, double total, double* weight, double* squares,
                double* product) {
  alignas(64) double left[std::size_t{1} << (SubsetGains::kMostCategories - 1)];
  left[0] = 0;
  std::size_t n = 1;
  for (std::size_t c = 0; c + 1 < n_categories; ++c, n *= 2) {
    for (std::size_t i = 0; i < n; ++i) left[n + i] = left[i] + counts[c];
  }
  for (std::size_t i = 0; i < n; ++i) {
    weight[i] += left[i];
    squares[i] += left[i] * left[i];
    product[i] += left[i] * total;
  }
}

TREEWRIGHT_WIDE_REGISTERS
void mix_squares(const double* weight, const double* squares, const double* product, std::size_t n,
                 double all_weight, double all_squares, double* mixed) {
  for (std::size_t i = 0; i < n; ++i) {
    const double right = all_squares - 2.0 * product[i] + squares[i];
    mixed[i] = squares[i] * (all_weight - weight[i]) + right * weight[i];
  }
}

TREEWRIGHT_WIDE_REGISTERS
double highest_excess(const double* mixed, const double* weight, std::size_t n, double all_weight,
                      double needed) {
  constexpr std::size_t kAtOnce = 4;
  double highest[kAtOnce] = {};
  std::size_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    for (std::size_t lane = 0; lane < kAtOnce; ++lane) {
      const double w = weight[i + lane];
      const double excess = mixed[i + lane] - needed * w * (all_weight - w);
      highest[lane] = excess > highest[lane] ? excess : highest[lane];
    }
  }
  for (; i < n; ++i) {
    const double excess = mixed[i] - needed * weight[i] * (all_weight - weight[i]);
    highest[0] = excess > highest[0] ? excess : highest[0];
  }
  return std::max({highest[0], highest[1], highest[2], highest[3]});
}

}  // namespace

void SubsetGains::start(std::size_t n_categories, double weight, double squares) {
  n_categories_ = n_categories;
  n_subsets_ = std::size_t{1} << (n_categories - 1);
  all_ = weight;
  squares_ = squares;
  mean_square_ = squares / weight;
  std::fill_n(weight_, n_subsets_, 0.0);
  std::fill_n(left_squares_, n_subsets_, 0.0);
  std::fill_n(product_, n_subsets_, 0.0);
}

void SubsetGains::add_class(const double* counts, double total) {
  add_counts(counts, n_categories_, total, weight_, left_squares_, product_);
}

void SubsetGains::finish() {
  mix_squares(weight_, left_squares_, product_, n_subsets_, all_, squares_, mixed_);
}

bool SubsetGains::any_exceeds(double gain) const {
  constexpr double kRounding = 1e-12;
  const double needed = (gain + mean_square_) * (1 - kRounding);
  return highest_excess(mixed_, weight_, n_subsets_, all_, needed) > 0;
}

}  // namespace treewright
