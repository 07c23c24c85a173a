// The codes of a column that the rows of a node hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/dataset.h"
#include "grow/open_node.h"

namespace treewright {

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
