// TreeRows: which rows of a table reach a node of a tree, and with which share of their weight, as growing
// sent them there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "predict/general_nodes.h"
#include "predict/matrix.h"
#include "tree/tree.h"

namespace treewright {

struct WeightedRows {
  std::vector<RowId> rows;                     // in the order in which they were given
  std::optional<std::vector<double>> weights;  // one per row, shares included; none: each counts 1
};

class TreeRows {
 public:
  // Throws std::invalid_argument when the tree breaks an invariant.
  TreeRows(Tree tree, std::span<const Code> n_codes);

  // Where the test of an inner node sends each of the rows: a branch, kEveryBranch or kStopHere.
  template <class T>
  std::vector<std::uint32_t> branches(NodeId node, const MatrixView<T>& matrix,
                                      std::span<const RowId> rows) const;

  // The rows of a node that take one branch of its test. Rows that go down every branch come with their share
  // of the weight: the branch's part of the rows whose branch is known. Nobody shares a branch without such
  // rows. `single`: shares are products in single precision.
  template <class T>
  WeightedRows down(NodeId node, std::uint32_t branch, const MatrixView<T>& matrix, const WeightedRows& at,
                    bool single) const;

  // The rows of any node, from those of the root.
  template <class T>
  WeightedRows at(NodeId node, const MatrixView<T>& matrix, WeightedRows root, bool single) const;

 private:
  template <class T>
  void check(const MatrixView<T>& matrix, std::span<const RowId> rows) const;
  std::vector<FeatureId> tested_features(NodeId node) const;

  Tree tree_;
  std::size_t n_features_;
  GeneralNodes nodes_;
};

}  // namespace treewright
