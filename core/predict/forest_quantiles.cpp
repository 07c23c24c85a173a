#include "predict/forest_quantiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace treewright {

namespace {

constexpr std::size_t kRowsPerBlock = 64;

// Sums of weights are off by a few roundings; a quantile must not move to the next target because of them.
constexpr double kRounding = 1e-12;

}  // namespace

ForestQuantiles::ForestQuantiles(const ForestPredictor& predictor, const LeafRows& leaves,
                                 std::span<const double> y, std::span<const double> weights,
                                 const BagOfTree& bag, Team& team)
    : predictor_(predictor), leaf_rows_(leaves), weights_(weights) {
  if (predictor.is_classes()) throw std::invalid_argument("Quantiles need trees that predict numbers.");
  if (!weights.empty() && weights.size() != y.size()) {
    throw std::invalid_argument("Every training row needs a weight.");
  }
  number_leaves();
  rank_targets(y);
  check(first_leaf_.back());
  leaf_weight_.resize(first_leaf_.back());
  if (bag) count_.resize(leaves.rows.size());
  team.parallel_for(predictor.n_trees(), leaves.rows.size() * 8, [&](std::size_t tree, int) {
    team.stop().throw_if_requested();
    const std::vector<std::uint32_t> counts = bag ? bag(tree) : std::vector<std::uint32_t>();
    if (bag && counts.size() != y.size()) throw std::invalid_argument("A bag does not count every row.");
    weigh_tree(tree, counts);
  });
}

void ForestQuantiles::number_leaves() {
  const ForestView& forest = predictor_.nodes().forest();
  leaf_.resize(forest.n_nodes());
  first_leaf_.assign(1, 0);
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    std::uint32_t n_leaves = 0;
    for (auto node = static_cast<std::size_t>(forest.begin[tree]);
         node < static_cast<std::size_t>(forest.begin[tree + 1]); ++node) {
      leaf_[node] = n_leaves;
      n_leaves += forest.is_leaf(node) ? 1 : 0;
    }
    first_leaf_.push_back(first_leaf_.back() + n_leaves);
  }
}

void ForestQuantiles::rank_targets(std::span<const double> y) {
  for (const double target : y) {
    if (!std::isfinite(target)) throw std::invalid_argument("A training target is not a finite number.");
  }
  for (const double weight : weights_) {
    if (!(weight >= 0) || std::isinf(weight)) {
      throw std::invalid_argument("A training weight is not a finite number of at least 0.");
    }
  }
  targets_.assign(y.begin(), y.end());
  std::sort(targets_.begin(), targets_.end());
  targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
  rank_.reserve(y.size());
  for (const double target : y) {
    const auto at = std::lower_bound(targets_.begin(), targets_.end(), target);
    rank_.push_back(static_cast<std::uint32_t>(at - targets_.begin()));
  }
}

void ForestQuantiles::check(std::size_t n_leaves) const {
  const auto& begin = leaf_rows_.begin;
  if (begin.size() != n_leaves + 1 || begin.front() != 0 ||
      begin.back() != static_cast<std::int64_t>(leaf_rows_.rows.size())) {
    throw std::invalid_argument("The rows of the leaves do not belong to this forest.");
  }
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    if (begin[leaf + 1] <= begin[leaf]) throw std::invalid_argument("A leaf holds no training row.");
  }
  for (const std::uint32_t row : leaf_rows_.rows) {
    if (row >= rank_.size()) {
      throw std::invalid_argument("A leaf holds training row " + std::to_string(row) +
                                  ", which does not exist.");
    }
  }
}

double ForestQuantiles::amount(std::size_t entry) const {
  const double count = count_.empty() ? 1.0 : count_[entry];
  return weights_.empty() ? count : count * weights_[leaf_rows_.rows[entry]];
}

void ForestQuantiles::weigh_tree(std::size_t tree, std::span<const std::uint32_t> counts) {
  for (std::size_t leaf = first_leaf_[tree]; leaf < first_leaf_[tree + 1]; ++leaf) {
    const auto begin = static_cast<std::size_t>(leaf_rows_.begin[leaf]);
    const auto end = static_cast<std::size_t>(leaf_rows_.begin[leaf + 1]);
    double total = 0;
    for (std::size_t entry = begin; entry < end; ++entry) {
      if (!counts.empty()) count_[entry] = counts[leaf_rows_.rows[entry]];
      total += amount(entry);
    }
    leaf_weight_[leaf] = total;
  }
}

