// SharedGrower: grows the trees of HistogramGrower where some rows are in other processes. An exchange takes
// its time however little it carries, so leaves are not split one at a time: all that could still be chosen
// are opened together, their histograms travel in one message, and SplitOrder says afterwards which of the
// splits one leaf after the other would have made. The rest is undone.
//
//   exchanges of a tree   root's histogram, sums and rows; one for each batch of leaves; where large leaves
//   are in
//                         doubt, rows by code; sums of gradients and rows of the nodes
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/barrier.h"
#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "boost/column_draws.h"
#include "boost/histogram/column_searcher.h"
#include "boost/histogram/fresh_leaves.h"
#include "boost/histogram/growing_tree.h"
#include "boost/histogram/histogram_keeper.h"
#include "boost/histogram/leaf_chooser.h"
#include "boost/histogram/row_exchange.h"
#include "boost/histogram/split_order.h"
#include "boost/histogram/tree_ticks.h"
#include "data/dataset.h"

namespace treewright {

template <class Ticks>
class SharedGrower : public BoostGrower {
 public:
  SharedGrower(const Dataset& data, const BoostPlan& plan, Team& team, RowExchange& others);

  // Gradients must come with the sizes of those of all processes.
  BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) override;
  void add_step(std::span<const double> values, double* raw) override {
    tree_.add_step(values, gradients_, team_, raw);
  }
  LeafRows rows_by_leaf() const override { return tree_.rows_by_leaf(); }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 25;  // of the cells of one message
  // Leaves of at most so many times the rows that a side needs send rows by code along with the sums: their
  // tests are often in doubt.
  static constexpr std::size_t kTimesLeastRows = 128;

  // Rows by code of all columns, one after the other, of both children.
  struct CodeCounts {
    bool are_known = false;
    std::array<std::vector<std::uint32_t>, 2> rows;
  };

  void open_root(const TreeTicks& ticks);
  void open_batch(const std::vector<NodeId>& nodes);
  void divide(std::span<const NodeId> nodes);
  void fill();
  void count_codes();
  void exchange_cells();
  void search();
  // Rows by code of a column that is in doubt, at one leaf of the batch.
  struct Doubt {
    std::size_t fresh, leaf;
    FeatureId feature;
    std::vector<std::uint32_t> counts;
  };
  void settle_doubts();
  void settle_leaf(std::size_t fresh, std::size_t leaf, const std::vector<Doubt>& counted,
                   std::vector<Doubt>& asked);
  void make_known();
  BoostedTree finished();

  std::size_t work_of_rows() const { return data_.n_rows * (keeper_.groups().size() + 4); }
  std::size_t most_opened() const;
  std::span<const std::uint32_t> counts_of(const std::vector<std::uint32_t>& rows, FeatureId feature) const;

  const Dataset& data_;
  const BoostPlan& plan_;
  Team& team_;
  RowExchange& others_;
  ColumnDraws draws_;
  GrowingTree tree_;
  NodeScores scores_;
  HistogramKeeper<Ticks> keeper_;
  ColumnSearcher<Ticks> searcher_;
  LeafChooser chooser_;
  SplitOrder order_;
  std::vector<std::vector<std::uint16_t>> spare_;  // of each thread
  Barrier barrier_;

  Gradients gradients_;
  std::uint64_t key_ = 0;
  std::vector<FreshLeaves<Ticks>> batch_;
  std::vector<CodeCounts> counts_;        // of the batch
  std::vector<std::size_t> first_count_;  // of every column, and the end
  std::vector<std::int64_t> message_;
};

extern template class SharedGrower<PackedTicks>;
extern template class SharedGrower<WideTicks>;

}  // namespace treewright
