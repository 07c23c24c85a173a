// CompiledTree: a tree made ready for prediction. Which kernel can serve it is decided once, when it is made.
//
//   lean      thresholds alone: eight rows at a time (lean_nodes.h). Where surrogates or shares say what
//   happens to
//             missing values, only groups of rows that are complete go this way.
//   general   everything else, one row at a time (general_nodes.h), shares in fractional.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "predict/general_nodes.h"
#include "predict/lean_nodes.h"
#include "predict/matrix.h"
#include "tree/tree.h"

namespace treewright {

class CompiledTree {
 public:
  // The tree has passed check_tree with these n_codes.
  CompiledTree(const Tree& tree, std::span<const Code> n_codes);

  std::size_t n_nodes() const { return weight_.size(); }
  std::size_t n_outputs() const { return n_outputs_; }
  std::span<const FeatureId> used_features() const { return used_features_; }  // ascending

  // Writes the id of row i's leaf to out[i * out_stride]. A row that is shared among branches gets the leaf
  // with the largest share, the lowest id among equals.
  template <class T>
  void leaves(const MatrixRows<T>& rows, NodeId* out, std::size_t out_stride) const;

  // Adds the leaf values of row i to out[i * n_outputs() ...]; a shared row adds share * value of each leaf.
  template <class T>
  void add_values(const MatrixRows<T>& rows, double* out) const;

  // Appends the ids of all nodes that the row reaches, ascending.
  template <class T>
  void append_path(const T* row, std::vector<NodeId>& out) const;

 private:
  struct Part {  // of a row: it is at `node` with this share of its weight
    NodeId node;
    double share;
  };

  void compile_lean(const Tree& tree, std::size_t n_features);

  template <class T>
  void leaves_lean(const MatrixRows<T>& rows, NodeId* out, std::size_t out_stride) const;
  template <class T>
  void leaves_general(const MatrixRows<T>& rows, NodeId* out, std::size_t out_stride) const;
  template <class T>
  bool is_complete(const MatrixRows<T>& rows) const;

  // fractional.cpp. Calls visit(node, share) for every leaf (and every node where shares end) that the row
  // reaches and pass(node) for every node on the way there.
  template <class T, class Visit, class Pass>
  void share_out(const T* row, Visit&& visit, Pass&& pass) const;
  bool push_shares(const Part& part, std::vector<Part>& stack) const;
  template <class T>
  NodeId main_leaf(const T* row) const;
  template <class T>
  void add_shares(const T* row, double* out) const;
  template <class T>
  void append_shared_path(const T* row, std::vector<NodeId>& out) const;

  std::size_t n_outputs_;
  std::vector<double> value_;
  std::vector<double> weight_;
  std::vector<FeatureId> used_features_;
  GeneralNodes general_;

  std::vector<PackedNode> packed_;   // empty when the tree is too large, or not lean
  std::vector<WideNode> wide_;       // empty when the tree is not lean
  std::size_t sure_steps_ = 0;       // depth of the highest leaf
  bool missing_goes_right_ = false;  // at some node
  bool lean_needs_complete_rows_ = false;
  bool fractional_ = false;  // a row may be shared among branches
};

}  // namespace treewright
