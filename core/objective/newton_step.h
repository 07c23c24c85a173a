// newton_step: −G / H, or no step where H says nothing.
#pragma once

namespace treewright {

inline double newton_step(double gradient, double hessian) {
  constexpr double kLeast = 1e-150;  // probabilities of exactly 0 and 1: no step makes the loss smaller
  return hessian < kLeast ? 0.0 : -gradient / hessian;
}

}  // namespace treewright
