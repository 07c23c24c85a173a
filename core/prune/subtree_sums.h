// Sums over the rows under each node from the sums of the rows that end there: one pass upwards, so that a
// row is not walked along its path. With them the errors of every subtree on new rows cost no more than one
// apply.
#pragma once

#include <cstddef>
#include <span>

#include "prune/weakest_link.h"

namespace treewright {

// Adds to the columns of each node (sums: n_nodes * n_columns) those of all nodes below.
void sum_subtrees(const Links& links, std::size_t n_columns, std::span<double> sums);

// The same for the sums of w * (y - value of the node)^p, p = 0 ... n_powers - 1: on the way up they are
// moved from the value of the child to that of the parent, which loses no digits, unlike sums of y^p.
void sum_powers(const Links& links, std::span<const double> value, std::size_t n_powers,
                std::span<double> sums);

}  // namespace treewright
