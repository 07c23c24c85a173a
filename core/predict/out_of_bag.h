// What a forest says about its own training rows, each asked only of the trees that did not see it.
// Rows are read from the encoded table that the forest was grown from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "predict/forest_predictor.h"

namespace treewright {

// How often each row is in the bag of a tree; called by several threads at once.
using BagOfTree = std::function<std::vector<std::uint32_t>(std::size_t tree)>;

struct OutOfBag {
  std::vector<double> sums;            // n_rows * n_outputs: of the answers, or of the votes
  std::vector<std::uint32_t> n_trees;  // that answered
};

// Of the trees first ... last - 1, added in their order. Throws std::invalid_argument when the table does not
// fit the forest.
OutOfBag out_of_bag(const ForestPredictor& predictor, const Dataset& data, const BagOfTree& bag,
                    std::size_t first, std::size_t last, bool votes, Team& team);

}  // namespace treewright
