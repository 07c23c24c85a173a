// Processes that exchange sums, which are threads here.
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boost/histogram/row_exchange.h"
#include "data/dataset.h"

namespace treewright::test {

// Where the processes meet: everybody lays down numbers, then everybody adds up all of them.
class Meeting {
 public:
  explicit Meeting(std::size_t n) : whole_(n), real_(n), barrier_(static_cast<std::ptrdiff_t>(n)) {}

  void add_up(std::size_t who, std::span<std::int64_t> numbers) { add_up(who, numbers, whole_); }
  void add_up(std::size_t who, std::span<double> numbers) { add_up(who, numbers, real_); }

 private:
  template <class Number>
  void add_up(std::size_t who, std::span<Number> numbers, std::vector<std::vector<Number>>& laid_down) {
    laid_down[who].assign(numbers.begin(), numbers.end());
    barrier_.arrive_and_wait();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 0;
      for (const std::vector<Number>& theirs : laid_down) numbers[i] += theirs[i];
    }
    barrier_.arrive_and_wait();
  }

  std::vector<std::vector<std::int64_t>> whole_;
  std::vector<std::vector<double>> real_;
  std::barrier<> barrier_;
};

struct Share : RowExchange {
  Share(Meeting& meeting, std::size_t who, std::size_t n_all, std::size_t first)
      : meeting(meeting), who(who), n_all(n_all), first(first) {}
  std::size_t n_rows() const override { return n_all; }
  std::size_t first_row() const override { return first; }
  void add_up(std::span<std::int64_t> numbers) override {
    ++n_sums;
    meeting.add_up(who, numbers);
  }
  void gather(std::span<double> numbers) override {
    ++n_sums;
    meeting.add_up(who, numbers);
  }

  Meeting& meeting;
  std::size_t who, n_all, first;
  std::size_t n_sums = 0;
};

inline Dataset rows_of(const Dataset& data, std::size_t begin, std::size_t end) {
  Dataset part = data;
  part.n_rows = end - begin;
  for (Column& column : part.columns) {
    column.bytes.assign(column.bytes.begin() + static_cast<std::ptrdiff_t>(begin * column.width),
                        column.bytes.begin() + static_cast<std::ptrdiff_t>(end * column.width));
  }
  return part;
}

}  // namespace treewright::test
