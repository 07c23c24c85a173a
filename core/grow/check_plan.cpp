#include "grow/check_plan.h"

#include <stdexcept>

namespace treewright {

void check_plan(const GrowPlan& plan, std::size_t n_columns) {
  if (!plan.monotone.empty() && plan.monotone.size() != n_columns) {
    throw std::invalid_argument("The plan must name a monotone direction for every column.");
  }
  const bool many_branches = plan.categories != CategoryGrouping::kSubset;
  const bool shares = plan.missing == MissingRule::kFractional || plan.missing == MissingRule::kOwnBranch;
  if (many_branches && !shares) {
    throw std::invalid_argument(
        "Multiway splits need missing values in fractions or in a branch of their own.");
  }
  if (many_branches && !is_for_classes(plan.criterion)) {
    throw std::invalid_argument("Multiway splits need a criterion on classes.");
  }
  const bool is_c45 = plan.arithmetic != Arithmetic::kExact || plan.categories > CategoryGrouping::kMultiway;
  if (is_c45 && !entry_of(plan.criterion).in_bits) {
    throw std::invalid_argument("The arithmetic and the groups of C4.5 need the criterion entropy.");
  }
  if (plan.categories == CategoryGrouping::kMerged && plan.arithmetic != Arithmetic::kSingle) {
    throw std::invalid_argument("Merged categories need single-precision arithmetic.");
  }
  if (plan.arithmetic == Arithmetic::kSingle && plan.declared_classes < 1) {
    throw std::invalid_argument("Single-precision arithmetic needs the number of declared classes.");
  }
}

}  // namespace treewright
