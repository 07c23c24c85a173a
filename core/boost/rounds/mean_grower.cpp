#include "boost/rounds/mean_grower.h"

#include <algorithm>

#include "base/random.h"
#include "grow/grow.h"
#include "predict/code_router.h"
#include "prune/weakest_link.h"

namespace treewright {

namespace {

// Calls body(begin, end) for blocks of rows, in parallel.
template <class Body>
void for_blocks(std::size_t n_rows, std::size_t work, Team& team, Body&& body) {
  constexpr std::size_t kBlock = 4096;
  team.parallel_for((n_rows + kBlock - 1) / kBlock, work, [&](std::size_t block, int) {
    body(block * kBlock, std::min(n_rows, (block + 1) * kBlock));
  });
}

// A threshold inside a bin, which then holds none of the node's rows, is moved to the end of the bin: codes
// and values must say the same about every row.
void move_to_bin_ends(Tree& tree, const Dataset& data, const CodeRouter& router) {
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.kind[node] != NodeKind::kThreshold) continue;
    const Column& column = data.column(tree.feature[node]);
    const Code last = router.cut(node);
    if (last == 0 || column.kind != ColumnKind::kNumeric) continue;
    tree.threshold[node] = std::max(tree.threshold[node], column.highest(last));
  }
}

}  // namespace

MeanGrower::MeanGrower(const Dataset& data, std::span<const double> weights, const GrowPlan& plan,
                       std::uint64_t seed, std::size_t outputs, Team& team)
    : data_(data),
      weights_(weights),
      plan_(plan),
      seed_(seed),
      outputs_(outputs),
      team_(team),
      target_(data.n_rows) {
  plan_.release_memory = false;
}

BoostedTree MeanGrower::grow(const Gradients& gradients, std::uint64_t round, std::size_t output) {
  gradients_ = gradients;
  choose_rows(gradients);
  std::transform(gradients.whole_gradient.begin(), gradients.whole_gradient.end(), target_.begin(),
                 [](double gradient) { return -gradient; });
  plan_.seed = Random(seed_).split(round * outputs_ + output).next();
  BoostedTree grown;
  grown.tree = grow_means_of(data_, rows_, target_, weights_, plan_, team_);
  Tree& tree = grown.tree;
  if (plan_.ccp_alpha > 0) prune_at_price(tree, plan_.ccp_alpha);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    grown.gradient.push_back(-tree.value[node] * tree.weight[node]);
  }
  find_leaves(tree);
  if (!gradients.whole_hessian.empty()) take_newton_steps(tree, gradients.whole_hessian);
  return grown;
}

void MeanGrower::choose_rows(const Gradients& gradients) {
  if (gradients.drawn.empty() && rows_.size() == data_.n_rows) return;
  rows_.clear();
  for (std::size_t row = 0; row < data_.n_rows; ++row) {
    if (gradients.sees(row)) rows_.push_back(static_cast<RowId>(row));
  }
}

void MeanGrower::find_leaves(Tree& tree) {
  const CodeRouter router(tree, data_);
  move_to_bin_ends(tree, data_, router);
  n_nodes_ = tree.size();
  leaf_.resize(data_.n_rows);
  for_blocks(data_.n_rows, data_.n_rows * 16, team_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) leaf_[row] = static_cast<NodeId>(router.leaf_of(row));
  });
}

// A loss of which only derivatives are known.
void MeanGrower::take_newton_steps(Tree& tree, std::span<const double> hessian) const {
  std::vector<double> sums(tree.size(), 0.0);
  for (const RowId row : rows_) sums[static_cast<std::size_t>(leaf_[row])] += hessian[row];
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.kind[node] != NodeKind::kLeaf) continue;
    const double gradient = tree.value[node] * tree.weight[node];
    tree.value[node] = sums[node] > 1e-150 ? gradient / sums[node] : 0.0;
  }
}

void MeanGrower::add_step(std::span<const double> values, double* raw) {
  for_blocks(data_.n_rows, data_.n_rows * 4, team_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) raw[row] += values[static_cast<std::size_t>(leaf_[row])];
  });
}

LeafRows MeanGrower::rows_by_leaf() const {
  return LeafRows::from(leaf_, n_nodes_, [&](std::size_t row) { return gradients_.sees(row); });
}

}  // namespace treewright
