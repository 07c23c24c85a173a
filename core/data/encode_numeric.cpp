#include "data/encode_numeric.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/blocks.h"
#include "data/drawn_bins.h"
#include "data/key_column.h"
#include "data/rank_keys.h"
#include "data/value_bins.h"

namespace treewright {

namespace {

constexpr std::size_t kTileRows = 256;  // a tile of a group stays in the first-level cache

// The columns of one worker's task. Columns next to each other in a row-major matrix share cache lines, so
// several are read together; each costs a buffer, so tables of few columns get small groups.
constexpr std::size_t kMaxGroup = 8;
constexpr std::size_t kColumnsPerGroupMember = 5;

template <class Float>
class ColumnEncoder {
 public:
  using Key = KeyOf<Float>;

  ColumnEncoder(std::size_t n_rows, std::size_t max_bins, std::size_t group, const StopFlag& stop)
      : n_rows_(n_rows),
        max_bins_(max_bins),
        stop_(stop),
        keys_(std::make_unique_for_overwrite<Key[]>(n_rows * group)),
        ranker_(n_rows) {}

  void encode(const NumericSource* sources, std::size_t n_columns, Column* columns) {
    KeyColumn<Float> group[kMaxGroup];
    for (std::size_t c = 0; c < n_columns; ++c) group[c].keys = keys_.get() + c * n_rows_;
    for (std::size_t begin = 0; begin < n_rows_; begin += kTileRows) {
      if (begin % kBlockRows == 0) stop_.throw_if_requested();
      const std::size_t end = std::min(begin + kTileRows, n_rows_);
      for (std::size_t c = 0; c < n_columns; ++c) group[c].read(sources[c], begin, end);
    }
    for (std::size_t c = 0; c < n_columns; ++c) encode_keys(group[c], columns + c);
  }

 private:
  void encode_keys(const KeyColumn<Float>& column, Column* out) {
    out->kind = ColumnKind::kNumeric;
    if (column.all_missing()) {
      write_codes(out, n_rows_, 0, stop_, [](std::size_t) { return kMissing; });
    } else if (column.whole_numbers && column.span() <= widest_table(n_rows_)) {
      encode_by_table(column, out);
    } else {
      encode_by_sorting(column, out);
    }
  }

  // Whole numbers in a narrow range (counts, flags, years): a table over the range replaces the sort.
  void encode_by_table(const KeyColumn<Float>& column, Column* out) {
    const std::int64_t first = column.whole(column.smallest);
    const auto place = [&](Key key) { return static_cast<std::size_t>(column.whole(key) - first); };
    table_.assign(column.span(), 0U);
    const bool count = max_bins_ > 0;
    for_blocks(n_rows_, stop_, [&](std::size_t begin, std::size_t end) {
      if (count) {
        for_known(column, begin, end, [&](Key key) { ++table_[place(key)]; });
      } else {
        for_known(column, begin, end, [&](Key key) { table_[place(key)] = 1; });
      }
    });
    std::vector<Float> values;
    counts_.clear();
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (table_[i] == 0) continue;
      if (count) counts_.push_back(table_[i]);
      values.push_back(static_cast<Float>(first + static_cast<std::int64_t>(i)));
      table_[i] = static_cast<std::uint32_t>(values.size());
    }
    if (binned(values.size())) {
      const std::vector<std::uint32_t> bin_of = join(values, out);
      for (std::uint32_t& rank : table_) {
        if (rank != 0) rank = bin_of[rank - 1];
      }
    } else {
      out->lower = std::move(values);
    }
    const Key* keys = column.keys;
    write_codes(out, n_rows_, out->lower.size(), stop_, [&](std::size_t row) {
      return keys[row] == kNanKey<Key> ? kMissing : table_[place(keys[row])];
    });
  }

  bool encode_by_drawn_rows(const KeyColumn<Float>& column, Column* out) {
    if (!DrawnBins<Float>::applies(n_rows_, max_bins_)) return false;
    if (!drawn_.fit(column, n_rows_, max_bins_)) return false;
    out->n_codes = static_cast<Code>(drawn_.size());
    out->width = 1;
    out->bytes.resize(n_rows_);
    for_blocks(n_rows_, stop_, [&](std::size_t begin, std::size_t end) {
      drawn_.encode(column.keys, begin, end, out->bytes.data());
    });
    out->has_missing = column.has_missing;
    out->lower = drawn_.take_lower();
    out->upper = drawn_.take_upper();
    return true;
  }

