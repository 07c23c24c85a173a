// RowExchange: the one place where a tree meets rows that are not in this process (the reduce seam). A grower
// without one has all rows; with one, every process grows the same tree from its own share of the rows: all
// decide alike, only sums travel. Its calls come in the same order in every process, from one thread.
//
//   for every round  sizes of gradients, which decide the units of ticks, and whether to stop; the train
//   score for every tree   the root's histogram; the histograms of the children of several leaves at once, as
//   often
//                    as it takes; sums of gradients and rows of the nodes
//   in doubt         rows by the codes of columns
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright {

class RowExchange {
 public:
  virtual ~RowExchange() = default;

  // Rows of all processes, and the place of this one's first row among them. Shares end where blocks of rows
  // end (RowBlocks::rows_per_block), but for the last.
  virtual std::size_t n_rows() const = 0;
  virtual std::size_t first_row() const = 0;

  // Every number becomes the sum of those that all processes have in its place. Whole numbers: the order of
  // additions cannot be seen.
  virtual void add_up(std::span<std::int64_t> numbers) = 0;

  // The same for numbers of which each is 0 in every process but one, or a whole number below 2⁵³: nothing is
  // rounded.
  virtual void gather(std::span<double> numbers) = 0;
};

}  // namespace treewright
