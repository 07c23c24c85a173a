// Pessimistic errors: how many errors more than the e seen among N rows a node is expected to make (C4.5).
// The upper end of a confidence interval for the error rate, in the two versions that programs have used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

// Quinlan's Release 8 and WEKA's J48: the same procedure with other details (tolerances, the normal deviate).
enum class PruneProgram : std::uint8_t { kRelease8, kJ48 };

class ExtraErrors {
 public:
  // confidence is above 0 and at most 1; throws std::invalid_argument otherwise.
  ExtraErrors(PruneProgram program, double confidence);

  // weight > 0, 0 <= errors <= weight.
  double operator()(double weight, double errors) const {
    return program_ == PruneProgram::kRelease8 ? release_8(weight, errors) : j48(weight, errors);
  }

 private:
  double release_8(double weight, double errors) const;
  double j48(double weight, double errors) const;
  double without_errors(double weight) const;
  double upper_limit(double weight, double errors) const;

  PruneProgram program_;
  double confidence_;
  double square_;                 // of the normal deviate
  std::vector<double> no_error_;  // without_errors of small whole weights: a power is slow
};

// z with P(Z > z) = probability for a standard normal Z; probability is above 0 and at most 0.5.
double upper_deviate(double probability);

}  // namespace treewright
