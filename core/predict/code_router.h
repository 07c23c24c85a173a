// CodeRouter: the leaf of a row of an encoded table, also of a row that the tree was not grown on. Thresholds
// are turned into codes once, so a row is never looked up by value. For trees of two branches per node that
// neither share rows nor stop them.
#pragma once

#include <cstddef>
#include <vector>

#include "data/dataset.h"
#include "tree/code_route.h"
#include "tree/tree.h"

namespace treewright {

class CodeRouter {
 public:
  // A threshold inside a bin sends the whole bin to branch 0.
  CodeRouter(const Tree& tree, const Dataset& data) : tree_(tree), data_(data), cut_(tree.size(), 0) {
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] != NodeKind::kThreshold) continue;
      const Column& column = data.column(tree.feature[node]);
      cut_[node] = cut_at_threshold(tree.threshold[node], column.n_codes,
                                    [&](Code code) { return column.value_from(code); });
    }
  }

  // The last code of branch 0 of a threshold; 0 where it has none.
  Code cut(std::size_t node) const { return cut_[node]; }

  std::size_t leaf_of(std::size_t row) const {
    std::size_t node = 0;
    while (tree_.kind[node] != NodeKind::kLeaf) {
      const Code code = visit_codes(data_.column(tree_.feature[node]),
                                    [row](const auto* codes) { return static_cast<Code>(codes[row]); });
      node =
          static_cast<std::size_t>(tree_.first_child[node]) + route_of(tree_, node, cut_[node]).branch(code);
    }
    return node;
  }

 private:
  const Tree& tree_;
  const Dataset& data_;
  std::vector<Code> cut_;
};

}  // namespace treewright
