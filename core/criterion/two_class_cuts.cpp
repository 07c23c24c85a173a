#include "criterion/two_class_cuts.h"

#include "base/processor.h"

namespace treewright {

namespace {

inline double gain_of(const TwoClassNode& node, double weight, double second) {
  const double excess = second - node.share * weight;
  const double sides = weight * (node.weight - weight);
  return sides > 0 ? 2.0 * excess * excess * node.weight / sides : 0.0;
}

}  // namespace

TREEWRIGHT_WIDE_REGISTERS
double two_class_gains(const TwoClassNode& node, const double* weight, const double* second, std::size_t n,
                       double* gain) {
  constexpr std::size_t kAtOnce = 4;
  const TwoClassNode own = node;
  for (std::size_t i = 0; i < n; ++i) gain[i] = gain_of(own, weight[i], second[i]);
  double highest[kAtOnce] = {};  // no gain is negative
  std::size_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    for (std::size_t lane = 0; lane < kAtOnce; ++lane) {
      highest[lane] = gain[i + lane] > highest[lane] ? gain[i + lane] : highest[lane];
    }
  }
  for (; i < n; ++i) highest[0] = gain[i] > highest[0] ? gain[i] : highest[0];
  for (std::size_t lane = 1; lane < kAtOnce; ++lane) {
    highest[0] = highest[lane] > highest[0] ? highest[lane] : highest[0];
  }
  return highest[0];
}

TREEWRIGHT_WIDE_REGISTERS
void two_class_bounds(const TwoClassNode& node, const double* weight, const double* second,
                      const double* zeros, const double* ones, std::size_t n, double* bound) {
  const TwoClassNode own = node;
  for (std::size_t i = 0; i < n; ++i) {
    const double ones_first = gain_of(own, weight[i] + ones[i], second[i] + ones[i]);
    const double zeros_first = gain_of(own, weight[i] + zeros[i], second[i]);
    bound[i] = ones_first > zeros_first ? ones_first : zeros_first;
  }
}

}  // namespace treewright
