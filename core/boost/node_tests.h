// The tests that a node of a boosted tree could have made: the best of every column, found by the grower of
// the fit. For reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "data/dataset.h"
#include "split/monotone.h"
#include "tree/tree.h"

namespace treewright {

struct NodeTest {
  NodeKind kind = NodeKind::kLeaf;  // a leaf: the column offers no test
  bool is_constant = false;         // because all rows have the same value
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::uint32_t> branches;  // of every code, 0 = missing first
  std::array<std::size_t, 2> rows{};    // of both sides, and sums of what the tree was grown on
  std::array<double, 2> gradient{}, hessian{};
};

// Where the node is.
struct NodePlace {
  std::uint64_t round = 0;
  std::size_t output = 0;
  bool exact = false;  // by the exact method; else by histograms
  ValueBounds bounds;  // what monotone constraints above the node allow
};

// `gradients` are those of all rows of the round, `rows` those of the node. Every column is asked, also those
// that were not drawn or that other constraints ruled out.
std::vector<NodeTest> node_tests(const Dataset& data, const BoostPlan& plan, const Gradients& gradients,
                                 const NodePlace& place, std::span<const RowId> rows, Team& team);

}  // namespace treewright
