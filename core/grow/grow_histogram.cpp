#include "grow/bag.h"
#include "grow/grow.h"
#include "grow/grower.h"
#include "grow/histogram_finder.h"

namespace treewright {

Tree grow_gradients(const Dataset& data, std::span<const double> gradients, std::span<const double> hessians,
                    double l2, const GrowPlan& plan, Team& team) {
  check_lengths(data.n_rows, gradients.size(), hessians.size());
  if (hessians.empty()) throw std::invalid_argument("A Newton step needs hessians.");
  if (plan.missing != MissingRule::kLearned || plan.categories != CategoryGrouping::kSubset ||
      plan.min_rows_leaf > 1) {
    throw std::invalid_argument(
        "Histograms of gradients know learned missing values, binary splits and min_weight_leaf only.");
  }
  const Newton criterion{GradientPair::fitting(gradients, hessians), l2};
  auto bag = empty_bag<Newton::Sample>(data.n_rows);
  for (std::size_t i = 0; i < data.n_rows; ++i)
    bag.samples[i] = criterion.target.sample(gradients[i], hessians[i]);
  HistogramFinder finder(data, plan, criterion, team);
  return Grower(data, plan, finder, bag, team).grow();
}

}  // namespace treewright
