// Gradients to whole steps. A number between two steps goes up with the probability of its distance from the
// lower one, so that sums are right on average; the draw belongs to the row and the round, not to a thread.
// Wide steps are so fine that the nearest does.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "boost/steps.h"

namespace treewright {

class Quantiser {
 public:
  Quantiser() = default;
  // `most`: steps of the largest gradient and hessian. A hessian that all rows share is one step.
  Quantiser(double largest_gradient, double largest_hessian, bool equal_hessians, std::int64_t most,
            std::uint64_t key)
      : equal_hessians_(equal_hessians), key_(static_cast<std::uint32_t>(key)) {
    const auto steps = static_cast<double>(most);
    if (largest_gradient > 0) units_.gradient = largest_gradient / steps;
    if (largest_hessian > 0) units_.hessian = equal_hessians ? largest_hessian : largest_hessian / steps;
  }

  const StepUnits& units() const { return units_; }
  bool counts_rows() const { return equal_hessians_; }  // steps of hessians are rows then

  // Rows first_row ... first_row + n - 1, whose gradients begin at the pointers.
  void steps_of_rows(const float* gradient, const float* hessian, std::size_t first_row, std::size_t n,
                     PackedSteps::Stored* out) const;
  void steps_of_rows(const float* gradient, const float* hessian, std::size_t first_row, std::size_t n,
                     WideSteps::Stored* out) const;

 private:
  StepUnits units_;
  bool equal_hessians_ = false;
  std::uint32_t key_ = 0;
};

}  // namespace treewright
