#include "data/encode_sparse.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/bitset.h"
#include "base/stop.h"
#include "data/drawn_bins.h"
#include "data/key_column.h"
#include "data/ordered_key.h"
#include "data/value_bins.h"

namespace treewright {

namespace {

// Encodes one column after the other. One per worker.
template <class Float>
class EntryEncoder {
 public:
  using Key = KeyOf<Float>;

  // `drawn`: the rows that bins of a long column are made from, where they are made from some of them.
  EntryEncoder(std::size_t n_rows, std::size_t max_bins, bool keep_sparse, const BitSet* drawn)
      : n_rows_(n_rows), max_bins_(max_bins), keep_sparse_(keep_sparse), drawn_rows_(drawn) {}

  void encode(const Float* values, const RowId* rows, std::size_t n_stored, Column* out) {
    out->kind = ColumnKind::kNumeric;
    sort(values, n_stored);
    list_values(n_stored);
    give_codes(rows, out);
    write(rows, n_stored, out);
  }

 private:
  struct Entry {
    Key key;
    std::uint32_t place;  // among the stored
  };

  void sort(const Float* values, std::size_t n_stored) {
    entries_.resize(n_stored);
    bool ordered = true;
    for (std::size_t i = 0; i < n_stored; ++i) {
      entries_[i] = {to_key(values[i]), static_cast<std::uint32_t>(i)};
      ordered &= i == 0 || entries_[i - 1].key <= entries_[i].key;
    }
    if (ordered) return;
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  }

  // Distinct values, ascending and without NaN, with the rows of each; those that are not stored have 0.
  void list_values(std::size_t n_stored) {
    keys_.clear();
    counts_.clear();
    ends_.clear();
    const Key zero = to_key(Float{0});
    std::size_t n_zeros = n_rows_ - n_stored;
    bool zero_listed = n_zeros == 0;
    const auto list_zero = [&](std::size_t place) {
      keys_.push_back(zero);
      counts_.push_back(static_cast<std::uint32_t>(n_zeros));
      ends_.push_back(place);
      zero_listed = true;
    };
    std::size_t i = 0;
    while (i < n_stored && entries_[i].key != kNanKey<Key>) {
      const Key key = entries_[i].key;
      if (!zero_listed && key > zero) list_zero(i);
      const std::size_t first = i;
      while (i < n_stored && entries_[i].key == key) ++i;
      std::size_t count = i - first;
      if (key == zero) {
        count += n_zeros;
        zero_listed = true;
      }
      keys_.push_back(key);
      counts_.push_back(static_cast<std::uint32_t>(count));
      ends_.push_back(i);
    }
    if (!zero_listed) list_zero(i);
    n_known_ = i;
  }

  // The code of each distinct value, and the values behind the codes.
  void give_codes(const RowId* rows, Column* out) {
    codes_.resize(keys_.size());
    out->n_codes = 0;
    if (keys_.empty()) return;
    if (!is_narrow() && drawn_rows_ != nullptr && encode_drawn(rows, out)) return;
    std::vector<Float> values(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) values[i] = from_key<Float>(keys_[i]);
    if (max_bins_ == 0 || values.size() <= max_bins_) {
      for (std::size_t i = 0; i < codes_.size(); ++i) codes_[i] = static_cast<Code>(i + 1);
      out->lower = std::move(values);
    } else {
      const std::vector<std::uint32_t> begins = join_values(values, counts_, max_bins_, out);
      for (std::size_t bin = 0; bin < begins.size(); ++bin) {
        const std::size_t end = bin + 1 < begins.size() ? begins[bin + 1] : values.size();
        for (std::size_t i = begins[bin]; i < end; ++i) codes_[i] = static_cast<Code>(bin + 1);
      }
    }
    out->n_codes = static_cast<Code>(out->lower.size());
  }

  // Whether the values are whole numbers that a dense column would look up in a table.
  bool is_narrow() const {
    constexpr Float kLimit = static_cast<Float>(1 << 30);
    for (const Key key : keys_) {
      const Float value = from_key<Float>(key);
      if (!(value > -kLimit && value < kLimit)) return false;
      if (static_cast<Float>(static_cast<std::int32_t>(value)) != value) return false;
    }
    const auto span = KeyColumn<Float>::whole(keys_.back()) - KeyColumn<Float>::whole(keys_.front()) + 1;
    return static_cast<std::size_t>(span) <= widest_table(n_rows_);
  }

  bool encode_drawn(const RowId* rows, Column* out) {
    const Key zero = to_key(Float{0});
    std::size_t n_drawn = 0;  // among the stored
    for (const Entry& entry : entries_) n_drawn += drawn_rows_->contains(rows[entry.place]) ? 1 : 0;
    std::vector<Key> values;
    std::vector<std::uint32_t> counts;
    std::size_t first = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::size_t count = keys_[i] == zero ? DrawnBins<Float>::kDrawnRows - n_drawn : 0;
      for (std::size_t e = first; e < ends_[i]; ++e) {
        count += drawn_rows_->contains(rows[entries_[e].place]) ? 1 : 0;
      }
      first = ends_[i];
      if (count == 0) continue;
      values.push_back(keys_[i]);
      counts.push_back(static_cast<std::uint32_t>(count));
    }
    if (!drawn_.fit(values, counts, keys_.front(), keys_.back(), max_bins_)) return false;
    bytes_.resize(keys_.size());
    drawn_.encode(keys_.data(), 0, keys_.size(), bytes_.data());
    std::copy(bytes_.begin(), bytes_.end(), codes_.begin());
    out->n_codes = static_cast<Code>(drawn_.size());
    out->lower = drawn_.take_lower();
    out->upper = drawn_.take_upper();
    return true;
  }

