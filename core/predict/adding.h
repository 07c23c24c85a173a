// How the numbers of trees are added to a score: in double precision, or with every sum rounded to single
// precision, as XGBoost does. Rounding a double sum of two float32 numbers is the float32 sum.
#pragma once

namespace treewright {

struct DoubleSum {
  static void add(double& score, double number) { score += number; }
};

struct SingleSum {
  static void add(double& score, double number) { score = static_cast<float>(score + number); }
};

// Calls visit(DoubleSum or SingleSum).
template <class Visit>
void visit_sum(bool single, Visit&& visit) {
  if (single) {
    visit(SingleSum{});
  } else {
    visit(DoubleSum{});
  }
}

}  // namespace treewright
