// Sums of all cells up to each, as double-precision numbers: what a cut behind the cell leaves on its left.
// Whole numbers of at most 51 bits, so that nothing is rounded.
#pragma once

#include <cstddef>

#include "base/types.h"
#include "boost/steps.h"

namespace treewright {

// gradients[i], hessians[i]: `start` and cells 0 ... i, i < n; or cells codes[0] ... codes[i].
void left_sums(const PackedSteps::Cell* cells, std::size_t n, StepSums start, double* gradients,
               double* hessians);
void left_sums(const WideSteps::Cell* cells, std::size_t n, StepSums start, double* gradients,
               double* hessians);
void left_sums(const PackedSteps::Cell* cells, const Code* codes, std::size_t n, StepSums start,
               double* gradients, double* hessians);
void left_sums(const WideSteps::Cell* cells, const Code* codes, std::size_t n, StepSums start,
               double* gradients, double* hessians);

}  // namespace treewright
