#include "predict/bag_permutation.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/random.h"
#include "predict/forest_rows.h"

namespace treewright {

namespace {

constexpr std::size_t kRowsPerBlock = 1024;

// One tree of a forest on the rows that it did not see.
template <class Cell>
class TreePermuter {
 public:
  TreePermuter(const ForestPredictor& predictor, const Dataset& data, std::span<const double> truth,
               const PermutationPlan& plan, std::size_t tree, const StopFlag& stop)
      : predictor_(predictor),
        data_(data),
        truth_(truth),
        plan_(plan),
        tree_(tree),
        stop_(stop),
        random_(Random(plan.seed).split(tree)),
        cells_(data, predictor.nodes().slots()),
        leaves_(kRowsPerBlock) {}

  // out: n_features * n_repeats.
  void run(std::span<const std::uint32_t> counts, double* out) {
    for (std::size_t row = 0; row < counts.size(); ++row) {
      if (counts[row] == 0) outside_.push_back(static_cast<RowId>(row));
    }
    const std::size_t n_results = predictor_.n_features() * plan_.n_repeats;
    if (outside_.empty()) {
      std::fill_n(out, n_results, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    std::fill_n(out, n_results, 0.0);
    find_slots();
    shuffle();
    for (std::size_t begin = 0; begin < outside_.size(); begin += kRowsPerBlock) {
      run_block(begin, std::min(begin + kRowsPerBlock, outside_.size()), out);
    }
    for (std::size_t i = 0; i < n_results; ++i) out[i] /= static_cast<double>(outside_.size());
  }

 private:
  // The slots that the tree reads; those of a feature that is read in several forms are adjacent.
  void find_slots() {
    const ForestView& forest = predictor_.nodes().forest();
    std::vector<bool> is_used(predictor_.n_features(), false);
    for (std::int64_t node = forest.begin[tree_]; node < forest.begin[tree_ + 1]; ++node) {
      const FeatureId feature = forest.feature(static_cast<std::size_t>(node));
      if (feature != kNoFeature) is_used[static_cast<std::size_t>(feature)] = true;
    }
    for (std::size_t slot = 0; slot < predictor_.nodes().slots().size(); ++slot) {
      if (is_used[static_cast<std::size_t>(feature_of(slot))]) slots_.push_back(slot);
    }
  }

  FeatureId feature_of(std::size_t slot) const { return predictor_.nodes().slots().slots()[slot].feature; }

  // One order of the rows per repeat. Each feature starts at a place of its own in it, so that features are
  // dealt out differently; a fixed start in a random order is as random as the order.
  void shuffle() {
    orders_.resize(plan_.n_repeats);
    for (std::size_t repeat = 0; repeat < plan_.n_repeats; ++repeat) {
      Random random = random_.split(repeat);
      orders_[repeat] = outside_;
      for (std::size_t i = outside_.size(); i > 1; --i) {
        std::swap(orders_[repeat][i - 1], orders_[repeat][random.uniform(i)]);
      }
    }
  }

  std::size_t start_of(FeatureId feature, std::size_t repeat) const {
    Random random = random_.split(repeat).split(static_cast<std::uint64_t>(feature) + 1);
    return random.uniform(outside_.size());
  }

  void run_block(std::size_t begin, std::size_t end, double* out) {
    const auto own_row = [&](std::size_t i) { return outside_[begin + i]; };
    const MatrixRows<Cell> rows = cells_.read(end - begin, own_row);
    const double as_it_is = total_error(rows, begin);
    for (std::size_t first = 0, after; first < slots_.size(); first = after) {
      const FeatureId feature = feature_of(slots_[first]);
      for (after = first + 1; after < slots_.size() && feature_of(slots_[after]) == feature;) ++after;
      const auto give = [&](auto&& row_of) {
        for (std::size_t k = first; k < after; ++k) cells_.write(slots_[k], row_of);
      };
      for (std::size_t repeat = 0; repeat < plan_.n_repeats; ++repeat) {
        stop_.throw_if_requested();
        const std::vector<RowId>& order = orders_[repeat];
        const std::size_t start = (begin + start_of(feature, repeat)) % order.size();
        give([&](std::size_t i) {
          const std::size_t at = start + i;  // less than twice the size: a block is part of the order
          return order[at < order.size() ? at : at - order.size()];
        });
        out[static_cast<std::size_t>(feature) * plan_.n_repeats + repeat] +=
            total_error(rows, begin) - as_it_is;
      }
      give(own_row);
    }
  }

  double total_error(const MatrixRows<Cell>& rows, std::size_t begin) {
    predictor_.nodes().leaves_of_rows(tree_, rows, {}, LeafName::kRow, leaves_.data());
    double total = 0;
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
      const double truth = truth_[outside_[begin + i]];
      if (predictor_.is_classes()) {
        total += static_cast<double>(predictor_.majority(leaves_[i])) != truth ? 1.0 : 0.0;
      } else {
        const double error = predictor_.number(tree_, leaves_[i]) - truth;
        total += error * error;
      }
    }
    return total;
  }

  const ForestPredictor& predictor_;
  const Dataset& data_;
  const std::span<const double> truth_;
  const PermutationPlan& plan_;
  const std::size_t tree_;
  const StopFlag& stop_;
  const Random random_;
  TableCells<Cell> cells_;
  std::vector<std::uint32_t> leaves_;
  std::vector<RowId> outside_;
  std::vector<std::size_t> slots_;
  std::vector<std::vector<RowId>> orders_;
};

}  // namespace

std::vector<double> bag_permutation(const ForestPredictor& predictor, const Dataset& data,
                                    const BagOfTree& bag, std::span<const double> truth,
                                    const PermutationPlan& plan, Team& team) {
  const ForestNodes& nodes = predictor.nodes();
  check_table_fits(data, nodes.slots(), nodes.n_codes());
  if (truth.size() != data.n_rows) throw std::invalid_argument("Every row of the table needs a target.");
  if (plan.n_repeats < 1) throw std::invalid_argument("Values must be dealt out at least once.");
  const bool narrow = nodes.takes_narrow_cells() && fits_narrow_cells(data, nodes.slots());
  const std::size_t n_results = predictor.n_features() * plan.n_repeats;
  std::vector<double> out(predictor.n_trees() * n_results);
  const std::size_t work = predictor.n_trees() * data.n_rows * n_results;
  team.parallel_for(predictor.n_trees(), work, [&](std::size_t tree, int) {
    team.stop().throw_if_requested();
    const std::vector<std::uint32_t> counts = bag(tree);
    if (counts.size() != data.n_rows) throw std::invalid_argument("A bag does not count every row.");
    double* tree_out = out.data() + tree * n_results;
    if (narrow) {
      TreePermuter<NarrowNode::Cell>(predictor, data, truth, plan, tree, team.stop()).run(counts, tree_out);
    } else {
      TreePermuter<WideKeyNode::Cell>(predictor, data, truth, plan, tree, team.stop()).run(counts, tree_out);
    }
  });
  return out;
}

}  // namespace treewright
