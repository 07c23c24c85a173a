#include "predict/out_of_bag.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "predict/forest_rows.h"

namespace treewright {

namespace {

constexpr std::size_t kRowsPerBlock = 2048;
constexpr std::size_t kTreesPerRound = 32;  // their bags are held at once, a bit per row

// The rows that a tree did not see.
class Outside {
 public:
  void set(std::span<const std::uint32_t> counts) {
    words_.assign((counts.size() + 63) / 64, 0);
    for (std::size_t row = 0; row < counts.size(); ++row) {
      words_[row / 64] |= std::uint64_t{counts[row] == 0} << (row % 64);
    }
  }

  // Replaces `out` by the rows in [begin, end) that are outside, counted from `begin`, a multiple of 64.
  void list(std::size_t begin, std::size_t end, std::vector<std::uint32_t>& out) const {
    out.clear();
    for (std::size_t word = begin / 64; word * 64 < end; ++word) {
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        out.push_back(static_cast<std::uint32_t>(word * 64 - begin) +
                      static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

template <class Cell>
class Summer {
 public:
  Summer(const ForestPredictor& predictor, const Dataset& data, const BagOfTree& bag, bool votes,
         bool may_doubt, Team& team)
      : predictor_(predictor), data_(data), bag_(bag), votes_(votes), may_doubt_(may_doubt), team_(team) {
    out_.sums.assign(data.n_rows * predictor.n_outputs(), 0.0);
    out_.n_trees.assign(data.n_rows, 0);
  }

  OutOfBag run(std::size_t first, std::size_t last) {
    for (std::size_t begin = first; begin < last; begin += kTreesPerRound) {
      run_round(begin, std::min(begin + kTreesPerRound, last));
    }
    return std::move(out_);
  }

 private:
  void run_round(std::size_t first, std::size_t last) {
    std::vector<Outside> outside(last - first);
    team_.parallel_for(outside.size(), outside.size() * data_.n_rows * 4, [&](std::size_t i, int) {
      team_.stop().throw_if_requested();
      const std::vector<std::uint32_t> counts = bag_(first + i);
      if (counts.size() != data_.n_rows) throw std::invalid_argument("A bag does not count every row.");
      outside[i].set(counts);
    });
    const std::size_t n_blocks = (data_.n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
    team_.parallel_for(n_blocks, data_.n_rows * outside.size() * 8, [&](std::size_t block, int) {
      const std::size_t begin = block * kRowsPerBlock;
      run_block(begin, std::min(begin + kRowsPerBlock, data_.n_rows), first, outside);
    });
  }

  void run_block(std::size_t begin, std::size_t end, std::size_t first, const std::vector<Outside>& outside) {
    TableCells<Cell> cells(data_, predictor_.nodes().slots());
    const MatrixRows<Cell> rows = cells.read(end - begin, [begin](std::size_t i) { return begin + i; });
    const std::size_t n_outputs = predictor_.n_outputs();
    std::vector<std::uint32_t> which, in_doubt, leaves(end - begin);
    for (std::size_t i = 0; i < outside.size(); ++i) {
      team_.stop().throw_if_requested();
      outside[i].list(begin, end, which);
      if (which.empty()) continue;
      in_doubt.clear();
      predictor_.nodes().leaves_of_rows(first + i, rows, which, LeafName::kRow, leaves.data(),
                                        may_doubt_ ? &in_doubt : nullptr);
      for (const std::uint32_t k : in_doubt) leaves[k] = exact_leaf(first + i, begin + which[k]);
      for (std::size_t k = 0; k < which.size(); ++k) {
        const std::size_t row = begin + which[k];
        double* sums = out_.sums.data() + row * n_outputs;
        if (votes_) {
          predictor_.add_vote(leaves[k], sums);
        } else {
          predictor_.add_values(first + i, &leaves[k], 1, sums);
        }
        ++out_.n_trees[row];
      }
    }
  }

  std::uint32_t exact_leaf(std::size_t tree, std::size_t row) const {
    return predictor_.nodes().exact_leaf(tree, LeafName::kRow, [&](FeatureId feature) {
      const Column& column = data_.column(feature);
      return value_of(column, visit_codes(column, [row](const auto* codes) { return Code{codes[row]}; }));
    });
  }

  const ForestPredictor& predictor_;
  const Dataset& data_;
  const BagOfTree& bag_;
  const bool votes_;
  const bool may_doubt_;
  Team& team_;
  OutOfBag out_;
};

}  // namespace

OutOfBag out_of_bag(const ForestPredictor& predictor, const Dataset& data, const BagOfTree& bag,
                    std::size_t first, std::size_t last, bool votes, Team& team) {
  const ForestNodes& nodes = predictor.nodes();
  check_table_fits(data, nodes.slots(), nodes.n_codes());
  if (first > last || last > predictor.n_trees()) throw std::invalid_argument("There are no such trees.");
  if (votes) predictor.check_is_classes();
  if (nodes.takes_narrow_cells()) {
    const bool may_doubt = !fits_narrow_cells(data, nodes.slots());
    return Summer<NarrowNode::Cell>(predictor, data, bag, votes, may_doubt, team).run(first, last);
  }
  return Summer<WideKeyNode::Cell>(predictor, data, bag, votes, false, team).run(first, last);
}

}  // namespace treewright