  void encode_by_sorting(const KeyColumn<Float>& column, Column* out) {
    if (encode_by_drawn_rows(column, out)) return;
    const std::size_t n_values = ranker_.rank(column.keys, column.smallest, column.largest, stop_);
    const Key* ranks = column.keys;
    std::vector<Float> values(n_values);
    for (std::size_t i = 0; i < n_values; ++i) values[i] = from_key<Float>(ranker_.distinct(i));
    if (!binned(n_values)) {
      out->lower = std::move(values);
      write_codes(out, n_rows_, n_values, stop_, [&](std::size_t row) { return ranks[row]; });
      return;
    }
    counts_.assign(n_values, 0U);
    for (std::size_t row = 0; row < n_rows_; ++row) {
      if (ranks[row] != 0) ++counts_[ranks[row] - 1];
    }
    const std::vector<std::uint32_t> bin_of = join(values, out);
    write_codes(out, n_rows_, out->lower.size(), stop_,
                [&](std::size_t row) { return ranks[row] == 0 ? kMissing : bin_of[ranks[row] - 1]; });
  }

  bool binned(std::size_t n_values) const { return max_bins_ > 0 && n_values > max_bins_; }

  // Joins the distinct values into bins by counts_, sets their ranges and returns the code of each value.
  std::vector<std::uint32_t> join(const std::vector<Float>& values, Column* out) {
    const std::vector<std::uint32_t> begins = join_values(values, counts_, max_bins_, out);
    std::vector<std::uint32_t> bin_of(values.size());
    for (std::size_t bin = 0; bin < begins.size(); ++bin) {
      const std::size_t end = bin + 1 < begins.size() ? begins[bin + 1] : values.size();
      std::fill(bin_of.begin() + begins[bin], bin_of.begin() + static_cast<std::ptrdiff_t>(end),
                static_cast<std::uint32_t>(bin + 1));
    }
    return bin_of;
  }

  template <class Visit>
  static void for_known(const KeyColumn<Float>& column, std::size_t begin, std::size_t end, Visit&& visit) {
    for (std::size_t row = begin; row < end; ++row) {
      if (column.keys[row] != kNanKey<Key>) visit(column.keys[row]);
    }
  }

  const std::size_t n_rows_;
  const std::size_t max_bins_;
  const StopFlag& stop_;
  std::unique_ptr<Key[]> keys_;  // those of the group's columns, one after the other
  KeyRanker<Key> ranker_;
  DrawnBins<Float> drawn_;
  std::vector<std::uint32_t> table_;   // by whole number: seen or count, then code
  std::vector<std::uint32_t> counts_;  // rows of each distinct value
};

// A run of columns of one float type, at most `group` long.
struct Task {
  std::size_t begin;
  std::size_t end;
  bool float32;
};

std::vector<Task> make_tasks(const std::vector<NumericSource>& sources, std::size_t group) {
  std::vector<Task> tasks;
  for (std::size_t c = 0; c < sources.size(); ++c) {
    const bool float32 = sources[c].fits_float32();
    if (tasks.empty() || tasks.back().float32 != float32 || c - tasks.back().begin == group) {
      tasks.push_back({c, c, float32});
    }
    tasks.back().end = c + 1;
  }
  return tasks;
}

// One encoder per worker and float type; the one of the other type is dropped to keep the peak low.
struct WorkerScratch {
  std::unique_ptr<ColumnEncoder<float>> float32;
  std::unique_ptr<ColumnEncoder<double>> float64;
};

}  // namespace

std::vector<Column> encode_numeric(const std::vector<NumericSource>& sources, std::size_t n_rows,
                                   std::size_t max_bins, Team& team) {
  if (n_rows > std::numeric_limits<RowId>::max() - 1) {
    throw std::length_error("A table can have at most 4294967294 rows.");
  }
  std::vector<Column> columns(sources.size());
  const std::size_t group = std::clamp(sources.size() / kColumnsPerGroupMember, std::size_t{1}, kMaxGroup);
  const std::vector<Task> tasks = make_tasks(sources, group);
  std::vector<WorkerScratch> scratch(static_cast<std::size_t>(team.size()));

  // Reading, spreading, sorting and writing take about 20 elementary steps per number.
  const std::size_t work = n_rows * sources.size() * 20;
  team.parallel_for(tasks.size(), work, [&](std::size_t index, int worker) {
    const Task task = tasks[index];
    const NumericSource* source = sources.data() + task.begin;
    Column* column = columns.data() + task.begin;
    WorkerScratch& mine = scratch[static_cast<std::size_t>(worker)];
    const auto encode = [&](auto& encoder, auto& other) {
      other.reset();
      using Encoder = typename std::remove_reference_t<decltype(encoder)>::element_type;
      if (!encoder) encoder = std::make_unique<Encoder>(n_rows, max_bins, group, team.stop());
      encoder->encode(source, task.end - task.begin, column);
    };
    if (task.float32) {
      encode(mine.float32, mine.float64);
    } else {
      encode(mine.float64, mine.float32);
    }
  });
  return columns;
}

}  // namespace treewright
