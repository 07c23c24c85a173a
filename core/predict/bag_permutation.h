// Permutation importance from rows outside the bags (Breiman 2001): how much worse a tree does on the rows
// that it did not see when the values of one feature are dealt out among them anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "predict/forest_predictor.h"
#include "predict/out_of_bag.h"

namespace treewright {

struct PermutationPlan {
  std::size_t n_repeats = 1;
  std::uint64_t seed = 0;
};

// n_trees * n_features * n_repeats: the decrease of the share of right classes, or the increase of the mean
// squared error. 0 for a feature that the tree does not test, NaN where a tree has seen all rows.
// A tree's numbers depend on the seed and on its number alone.
// `truth` has one entry per row: the class, or the number. Throws std::invalid_argument when lengths differ.
std::vector<double> bag_permutation(const ForestPredictor& predictor, const Dataset& data,
                                    const BagOfTree& bag, std::span<const double> truth,
                                    const PermutationPlan& plan, Team& team);

}  // namespace treewright
