#include "forest/key_records.h"

#include <algorithm>
#include <cmath>

namespace treewright {

namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kWord = sizeof(std::uint32_t);
// Longer lists would have to be searched for every test, all over memory.
constexpr Code kMostListed = 256;
// Records that span more cache lines than this are read a line per column.
constexpr std::size_t kWideLines = 4;

// In bytes: as few cache lines as can be.
std::size_t record_size(std::size_t n_bits) {
  const std::size_t n = std::max((n_bits + 7) / 8, kWord);
  return n <= kCacheLine ? std::bit_ceil(n) : (n + kCacheLine - 1) / kCacheLine * kCacheLine;
}

// Whether the values of a column are numbers of single precision.
bool has_single_values(const Column& column) {
  if (column.kind != ColumnKind::kNumeric || !column.upper.empty()) return false;
  if (column.lower.is_single()) return true;
  for (Code code = 1; code <= column.n_codes; ++code) {
    const double value = column.lowest(code);
    if (std::fabs(value) > std::numeric_limits<float>::max() && !std::isinf(value)) return false;
    if (static_cast<double>(static_cast<float>(value)) != value) return false;
  }
  return true;
}

}  // namespace

KeyRecords::Key KeyRecords::key_of(float value) {
  const Key bits = std::bit_cast<Key>(value + 0.0F);  // one zero, not two
  return bits < 0 ? bits ^ std::numeric_limits<Key>::max() : bits;
}

KeyRecords::KeyRecords(const Dataset& data, KeyColumns which, Team& team, std::size_t per_node)
    : data_(data) {
  if (which == KeyColumns::kNone) return;
  lay_out(which, per_node);
  if (n_columns_ == 0) return;
  records_ = HugeArray<std::uint8_t>(data.n_rows * (by_column_ ? n_columns_ * kWord : stride_));
  constexpr std::size_t kBlock = 1024;
  const std::size_t n_blocks = (data.n_rows + kBlock - 1) / kBlock;
  team.parallel_for(n_blocks, 8 * data.n_rows * n_columns_, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, end = std::min(data.n_rows, begin + kBlock);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].field.mask == 0) continue;
      visit_codes(data.columns[c], [&](const auto* codes) { write(codes, begin, end, c); });
    }
  });
}

void KeyRecords::lay_out(KeyColumns which, std::size_t per_node) {
  constexpr std::size_t kMostBits = 25;  // that four bytes hold wherever they begin
  constexpr bool kWords = std::endian::native != std::endian::little;  // bits run on in bytes there only
  columns_.resize(data_.columns.size());
  std::vector<std::size_t> bit(columns_.size(), 0), width(columns_.size(), 0);
  std::size_t n_bits = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = data_.columns[c];
    if (column.kind == ColumnKind::kNominal || column.is_sparse) continue;
    if (which == KeyColumns::kTwoValued && !is_two_valued(column)) continue;
    ++n_columns_;
    KeyColumn& own = columns_[c];
    own.is_value = column.n_codes > kMostListed && has_single_values(column);
    own.first = column.has_missing || own.is_value ? 0 : 1;
    const auto n_keys = static_cast<std::uint32_t>(column.n_codes - own.first);
    width[c] = own.is_value ? 32 : std::max<std::size_t>(std::bit_width(n_keys), 1);
    if (width[c] > kMostBits || kWords) n_bits = (n_bits + 31) / 32 * 32;
    bit[c] = n_bits;
    n_bits += kWords ? 32 : width[c];
  }
  stride_ = record_size(n_bits);
  by_column_ = per_node > 0 && 4 * per_node < n_columns_ && stride_ > kWideLines * kCacheLine &&
               2 * stride_ > n_columns_ * kWord;
  if (by_column_) stride_ = kWord;
  std::size_t place = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (width[c] == 0) continue;
    KeyField& field = columns_[c].field;
    if (by_column_) {
      field.byte = place++ * data_.n_rows * kWord;
      field.mask = static_cast<std::int32_t>(0xFFFFFFFFU >> (32 - width[c]));
      continue;
    }
    field.byte = std::min(bit[c] / 8, stride_ - kWord);  // inside the record
    field.shift = static_cast<std::int32_t>(bit[c] - 8 * field.byte);
    field.mask = static_cast<std::int32_t>(0xFFFFFFFFU >> (32 - width[c]));
  }
}

template <class Codes>
void KeyRecords::write(const Codes* codes, std::size_t begin, std::size_t end, std::size_t c) {
  const KeyColumn& own = columns_[c];
  const Column& column = data_.columns[c];
  for (std::size_t row = begin; row < end; ++row) {
    const Code code = codes[row];
    Key key = static_cast<Key>(code - own.first);
    if (own.is_value) {
      key = code == kMissing ? std::numeric_limits<Key>::min()
                             : key_of(static_cast<float>(column.lowest(code)));
    }
    std::uint8_t* place = records_.data() + row * stride_ + own.field.byte;
    std::uint32_t bits;
    std::memcpy(&bits, place, kWord);
    bits |= static_cast<std::uint32_t>(key) << own.field.shift;
    std::memcpy(place, &bits, kWord);
  }
}

double KeyRecords::listed_value(FeatureId feature, Key key) const {
  const Column& column = data_.column(feature);
  const Code code = static_cast<Code>(key) + columns_[index(feature)].first;
  return column.kind == ColumnKind::kNumeric ? column.lowest(code) : static_cast<double>(code);
}

KeyRecords::Key KeyRecords::last_below(FeatureId feature, double threshold, Key low, Key high) const {
  const KeyColumn& own = columns_[index(feature)];
  if (own.is_value) {
    const auto nearest = static_cast<float>(threshold);
    return key_of(nearest) - (static_cast<double>(nearest) > threshold ? 1 : 0);
  }
  const Column& column = data_.column(feature);
  if (column.kind != ColumnKind::kNumeric) {  // a code is its own value
    const double last = std::floor(threshold) - static_cast<double>(own.first);
    return static_cast<Key>(std::clamp(last, static_cast<double>(low), static_cast<double>(high) - 1));
  }
  // Half of what is left each time, without a branch.
  for (Key left = high - low; left > 1;) {
    const Key half = left / 2;
    low = column.lowest(static_cast<Code>(low + half) + own.first) <= threshold ? low + half : low;
    left -= half;
  }
  return low;
}

KeyRecords::Key KeyRecords::last_below(FeatureId feature, double threshold) const {
  const KeyColumn& own = columns_[index(feature)];
  const auto past = static_cast<Key>(data_.column(feature).n_codes + 1 - own.first);
  return last_below(feature, threshold, static_cast<Key>(1 - own.first), past);
}

double KeyRecords::highest(FeatureId feature, Key key) const {
  const KeyColumn& own = columns_[index(feature)];
  const Column& column = data_.column(feature);
  if (own.is_value || column.upper.empty()) return value(feature, key);
  return column.highest(static_cast<Code>(key) + own.first);
}

}  // namespace treewright