  void write(const RowId* rows, std::size_t n_stored, Column* out) {
    const Key zero = to_key(Float{0});
    const auto at = std::lower_bound(keys_.begin(), keys_.end(), zero);
    const bool has_zeros = n_stored < n_rows_;
    const Code rest = has_zeros ? codes_[static_cast<std::size_t>(at - keys_.begin())] : kMissing;
    stored_.assign(n_stored, kMissing);
    std::size_t first = 0, n_listed = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      for (; first < ends_[i]; ++first) stored_[entries_[first].place] = codes_[i];
    }
    for (const Code code : stored_) n_listed += code != rest ? 1 : 0;
    out->has_missing = n_known_ < n_stored;
    out->width = code_width(out->kind, out->n_codes);
    out->is_sparse =
        keep_sparse_ && has_zeros && n_listed * (sizeof(RowId) + out->width) < n_rows_ * out->width;
    out->bytes.resize((out->is_sparse ? n_listed : n_rows_) * out->width);
    if (out->is_sparse) {
      out->rest = rest;
      out->rows.reserve(n_listed);
    }
    const auto write_as = [&](auto* codes) {
      using T = std::remove_pointer_t<decltype(codes)>;
      if (!out->is_sparse) {
        std::fill_n(codes, n_rows_, static_cast<T>(rest));
        for (std::size_t i = 0; i < n_stored; ++i) codes[rows[i]] = static_cast<T>(stored_[i]);
        return;
      }
      for (std::size_t i = 0; i < n_stored; ++i) {
        if (stored_[i] == rest) continue;
        *codes++ = static_cast<T>(stored_[i]);
        out->rows.push_back(rows[i]);
      }
    };
    std::uint8_t* bytes = out->bytes.data();
    switch (out->width) {
      case 1: return write_as(bytes);
      case 2: return write_as(reinterpret_cast<std::uint16_t*>(bytes));
      case 4: return write_as(reinterpret_cast<std::uint32_t*>(bytes));
      default: throw_bad_width(out->width);
    }
  }

  const std::size_t n_rows_;
  const std::size_t max_bins_;
  const bool keep_sparse_;
  const BitSet* drawn_rows_;
  DrawnBins<Float> drawn_;
  std::vector<Entry> entries_;         // by value
  std::size_t n_known_ = 0;            // of them; those behind are NaN
  std::vector<Key> keys_;              // distinct values
  std::vector<std::uint32_t> counts_;  // rows of each
  std::vector<std::size_t> ends_;      // of its entries
  std::vector<Code> codes_, stored_;   // of each value, of each stored entry
  std::vector<std::uint8_t> bytes_;
};

template <class Float>
std::vector<Column> encode_as(const SparseMatrix& matrix, std::size_t max_bins, bool keep_sparse,
                              Team& team) {
  BitSet drawn(matrix.n_rows);
  const bool draws = DrawnBins<Float>::applies(matrix.n_rows, max_bins);
  if (draws) {
    for (const std::size_t row : DrawnBins<Float>::rows_to_draw(matrix.n_rows)) {
      drawn.insert(static_cast<RowId>(row));
    }
  }
  std::vector<Column> columns(matrix.n_columns);
  std::vector<EntryEncoder<Float>> encoders(
      static_cast<std::size_t>(team.size()),
      EntryEncoder<Float>(matrix.n_rows, max_bins, keep_sparse, draws ? &drawn : nullptr));
  constexpr std::size_t kColumns = 64;  // of a task
  const std::size_t n_tasks = (matrix.n_columns + kColumns - 1) / kColumns;
  const std::size_t work = matrix.n_stored() * 40 + matrix.n_columns * 200;
  team.parallel_for(n_tasks, work, [&](std::size_t task, int worker) {
    const std::size_t end = std::min(matrix.n_columns, (task + 1) * kColumns);
    for (std::size_t c = task * kColumns; c < end; ++c) {
      team.stop().throw_if_requested();
      const auto begin = static_cast<std::size_t>(matrix.begin[c]);
      const std::size_t n = static_cast<std::size_t>(matrix.begin[c + 1]) - begin;
      encoders[static_cast<std::size_t>(worker)].encode(static_cast<const Float*>(matrix.values) + begin,
                                                        matrix.rows + begin, n, &columns[c]);
    }
  });
  return columns;
}

}  // namespace

std::vector<Column> encode_sparse(const SparseMatrix& matrix, std::size_t max_bins, bool keep_sparse,
                                  Team& team) {
  if (matrix.n_rows > std::numeric_limits<RowId>::max() - 1) {
    throw std::length_error("A table can have at most 4294967294 rows.");
  }
  return matrix.is_single ? encode_as<float>(matrix, max_bins, keep_sparse, team)
                          : encode_as<double>(matrix, max_bins, keep_sparse, team);
}

}  // namespace treewright
