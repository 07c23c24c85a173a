// ForestNodes: the trees of a forest made ready to be walked. Each form is made when it is first needed: 8
// bytes a node for thresholds, 16 bytes where there are sets of categories or very many columns
// (key_nodes.h). Positions are the trees' own node ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/types.h"
#include "predict/code_sets.h"
#include "predict/forest_slots.h"
#include "predict/key_nodes.h"
#include "predict/matrix.h"
#include "tree/forest.h"

namespace treewright {

// What to tell of a leaf: its id within its tree, or where its answer stands: the row of `distributions` for
// classes, the id for numbers.
enum class LeafName { kId, kRow };

class ForestNodes {
 public:
  // The forest has passed check_forest with these n_codes. Its arrays must live on, unchanged.
  ForestNodes(const ForestView& forest, std::span<const Code> n_codes);

  const ForestView& forest() const { return forest_; }
  const ForestSlots& slots() const { return slots_; }
  std::span<const Code> n_codes() const { return n_codes_; }

  // Whether rows may come in narrow cells.
  bool takes_narrow_cells() const { return takes_narrow_cells_; }

  // Writes the leaves of one tree: row which[i] of the block to out[i], or row i when `which` is empty.
  // Cell is NarrowNode::Cell, when they are taken, or WideKeyNode::Cell. Narrow cells of numbers that are not
  // all float32 numbers need a list that receives each i that is in doubt, whose leaf has to be asked of
  // exact_leaf.
  template <class Cell>
  void leaves_of_rows(std::size_t tree, const MatrixRows<Cell>& rows, std::span<const std::uint32_t> which,
                      LeafName name, std::uint32_t* out, std::vector<std::uint32_t>* doubts = nullptr) const;

  // Writes the leaves of one row in all trees; `doubts` receives trees.
  template <class Cell>
  void leaves_of_row(const Cell* row, LeafName name, std::uint32_t* out,
                     std::vector<std::uint32_t>* doubts = nullptr) const;

  // The leaf of one row in a tree of thresholds, from the forest's own numbers; value_of(feature) is the
  // row's.
  template <class ValueOf>
  std::uint32_t exact_leaf(std::size_t tree, LeafName name, ValueOf&& value_of) const {
    const auto first = static_cast<std::size_t>(forest_.begin[tree]);
    std::uint32_t id = 0;
    for (;;) {
      const std::size_t node = first + id;
      const FeatureId feature = forest_.feature(node);
      if (feature == kNoFeature) return name == LeafName::kId ? id : leaf_row(node, id);
      const double x = value_of(feature);
      const bool is_right =
          x != x ? (forest_.flags[node] & kMissingGoesRight) != 0 : x > forest_.number[node];
      id = forest_.child[node] + (is_right ? 1 : 0);
    }
  }

 private:
  template <class Node>
  struct Form {
    std::once_flag once;
    std::vector<Node> nodes;
  };

  std::uint32_t leaf_row(std::size_t node, std::uint32_t id) const {
    return forest_.is_classes() ? forest_.child[node] : id;
  }

  // The nodes of all trees, made now if they were not.
  template <class Node>
  const Node* made(Form<Node>& form) const;
  NarrowNode narrow_split(std::size_t node, std::uint32_t slot) const;
  WideKeyNode wide_split(std::size_t node, std::uint32_t slot) const;  // adds to large_sets_

  // Calls visit(step, first node of tree 0) for the form that serves these cells.
  template <class Cell, class Visit>
  void with_step(bool may_doubt, Visit&& visit) const;

  ForestView forest_;
  std::vector<Code> n_codes_;
  ForestSlots slots_;
  bool takes_narrow_cells_ = false;
  mutable Form<NarrowNode> narrow_;
  mutable Form<WideKeyNode> wide_;
  mutable CodeSets large_sets_;  // of wide_
};

}  // namespace treewright
