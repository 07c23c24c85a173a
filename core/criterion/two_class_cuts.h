// The Gini gains of many cuts at once, for two classes. The same formula as Gini::TwoClassScan, over arrays,
// so that a processor works on several cuts at a time.
#pragma once

#include <cstddef>

namespace treewright {

struct TwoClassNode {
  double weight;  // of all rows
  double share;   // of the second class
};

// weight[i] and second[i]: what the i-th cut sends left, of both classes and of the second. Returns the
// highest gain.
double two_class_gains(const TwoClassNode& node, const double* weight, const double* second, std::size_t n,
                       double* gain);

// The most that a cut between the rows of a group could gain: weight[i] and second[i] stand before the group,
// zeros[i] and ones[i] are its own. The gain is convex, so it is largest where one class stands before the
// other (or at an end of the group, which two_class_gains covers).
void two_class_bounds(const TwoClassNode& node, const double* weight, const double* second,
                      const double* zeros, const double* ones, std::size_t n, double* bound);

}  // namespace treewright
