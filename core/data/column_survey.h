// ColumnSurvey: what has to be known about a column of numbers before its codes can be, from rows that come
// in batches: the bins are those that the whole column would get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/column.h"
#include "data/key_column.h"
#include "data/numeric_source.h"

namespace treewright {

class ColumnSurvey {
 public:
  using Key = KeyOf<double>;

  // Looks at some rows; the first of them has the number first_row in the whole table. `drawn`: those of them
  // that bins are made from, counted within the batch. `buffer` has room for one key per row.
  void add(const NumericSource& source, std::size_t n_rows, std::size_t first_row,
           std::span<const std::size_t> drawn, std::size_t widest, Key* buffer);
  // Joins what somebody else has seen of other rows.
  void add(const ColumnSurvey& other, std::size_t widest);

  // To and from plain numbers, for the way to another process.
  std::vector<std::uint64_t> write() const;
  // Throws std::invalid_argument when these are not the numbers of a survey.
  static ColumnSurvey read(std::span<const std::uint64_t> numbers);

  // Sets kind, width, number of codes and the ranges behind them. Throws std::length_error when the few
  // known values of a column that no drawn row knows are not few.
  void finish(std::size_t max_bins, std::size_t widest, Column* out) const;

  bool is_single() const { return single_; }
  Key smallest() const { return seen_.smallest; }
  Key largest() const { return seen_.largest; }
  bool has_missing() const { return seen_.has_missing; }
  // A number that depends on every value and its place, to notice when rows are not the same the second time.
  std::uint64_t checksum() const { return checksum_; }

  // The same number from keys of rows that begin at `first`.
  static std::uint64_t checksum_of(const Key* keys, std::size_t n_rows, std::uint64_t first);

 private:
  // False when values are not whole, or not in a narrow range; makes room for the counts otherwise.
  bool make_counts(std::size_t widest);
  void forget_known();
  void count_whole(const Key* keys, std::size_t n_rows, std::size_t widest);
  template <class Float>
  void finish_as(std::size_t max_bins, std::size_t widest, Column* out) const;

  KeyColumn<double> seen_;
  bool single_ = true;  // every value is a float32
  std::uint64_t checksum_ = 0;
  std::vector<Key> drawn_;

  // Rows of each whole number from first_whole_ on, while all are whole and in a narrow range.
  bool counts_whole_ = true;
  std::int64_t first_whole_ = 0;
  std::vector<std::uint32_t> whole_counts_;

  // All known values, while there are few: a column may have none in the drawn rows.
  bool keeps_known_ = true;
  std::vector<Key> known_;
};

}  // namespace treewright