// The training rows that share a leaf with the row, in the order of the trees.
void ForestQuantiles::collect_shares(const NodeId* leaves, Scratch& scratch) const {
  const ForestView& forest = predictor_.nodes().forest();
  scratch.shares.clear();
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    const auto node = static_cast<std::size_t>(forest.begin[tree] + leaves[tree]);
    const std::size_t leaf = first_leaf_[tree] + leaf_[node];
    const auto begin = static_cast<std::size_t>(leaf_rows_.begin[leaf]);
    const auto end = static_cast<std::size_t>(leaf_rows_.begin[leaf + 1]);
    const double weight = leaf_weight_[leaf];
    for (std::size_t entry = begin; entry < end; ++entry) {
      // In a leaf without weight (or with more than a number can hold) all rows are alike.
      const bool is_usable = weight > 0 && std::isfinite(weight);
      const double share = is_usable ? amount(entry) / weight : 1.0 / static_cast<double>(end - begin);
      if (share > 0) {
        const auto order = static_cast<std::uint32_t>(scratch.shares.size());
        scratch.shares.push_back({rank_[leaf_rows_.rows[entry]], order, share});
      }
    }
  }
}

// Small leaves: sort the few shares. Large ones: a weight for every distinct target. The sums are the same.
void ForestQuantiles::add_up_shares(Scratch& scratch) const {
  std::vector<Share>& shares = scratch.shares;
  std::vector<Step>& steps = scratch.steps;
  steps.clear();
  double total = 0;
  if (shares.size() < targets_.size() / 4) {
    std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.order < b.order;
    });
    for (std::size_t i = 0; i < shares.size();) {
      const std::uint32_t rank = shares[i].rank;
      double weight = 0;
      for (; i < shares.size() && shares[i].rank == rank; ++i) weight += shares[i].weight;
      steps.push_back({rank, total += weight});
    }
    return;
  }
  scratch.weight_of_rank.assign(targets_.size(), 0.0);
  for (const Share& share : shares) scratch.weight_of_rank[share.rank] += share.weight;
  for (std::size_t rank = 0; rank < targets_.size(); ++rank) {
    const double weight = scratch.weight_of_rank[rank];
    if (weight > 0) steps.push_back({static_cast<std::uint32_t>(rank), total += weight});
  }
}

template <class T, class Body>
void ForestQuantiles::for_each_row(const MatrixView<T>& matrix, Team& team, std::size_t steps_per_share,
                                   Body&& body) const {
  const std::size_t n_trees = predictor_.n_trees();
  const std::size_t n_blocks = (matrix.n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const std::size_t shares_per_row = leaf_rows_.rows.size() / leaf_weight_.size() * n_trees;
  const std::size_t work = matrix.n_rows * (shares_per_row + n_trees) * steps_per_share;
  std::vector<Scratch> scratches(static_cast<std::size_t>(team.size()));
  team.parallel_for(n_blocks, work, [&](std::size_t block, int worker) {
    Scratch& scratch = scratches[static_cast<std::size_t>(worker)];
    const std::size_t begin = block * kRowsPerBlock;
    MatrixView<T> part = matrix;
    part.n_rows = std::min(kRowsPerBlock, matrix.n_rows - begin);
    part.data += static_cast<std::ptrdiff_t>(begin) * matrix.row_stride;
    scratch.leaves.resize(part.n_rows * n_trees);
    predictor_.apply(part, team, scratch.leaves.data());
    for (std::size_t i = 0; i < part.n_rows; ++i) {
      team.stop().throw_if_requested();
      body(begin + i, scratch.leaves.data() + i * n_trees, scratch);
    }
  });
}

template <class T>
void ForestQuantiles::predict(const MatrixView<T>& matrix, std::span<const double> quantiles, Team& team,
                              double* out) const {
  for (const double q : quantiles) {
    if (!(q >= 0 && q <= 1)) throw std::invalid_argument("A quantile must lie between 0 and 1.");
  }
  constexpr std::size_t kStepsPerShare = 16;  // sorting
  for_each_row(matrix, team, kStepsPerShare, [&](std::size_t row, const NodeId* leaves, Scratch& scratch) {
    collect_shares(leaves, scratch);
    add_up_shares(scratch);
    const std::vector<Step>& steps = scratch.steps;
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
      const double wanted = quantiles[k] * steps.back().weight * (1 - kRounding);
      const auto at = std::lower_bound(steps.begin(), steps.end() - 1, wanted,
                                       [](const Step& step, double w) { return step.weight < w; });
      out[row * quantiles.size() + k] = targets_[at->rank];
    }
  });
}

