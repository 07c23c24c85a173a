// OpenNode: a node of the growing tree whose split is not decided yet, with its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/types.h"
#include "criterion/summary.h"

namespace treewright {

template <class Sample>
struct RowList {
  std::vector<RowId> rows;
  std::vector<Sample> samples;
};

template <class Sample>
struct OpenNode {
  NodeId id = 0;
  std::int64_t depth = 0;
  std::uint64_t key = 0;  // names the node's place in the tree: its random numbers depend on nothing else

  // A slice of the grower's row list, or of a list of its own where rows are split in fractions.
  RowId* rows = nullptr;
  Sample* samples = nullptr;
  std::size_t size = 0;
  std::shared_ptr<RowList<Sample>> own;

  Summary summary;
  double lower =
      -std::numeric_limits<double>::infinity();  // monotone constraints above allow values from here
  double upper = std::numeric_limits<double>::infinity();  // to here
};

}  // namespace treewright
