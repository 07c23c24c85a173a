// ForestQuantiles: the whole distribution that a forest predicts (Meinshausen 2006). For a row, each training
// row weighs its share of the leaf that both fall into, averaged over the trees; the quantile q is the
// smallest target at which the weights from below reach q. Targets are stored once, leaves refer to rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "predict/forest_predictor.h"
#include "predict/matrix.h"
#include "predict/out_of_bag.h"

namespace treewright {

// The training rows of all leaves: those of leaf i, counted over the forest in the order of its nodes, stand
// at begin[i] ... begin[i + 1] - 1.
struct LeafRows {
  std::span<const std::int64_t> begin;
  std::span<const std::uint32_t> rows;
};

class ForestQuantiles {
 public:
  static constexpr std::size_t kPlaceNumbers = 4;

  // weights may be empty; bag may be empty when every tree saw every row once. All that is passed must live
  // on. Throws std::invalid_argument when something does not fit.
  ForestQuantiles(const ForestPredictor& predictor, const LeafRows& leaves, std::span<const double> y,
                  std::span<const double> weights, const BagOfTree& bag, Team& team);

  // out: n_rows * quantiles.size().
  template <class T>
  void predict(const MatrixView<T>& matrix, std::span<const double> quantiles, Team& team, double* out) const;

  // Where the targets of training rows lie in what the trees predict that have not seen them. matrix holds
  // the training rows `rows`. out, for each of them: the share of weight below its target, that up to it, how
  // many equal weights would say as much (1 / sum of squared shares), and how many trees have answered; the
  // first three are NaN for a row that every tree has seen. Throws std::invalid_argument when a row does not
  // exist.
  template <class T>
  void places_out_of_bag(const MatrixView<T>& matrix, std::span<const std::uint32_t> rows, Team& team,
                         double* out) const;

 private:
  struct Share {  // what one training row weighs
    std::uint32_t rank;
    std::uint32_t order;  // in which it was found, so that equal ranks are added in a fixed order
    double weight;
  };
  struct Step {  // of the predicted distribution
    std::uint32_t rank;
    double weight;  // of all targets up to this one
  };
  struct Scratch {
    std::vector<NodeId> leaves;
    std::vector<Share> shares;
    std::vector<Step> steps;
    std::vector<double> weight_of_rank;
  };

  // Calls body(row, its leaf in each tree, scratch of the thread) for all rows.
  template <class T, class Body>
  void for_each_row(const MatrixView<T>& matrix, Team& team, std::size_t steps_per_share, Body&& body) const;

  void check(std::size_t n_leaves) const;
  void rank_targets(std::span<const double> y);
  void number_leaves();
  void weigh_tree(std::size_t tree, std::span<const std::uint32_t> counts);
  double amount(std::size_t entry) const;
  void collect_shares(const NodeId* leaves, Scratch& scratch) const;
  void add_up_shares(Scratch& scratch) const;
  std::vector<bool> seen_rows(std::size_t tree) const;
  void add_place(std::size_t tree, NodeId node, std::uint32_t rank, double* place) const;

  const ForestPredictor& predictor_;
  LeafRows leaf_rows_;
  std::span<const double> weights_;
  std::vector<double> targets_;          // distinct, ascending
  std::vector<std::uint32_t> rank_;      // of each training row's target
  std::vector<std::uint32_t> leaf_;      // of each node, the number of its leaf within the tree
  std::vector<std::size_t> first_leaf_;  // of each tree, over the forest
  std::vector<std::uint32_t> count_;     // of each entry of leaf_rows_.rows; empty: all 1
  std::vector<double> leaf_weight_;      // of each leaf over the forest
};

}  // namespace treewright
