#include "forest/code_records.h"

#include <algorithm>
#include <bit>

#include "forest/key_records.h"

namespace treewright {

namespace {

constexpr std::size_t kCacheLine = 64;

// A record lies in as few cache lines as it can. In numbers, not in bytes.
std::size_t record_size(std::size_t n_columns, std::size_t per_line) {
  if (n_columns <= per_line) return std::bit_ceil(std::max<std::size_t>(n_columns, 1));
  return (n_columns + per_line - 1) / per_line * per_line;
}

// The last code of each of at most `most` bins of about equal numbers of rows; one more in front for missing.
std::vector<Code> make_bins(const Column& column, std::size_t n_rows, std::size_t most) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(column.n_codes) + 1, 0);
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t row = 0; row < n_rows; ++row) ++rows[codes[row]];
  });
  const std::size_t known = n_rows - rows[kMissing];
  std::vector<Code> last{0};
  std::size_t seen = 0;
  for (Code code = 1; code < column.n_codes; ++code) {
    seen += rows[code];
    if (seen * most / known >= last.size()) last.push_back(code);
  }
  last.push_back(column.n_codes);
  return last;
}

template <class T>
std::vector<T> bin_of_codes(const std::vector<Code>& last) {
  std::vector<T> bin_of(static_cast<std::size_t>(last.back()) + 1);
  for (std::size_t bin = 1; bin < last.size(); ++bin) {
    std::fill(bin_of.begin() + static_cast<std::ptrdiff_t>(last[bin - 1]) + 1,
              bin_of.begin() + static_cast<std::ptrdiff_t>(last[bin]) + 1, static_cast<T>(bin));
  }
  return bin_of;
}

}  // namespace

template <class T>
CodeRecords<T>::CodeRecords(const Dataset& data, bool wanted, Team& team) {
  if (!wanted) return;
  constexpr std::size_t kPerLine = kCacheLine / sizeof(T);
  const std::size_t n_columns = data.columns.size();
  bins_.resize(n_columns);
  has_.assign(n_columns, 0);
  place_.assign(n_columns, 0);
  n_values_.assign(n_columns, 0);
  std::size_t n_places = 0;
  for (std::size_t f = 0; f < n_columns; ++f) {
    const Column& column = data.columns[f];
    has_[f] = !column.is_sparse && !is_two_valued(column) &&
              (column.width <= sizeof(T) || column.kind != ColumnKind::kNominal);
    place_[f] = n_places;
    n_places += has_[f] != 0;
  }
  stride_ = record_size(n_places, kPerLine);
  numbers_ = HugeArray<T>(data.n_rows * stride_);
  std::vector<std::vector<T>> bin_of(data.columns.size());
  const std::size_t work = 4 * data.n_rows * data.columns.size();
  team.parallel_for(data.columns.size(), work, [&](std::size_t f, int) {
    const Column& column = data.columns[f];
    n_values_[f] = static_cast<std::size_t>(column.n_codes) + 1;
    if (column.width <= sizeof(T) || !has_[f]) return;
    bins_[f] = make_bins(column, data.n_rows, kMostBins);
    n_values_[f] = bins_[f].size();
    bin_of[f] = bin_of_codes<T>(bins_[f]);
  });
  constexpr std::size_t kBlock = 4096;
  const std::size_t n_blocks = (data.n_rows + kBlock - 1) / kBlock;
  team.parallel_for(n_blocks, work, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, end = std::min(data.n_rows, begin + kBlock);
    for (std::size_t f = 0; f < data.columns.size(); ++f) {
      if (!has_[f]) continue;
      T* out = numbers_.data() + place_[f];
      visit_codes(data.columns[f], [&](const auto* codes) {
        if (bins_[f].empty()) {
          for (std::size_t row = begin; row < end; ++row) out[row * stride_] = static_cast<T>(codes[row]);
        } else {
          for (std::size_t row = begin; row < end; ++row) out[row * stride_] = bin_of[f][codes[row]];
        }
      });
    }
  });
}

template class CodeRecords<std::uint8_t>;
template class CodeRecords<std::uint16_t>;

}  // namespace treewright
