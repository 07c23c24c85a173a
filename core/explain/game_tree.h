// GameTree: a tree as the sum of games, one per leaf, that attributions divide among the features.
//
// An edge leads from a node to a child. A row passes it with o = 1 or 0, or with a share where it takes every
// branch; the training rows pass it with the share z. The game of a leaf is its value times the product, over
// the features of its path, of the o's of those that are known and the z's of those that are not. Tests of
// one feature count together. A node where rows may end (ID3) has one more edge, to itself.
//
// Edges stand in the order of a walk that finishes a branch before it begins the next, so a subtree is a
// range and the edges above one are a stack. Nothing recurses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "predict/general_nodes.h"
#include "tree/tree.h"

namespace treewright {

struct GameEdge {
  double z = 1;              // share of the training rows of the node above
  double z_all = 1;          // times those of the edges above with the same feature
  NodeId from = kNoNode;     // the node above; none for the first edge, which leads to the root
  NodeId to = 0;             // where it leads; for an edge of rows that end, the node above itself
  std::uint32_t branch = 0;  // kStopHere for an edge of rows that end
  FeatureId feature = kNoFeature;
  std::int32_t parent = -1;   // the edge above
  std::int32_t level = 0;     // edges above it
  std::int32_t older = -1;    // level of the nearest edge above with the same feature; -1: none
  std::int32_t place = -1;    // of its feature among the distinct ones of the path, by their first tests
  std::int32_t n_places = 0;  // distinct features of the path, this edge's included
  std::int32_t end = 0;       // the edge behind its subtree
  bool is_leaf = false;
};

class GameTree {
 public:
  // The tree has passed check_tree. values: n_nodes * n_outputs, what the nodes count.
  GameTree(const Tree& tree, std::span<const Code> n_codes, std::vector<double> values,
           std::size_t n_outputs);

  std::span<const GameEdge> edges() const { return edges_; }
  std::size_t n_outputs() const { return n_outputs_; }
  const double* value(const GameEdge& edge) const {
    return values_.data() + static_cast<std::size_t>(edge.to) * n_outputs_;
  }
  // Whether the outputs of every leaf add up to the same number, as probabilities do: what a feature gives
  // the last of them is what it takes from the others.
  bool mirrors() const { return mirrors_; }
  bool may_share() const { return may_share_; }
  std::size_t n_levels() const { return n_levels_; }
  std::size_t most_places() const { return most_places_; }
  std::span<const FeatureId> tested() const { return tested_; }  // by tests or surrogates, ascending

  // What the tree says on average over the training rows, n_outputs.
  std::vector<double> base() const;

  // Where a row goes at an inner node: a branch, kEveryBranch or kStopHere.
  template <class T>
  std::uint32_t branch(NodeId node, const T* row) const {
    const std::uint32_t taken = nodes_.branch(node, row);
    return taken == kEveryBranch && is_weightless_[static_cast<std::size_t>(node)] != 0 ? kStopHere : taken;
  }

  // A test whose answer is a comparison with a number and a branch for missing values.
  struct PlainTest {
    double threshold;
    FeatureId feature;
    std::uint32_t missing;
    bool is_plain;
  };
  const PlainTest& test(NodeId node) const { return tests_[static_cast<std::size_t>(node)]; }

  bool has_surrogates(NodeId node) const { return nodes_.has_surrogates(node); }
  bool asks_surrogate(NodeId node, FeatureId feature) const { return nodes_.asks_surrogate(node, feature); }

  // Whether some inner node shares the row among its branches.
  template <class T>
  bool shares(const T* row) const {
    if (!may_share_) return false;
    for (const NodeId node : sharing_nodes_) {
      if (branch(node, row) == kEveryBranch) return true;
    }
    return false;
  }

 private:
  void add_edges(const Tree& tree);
  bool leaves_agree() const;
  double remaining_share(const Tree& tree, std::size_t node) const;

  std::size_t n_outputs_;
  std::vector<double> values_;
  GeneralNodes nodes_;
  std::vector<PlainTest> tests_;             // one per node
  std::vector<std::uint8_t> is_weightless_;  // one per node: no training row takes any branch
  std::vector<NodeId> sharing_nodes_;
  std::vector<FeatureId> tested_;
  std::vector<GameEdge> edges_;
  bool may_share_ = false;
  bool mirrors_ = false;
  std::size_t n_levels_ = 1;
  std::size_t most_places_ = 0;
};

}  // namespace treewright
