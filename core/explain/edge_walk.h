// EdgeWalk: what the leaves of a tree give the features of one row, edge by edge, whatever the row's shares
// are and however many features a path has.
//
// At every point t of the quadrature a path carries the product of its features' factors t o + (1 - t) z. On
// the way down an edge multiplies by its factor (and divides by the older one of its feature); on the way up
// an edge adds to its feature what the leaves below have collected, divided by the factor, times o - z.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/game_tree.h"
#include "explain/quadrature.h"

namespace treewright {

class EdgeWalk {
 public:
  // Where numbers go: out[feature * feature_step + output], of pairs out[(a * n_features + b) * feature_step
  // + output] for a < b. n_outputs: how many of the tree's outputs are computed, the first ones.
  struct Target {
    double* out;
    std::size_t feature_step;
    std::size_t n_features;
    std::size_t n_outputs;
  };

  // What one row answers at the node at the end of each edge. wanted: one per edge, whether leaves below it
  // count; empty: all do.
  template <class T>
  static void answer(const GameTree& tree, std::span<const std::uint8_t> wanted, const T* row,
                     std::vector<std::uint32_t>& answers) {
    const std::span<const GameEdge> edges = tree.edges();
    answers.resize(edges.size());
    for (std::size_t e = 0; e < edges.size();) {
      if (!wanted.empty() && wanted[e] == 0) {
        e = static_cast<std::size_t>(edges[e].end);
        continue;
      }
      if (!edges[e].is_leaf) answers[e] = answer_at(tree, edges[e].to, row);
      ++e;
    }
  }

  // points: enough for the tree's paths. other: the answers of a row that stands for what is not known; null:
  // the training rows do. factor: what everything is multiplied by.
  void add_shares(const GameTree& tree, const Quadrature& points, std::span<const std::uint8_t> wanted,
                  const std::uint32_t* answers, const std::uint32_t* other, double factor,
                  const Target& target);
  void add_pairs(const GameTree& tree, const Quadrature& points, std::span<const std::uint8_t> wanted,
                 const std::uint32_t* answers, const std::uint32_t* other, double factor,
                 const Target& target);
  // An edge on the way from the root.
  struct Level {
    const GameEdge* edge;
    double o;  // of all tests of the feature on the way
    double z;
    bool is_cold;  // o = 0
  };

 private:
  template <class T>
  static std::uint32_t answer_at(const GameTree& tree, NodeId node, const T* row) {
    const GameTree::PlainTest& test = tree.test(node);
    if (!test.is_plain) return tree.branch(node, row);
    const auto x = static_cast<double>(row[test.feature]);
    return x == x ? (x > test.threshold ? 1U : 0U) : test.missing;
  }

  void make_room(const GameTree& tree, std::size_t n_points);

  std::vector<Level> levels_;
  std::vector<double> product_;    // by level and point
  std::vector<double> inverse_;    // 1 / factor, of levels that are not cold
  std::vector<double> slope_;      // (o - z) / factor, less that of the older edge
  std::vector<double> collected_;  // by level, output and point
};

}  // namespace treewright
