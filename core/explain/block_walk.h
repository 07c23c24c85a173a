// BlockWalk: what the leaves of long paths give the features, for a block of rows at once.
//
// The method is that of edge_walk.h for rows that pass a test or do not: an edge then has three ways to be
// met, and what it multiplies and adds at the points of the quadrature is made once per block. Bundles of
// leaves have entries by the bits of a row, which are made when the first row of the block asks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "explain/game_tree.h"
#include "explain/leaf_bundles.h"
#include "explain/pattern_walk.h"
#include "explain/quadrature.h"
#include "explain/row_block.h"

namespace treewright {

class BlockWalk {
 public:
  using Word = PatternWalk::Word;

  // Where the numbers of rows go: out[row * row_step + feature * feature_step + output]. n_outputs: how many
  // of the tree's outputs are computed, the first ones. is_left_out: one per row, or empty.
  struct Target {
    double* out;
    std::size_t row_step;
    std::size_t feature_step;
    std::size_t n_outputs;
    std::span<const std::uint8_t> is_left_out;
  };

  // points: of each pass.
  template <class T>
  void run(const GameTree& tree, const LeafBundles& bundles, std::span<const Quadrature* const> points,
           const RowBlock<T>& rows, const StopFlag& stop, const Target& target) {
    for (std::size_t p = 0; p < bundles.passes().size(); ++p) {
      const std::size_t most = rows_at_once(tree, points[p]->size(), target.n_outputs);
      const std::size_t n_blocks = (rows.n_rows() + most - 1) / most;
      const std::size_t some = (rows.n_rows() + n_blocks - 1) / n_blocks;
      for (std::size_t begin = 0; begin < rows.n_rows(); begin += some) {
        start(tree, *points[p], begin, std::min(some, rows.n_rows() - begin), target);
        PatternWalk::answer(tree, tree.edges()[0].to, rows, begin_, n_rows_, answers_.data());
        std::size_t n_steps = 0;
        for (const BundleStep& step : bundles.passes()[p].steps) {
          if (++n_steps % kStepsBetweenStops == 0) stop.throw_if_requested();
          switch (step.kind) {
            case BundleStep::Kind::kEnter: {
              const GameEdge& edge = tree.edges()[step.number];
              enter(edge);
              PatternWalk::answer(tree, edge.to, rows, begin_, n_rows_, answers_of(edge.level));
              break;
            }
            case BundleStep::Kind::kBundle: {
              const LeafBundle& bundle = bundles.bundle(step.number);
              begin_states(tree.edges()[bundle.edge]);
              std::uint32_t bit = 1;
              for (const NodeId node : bundles.tests(bundle)) {
                PatternWalk::answer(tree, node, rows, begin_, n_rows_, one_test_.data());
                add_to_states(bit++);
              }
              add_bundle(bundles, bundle, bit);
              break;
            }
            case BundleStep::Kind::kLeave: leave(tree.edges()[step.number]); break;
          }
        }
      }
    }
  }

 private:
  static constexpr std::size_t kStepsBetweenStops = 256;
  static std::size_t rows_at_once(const GameTree& tree, std::size_t n_points, std::size_t n_outputs);

  void start(const GameTree& tree, const Quadrature& points, std::size_t begin, std::size_t n_rows,
             const Target& target);
  void enter(const GameEdge& edge);
  void leave(const GameEdge& edge);
  void begin_states(const GameEdge& edge);
  void add_to_states(std::uint32_t bit);
  void add_bundle(const LeafBundles& bundles, const LeafBundle& bundle, std::uint32_t next_bit);

  Word* answers_of(std::int32_t level) { return answers_.data() + static_cast<std::size_t>(level) * n_rows_; }

  const GameTree* tree_ = nullptr;
  const Quadrature* points_ = nullptr;
  Target target_{};
  std::size_t begin_ = 0, n_rows_ = 0;
  std::vector<Word> answers_;            // by level and row: of the test behind the edge
  std::vector<Word> ways_;               // by level and row: how the row meets the edge
  std::vector<Word> states_, one_test_;  // by row
  std::vector<double*> out_;             // by row
  std::vector<double> nobody_;           // takes the numbers of rows that are left out
  std::vector<double> product_;          // by level, row and point
  std::vector<double> collected_;        // by level, row, output and point
  std::vector<double> parts_;            // by level: what make_way() makes
  std::vector<double> z_;                // by level
  std::vector<double> of_bundle_;        // the same by edge of a bundle, and the entries
};

}  // namespace treewright