std::vector<bool> ForestQuantiles::seen_rows(std::size_t tree) const {
  std::vector<bool> seen(rank_.size(), false);
  const auto begin = static_cast<std::size_t>(leaf_rows_.begin[first_leaf_[tree]]);
  const auto end = static_cast<std::size_t>(leaf_rows_.begin[first_leaf_[tree + 1]]);
  for (std::size_t entry = begin; entry < end; ++entry) seen[leaf_rows_.rows[entry]] = true;
  return seen;
}

// Adds what one tree says: shares below the rank, up to it, squared, and the tree itself.
void ForestQuantiles::add_place(std::size_t tree, NodeId node, std::uint32_t rank, double* place) const {
  const ForestView& forest = predictor_.nodes().forest();
  const std::size_t leaf = first_leaf_[tree] + leaf_[static_cast<std::size_t>(forest.begin[tree] + node)];
  const auto begin = static_cast<std::size_t>(leaf_rows_.begin[leaf]);
  const auto end = static_cast<std::size_t>(leaf_rows_.begin[leaf + 1]);
  const double weight = leaf_weight_[leaf];
  const bool is_usable = weight > 0 && std::isfinite(weight);
  for (std::size_t entry = begin; entry < end; ++entry) {
    const std::uint32_t other = rank_[leaf_rows_.rows[entry]];
    const double share = is_usable ? amount(entry) / weight : 1.0 / static_cast<double>(end - begin);
    if (other < rank) place[0] += share;
    if (other <= rank) place[1] += share;
    place[2] += share * share;
  }
  place[3] += 1;
}

template <class T>
void ForestQuantiles::places_out_of_bag(const MatrixView<T>& matrix, std::span<const std::uint32_t> rows,
                                        Team& team, double* out) const {
  const std::size_t n_trees = predictor_.n_trees();
  if (matrix.n_rows != rows.size()) throw std::invalid_argument("Every asked row needs its features.");
  for (const std::uint32_t row : rows) {
    if (row >= rank_.size()) {
      throw std::invalid_argument("Training row " + std::to_string(row) + " does not exist.");
    }
  }
  // Byte by byte, because threads write neighbours at once.
  std::vector<std::uint8_t> seen(n_trees * rows.size());
  team.parallel_for(n_trees, leaf_rows_.rows.size(), [&](std::size_t tree, int) {
    team.stop().throw_if_requested();
    const std::vector<bool> all = seen_rows(tree);
    for (std::size_t i = 0; i < rows.size(); ++i) seen[i * n_trees + tree] = all[rows[i]] ? 1 : 0;
  });
  constexpr std::size_t kStepsPerShare = 4;
  for_each_row(matrix, team, kStepsPerShare, [&](std::size_t row, const NodeId* leaves, Scratch&) {
    double* place = out + kPlaceNumbers * row;
    std::fill(place, place + kPlaceNumbers, 0.0);
    for (std::size_t tree = 0; tree < n_trees; ++tree) {
      if (seen[row * n_trees + tree] == 0) add_place(tree, leaves[tree], rank_[rows[row]], place);
    }
    const double answers = place[3];  // 0 / 0 is the NaN that is promised
    place[0] /= answers;
    place[1] /= answers;
    place[2] = answers * answers / place[2];
  });
}

template void ForestQuantiles::places_out_of_bag(const MatrixView<float>&, std::span<const std::uint32_t>,
                                                 Team&, double*) const;
template void ForestQuantiles::places_out_of_bag(const MatrixView<double>&, std::span<const std::uint32_t>,
                                                 Team&, double*) const;

template void ForestQuantiles::predict(const MatrixView<float>&, std::span<const double>, Team&,
                                       double*) const;
template void ForestQuantiles::predict(const MatrixView<double>&, std::span<const double>, Team&,
                                       double*) const;

}  // namespace treewright
