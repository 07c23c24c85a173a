// Limits: what a test at this node must respect, the same for every feature but for `monotone`.
#pragma once

#include <cstddef>
#include <limits>

namespace treewright {

struct Limits {
  std::size_t min_rows = 1;                                 // rows per side
  double min_weight = 0;                                    // weight per side
  double tie = 0;                                           // a better candidate is better by more than this
  double floor = -std::numeric_limits<double>::infinity();  // and the first one better than this by as much
  double lower = -std::numeric_limits<double>::infinity();  // values allowed by monotone constraints above
  double upper = std::numeric_limits<double>::infinity();
  int monotone = 0;      // -1, 0, 1: direction asked of this feature
  bool bounded = false;  // some feature has a monotone constraint

  // A feature without a direction may leave the bounds: its children's values are clipped to them.
  bool allow(double left_value, double right_value) const {
    if (monotone == 0) return true;
    if (left_value < lower || right_value < lower || left_value > upper || right_value > upper) return false;
    return (left_value - right_value) * monotone <= 0;
  }
};

}  // namespace treewright
