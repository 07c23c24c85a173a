#include "data/column_survey.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "data/drawn_bins.h"
#include "data/value_bins.h"

namespace treewright {

namespace {

// Of 200 000 drawn rows none knows a value: then a table of a billion rows has a few thousand of them.
constexpr std::size_t kMostKnown = std::size_t{1} << 20;

template <class Float>
KeyOf<Float> narrowed(KeyOf<double> key) {
  return to_key(static_cast<Float>(from_key<double>(key)));
}

}  // namespace

std::uint64_t ColumnSurvey::checksum_of(const Key* keys, std::size_t n_rows, std::uint64_t first) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < n_rows; ++row) sum += keys[row] * (2 * (first + row) + 1);
  return sum;
}

void ColumnSurvey::add(const NumericSource& source, std::size_t n_rows, std::size_t first_row,
                       std::span<const std::size_t> drawn, std::size_t widest, Key* buffer) {
  single_ &= source.fits_float32();
  seen_.keys = buffer;
  seen_.read(source, 0, n_rows);
  checksum_ += checksum_of(buffer, n_rows, first_row);
  for (const std::size_t row : drawn) {
    if (buffer[row] != kNanKey<Key>) drawn_.push_back(buffer[row]);
  }
  if (counts_whole_) count_whole(buffer, n_rows, widest);
  if (keeps_known_) {
    for (std::size_t row = 0; row < n_rows && known_.size() <= kMostKnown; ++row) {
      if (buffer[row] != kNanKey<Key>) known_.push_back(buffer[row]);
    }
    forget_known();
  }
  seen_.keys = nullptr;
}

// Once a drawn row knows a value, bins come from drawn rows.
void ColumnSurvey::forget_known() {
  keeps_known_ = keeps_known_ && known_.size() <= kMostKnown && drawn_.empty();
  if (!keeps_known_) known_ = {};
}

void ColumnSurvey::add(const ColumnSurvey& other, std::size_t widest) {
  single_ &= other.single_;
  seen_.smallest = std::min(seen_.smallest, other.seen_.smallest);
  seen_.largest = std::max(seen_.largest, other.seen_.largest);
  seen_.whole_numbers &= other.seen_.whole_numbers;
  seen_.has_missing |= other.seen_.has_missing;
  checksum_ += other.checksum_;
  drawn_.insert(drawn_.end(), other.drawn_.begin(), other.drawn_.end());
  counts_whole_ &= other.counts_whole_;
  if (counts_whole_ && make_counts(widest)) {
    const auto shift = static_cast<std::size_t>(other.first_whole_ - first_whole_);
    for (std::size_t i = 0; i < other.whole_counts_.size(); ++i) {
      whole_counts_[shift + i] += other.whole_counts_[i];
    }
  }
  keeps_known_ = keeps_known_ && other.keeps_known_;
  known_.insert(known_.end(), other.known_.begin(), other.known_.end());
  forget_known();
}

std::vector<std::uint64_t> ColumnSurvey::write() const {
  const std::uint64_t flags = (single_ ? 1U : 0U) | (seen_.whole_numbers ? 2U : 0U) |
                              (seen_.has_missing ? 4U : 0U) | (counts_whole_ ? 8U : 0U) |
                              (keeps_known_ ? 16U : 0U);
  std::vector<std::uint64_t> numbers{
      flags,         seen_.smallest,       seen_.largest, checksum_, static_cast<std::uint64_t>(first_whole_),
      drawn_.size(), whole_counts_.size(), known_.size()};
  numbers.insert(numbers.end(), drawn_.begin(), drawn_.end());
  numbers.insert(numbers.end(), whole_counts_.begin(), whole_counts_.end());
  numbers.insert(numbers.end(), known_.begin(), known_.end());
  return numbers;
}

