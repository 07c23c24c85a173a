// Quantiles of weighted numbers.
#pragma once

#include <vector>

namespace treewright {

struct WeightedNumbers {
  std::vector<double> values;
  std::vector<double> weights;  // empty: all count once
};

// The same number. Throws std::invalid_argument unless it is between 0 and 1.
double checked_quantile(double share);

// The least value at which the weight so far reaches `share` of the whole. The numbers are put in order.
double lower_quantile(WeightedNumbers& numbers, double share);

// The same, but the middle between that value and the next where the weight reaches `share` exactly: the
// ordinary median for share = 1/2.
double middle_quantile(WeightedNumbers& numbers, double share);

}  // namespace treewright
