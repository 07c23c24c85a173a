// OpenNode: a node of the growing tree whose split is not decided yet, with its rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.h"
#include "criterion/summary.h"
#include "data/dataset.h"
#include "split/monotone.h"

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
  ValueBounds bounds;  // set by monotone constraints above
};

// Ascending, without missing.
template <class Sample>
std::vector<Code> codes_seen(const Column& column, const OpenNode<Sample>& node) {
  std::vector<Code> seen;
  visit_codes(column, [&](const auto* codes) {
    if (column.n_codes <= 4 * node.size) {
      std::vector<bool> present(static_cast<std::size_t>(column.n_codes) + 1, false);
      for (std::size_t i = 0; i < node.size; ++i) present[codes[node.rows[i]]] = true;
      for (Code code = 1; code <= column.n_codes; ++code) {
        if (present[code]) seen.push_back(code);
      }
      return;
    }
    for (std::size_t i = 0; i < node.size; ++i) {
      if (codes[node.rows[i]] != kMissing) seen.push_back(codes[node.rows[i]]);
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  });
  return seen;
}

}  // namespace treewright