ColumnSurvey ColumnSurvey::read(std::span<const std::uint64_t> numbers) {
  constexpr std::size_t kHead = 8;
  const bool has_head = numbers.size() >= kHead;
  if (!has_head || numbers[5] > numbers.size() || numbers[6] > numbers.size() ||
      numbers[5] + numbers[6] + numbers[7] + kHead != numbers.size()) {
    throw std::invalid_argument("These numbers do not describe a column.");
  }
  ColumnSurvey survey;
  survey.single_ = (numbers[0] & 1U) != 0;
  survey.seen_.whole_numbers = (numbers[0] & 2U) != 0;
  survey.seen_.has_missing = (numbers[0] & 4U) != 0;
  survey.counts_whole_ = (numbers[0] & 8U) != 0;
  survey.keeps_known_ = (numbers[0] & 16U) != 0;
  survey.seen_.smallest = numbers[1];
  survey.seen_.largest = numbers[2];
  survey.checksum_ = numbers[3];
  survey.first_whole_ = static_cast<std::int64_t>(numbers[4]);
  const auto part = [&, at = kHead](std::uint64_t n) mutable {
    const auto some = numbers.subspan(at, n);
    at += n;
    return some;
  };
  auto next = part;
  const auto drawn = next(numbers[5]), counts = next(numbers[6]), known = next(numbers[7]);
  survey.drawn_.assign(drawn.begin(), drawn.end());
  for (const std::uint64_t count : counts) survey.whole_counts_.push_back(static_cast<std::uint32_t>(count));
  survey.known_.assign(known.begin(), known.end());
  return survey;
}

bool ColumnSurvey::make_counts(std::size_t widest) {
  if (seen_.all_missing()) return false;
  counts_whole_ = seen_.whole_numbers && seen_.span() <= widest;
  if (!counts_whole_) {
    whole_counts_ = {};
    return false;
  }
  const std::int64_t first = KeyColumn<double>::whole(seen_.smallest);
  if (whole_counts_.empty()) first_whole_ = first;
  if (first < first_whole_) {
    whole_counts_.insert(whole_counts_.begin(), static_cast<std::size_t>(first_whole_ - first), 0U);
    first_whole_ = first;
  }
  whole_counts_.resize(seen_.span());
  return true;
}

void ColumnSurvey::count_whole(const Key* keys, std::size_t n_rows, std::size_t widest) {
  if (!make_counts(widest)) return;
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (keys[row] == kNanKey<Key>) continue;
    ++whole_counts_[static_cast<std::size_t>(KeyColumn<double>::whole(keys[row]) - first_whole_)];
  }
}

void ColumnSurvey::finish(std::size_t max_bins, std::size_t widest, Column* out) const {
  out->kind = ColumnKind::kNumeric;
  if (single_) {
    finish_as<float>(max_bins, widest, out);
  } else {
    finish_as<double>(max_bins, widest, out);
  }
  out->n_codes = static_cast<Code>(out->lower.size());
  out->width = code_width(out->kind, out->n_codes);
  out->has_missing = seen_.has_missing;
}

template <class Float>
void ColumnSurvey::finish_as(std::size_t max_bins, std::size_t widest, Column* out) const {
  if (seen_.all_missing()) return;
  std::vector<Float> values;
  std::vector<std::uint32_t> counts;
  if (counts_whole_ && seen_.whole_numbers && seen_.span() <= widest) {
    for (std::size_t i = 0; i < whole_counts_.size(); ++i) {
      if (whole_counts_[i] == 0) continue;
      values.push_back(static_cast<Float>(first_whole_ + static_cast<std::int64_t>(i)));
      counts.push_back(whole_counts_[i]);
    }
  } else if (!drawn_.empty()) {
    std::vector<KeyOf<Float>> drawn(drawn_.size());
    std::transform(drawn_.begin(), drawn_.end(), drawn.begin(), narrowed<Float>);
    DrawnBins<Float> bins;
    bins.fit(std::move(drawn), narrowed<Float>(seen_.smallest), narrowed<Float>(seen_.largest), max_bins);
    out->lower = bins.take_lower();
    out->upper = bins.take_upper();
    return;
  } else {
    if (!keeps_known_) throw std::length_error("It has values in too few of its rows to make bins of them.");
    std::vector<Key> sorted = known_;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        values.push_back(static_cast<Float>(from_key<double>(sorted[i])));
        counts.push_back(0);
      }
      ++counts.back();
    }
  }
  if (values.size() > max_bins) {
    join_values(values, counts, max_bins, out);
  } else {
    out->lower = std::move(values);
  }
}

}  // namespace treewright
