// The rows of one column at one node in the order of their codes, and the cursors that hand them to a scan,
// one code at a time. Buckets: sums of the rows of each code in a dense table. SortedRows: the rows
// themselves as integers (code in the high bits, position of the sample in the low bits), ascending.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"

namespace treewright {

// A dense table: bucket of code c at c * stride, code 0 = missing. Empty buckets hold zeros.
template <class Target>
struct Buckets {
  const Target* target;
  const typename Target::Cell* cells;
  Code n_codes;

  const typename Target::Cell* bucket(Code code) const {
    return cells + static_cast<std::size_t>(code) * static_cast<std::size_t>(target->stride());
  }
  std::size_t rows(Code code) const { return target->rows(bucket(code)); }
};

// Walks over the buckets that hold rows, in the order of their codes.
template <class Target>
class BucketCursor {
 public:
  explicit BucketCursor(const Buckets<Target>& buckets) : buckets_(buckets), last_(buckets.n_codes) {
    next_ = find_next(1);
    while (last_ > next_ && buckets_.rows(last_) == 0) --last_;
  }

  // At most one bucket is left, so there is nothing to separate it from.
  bool one_left() const { return next_ >= last_; }

  // Moves the next bucket to the left side.
  template <class Scan>
  void advance(Scan& scan) {
    code_ = next_;
    scan.move_bucket(buckets_.bucket(code_));
    rows_ += buckets_.rows(code_);
    next_ = find_next(code_ + 1);
  }

  Code code() const { return code_; }
  Code next_code() const { return next_; }
  Code last_code() const { return last_; }
  std::size_t rows() const { return rows_; }

 private:
  Code find_next(Code code) const {
    while (code <= buckets_.n_codes && buckets_.rows(code) == 0) ++code;
    return code;
  }

  const Buckets<Target>& buckets_;
  Code code_ = 0, next_ = 0, last_;
  std::size_t rows_ = 0;
};

template <class Target>
struct BucketSource {
  const Buckets<Target>& buckets;

  BucketCursor<Target> cursor() const { return BucketCursor<Target>(buckets); }
  template <class Scan>
  void move_missing(Scan& scan) const {
    scan.move_bucket(buckets.bucket(kMissing));
  }
};

template <class Key>
struct KeyLayout;

template <>
struct KeyLayout<std::uint32_t> {
  static constexpr int kPositionBits = 16;
};
template <>
struct KeyLayout<std::uint64_t> {
  static constexpr int kPositionBits = 32;
};

template <class Key>
constexpr Code code_of(Key key) {
  return static_cast<Code>(key >> KeyLayout<Key>::kPositionBits);
}
template <class Key>
constexpr std::uint32_t position_of(Key key) {
  return static_cast<std::uint32_t>(key & ((Key{1} << KeyLayout<Key>::kPositionBits) - 1));
}
template <class Key>
constexpr Key make_key(Code code, std::uint32_t position) {
  return static_cast<Key>(static_cast<Key>(code) << KeyLayout<Key>::kPositionBits) | position;
}

template <class Key, class Sample>
struct SortedRows {
  const Key* keys;
  std::size_t size;
  const Sample* samples;  // by position

  std::size_t count_missing() const {
    std::size_t n = 0;
    while (n < size && code_of(keys[n]) == kMissing) ++n;
    return n;
  }
};

template <class Key, class Sample>
class SortedCursor {
 public:
  // Starts behind the missing rows.
  SortedCursor(const SortedRows<Key, Sample>& rows, std::size_t n_missing)
      : key_(rows.keys + n_missing),
        end_(rows.keys + rows.size),
        samples_(rows.samples),
        begin_(key_),
        last_(key_ == end_ ? kMissing : code_of(*(end_ - 1))) {}

  bool one_left() const { return key_ == end_ || code_of(*key_) == last_; }

  template <class Scan>
  void advance(Scan& scan) {
    code_ = code_of(*key_);
    do {
      scan.move(samples_[position_of(*key_)]);
      ++key_;
    } while (key_ != end_ && code_of(*key_) == code_);
  }

  Code code() const { return code_; }
  Code next_code() const { return code_of(*key_); }
  Code last_code() const { return last_; }
  std::size_t rows() const { return static_cast<std::size_t>(key_ - begin_); }

 private:
  const Key* key_;
  const Key* end_;
  const Sample* samples_;
  const Key* begin_;
  Code last_;
  Code code_ = 0;
};

template <class Key, class Sample>
struct SortedSource {
  const SortedRows<Key, Sample>& rows;
  std::size_t n_missing;

  SortedCursor<Key, Sample> cursor() const { return SortedCursor<Key, Sample>(rows, n_missing); }
  template <class Scan>
  void move_missing(Scan& scan) const {
    for (std::size_t i = 0; i < n_missing; ++i) scan.move(rows.samples[position_of(rows.keys[i])]);
  }
  // The rows of the second code, where the column has two codes here and the second has fewer rows: moving
  // them alone tells as much as moving the first. Pays for columns that are mostly one value.
  std::span<const Key> short_tail() const {
    const Key* begin = rows.keys + n_missing;
    const Key* end = rows.keys + rows.size;
    if (begin == end) return {};
    const Code first = code_of(*begin), last = code_of(*(end - 1));
    if (first == last || code_of(begin[(end - begin) / 2]) != first) return {};
    const Key* tail = std::partition_point(begin, end, [first](Key key) { return code_of(key) == first; });
    return code_of(*tail) == last ? std::span<const Key>(tail, end) : std::span<const Key>{};
  }

  template <class Scan>
  void place(Scan& scan, bool with_missing) const {
    for (std::size_t i = with_missing ? 0 : n_missing; i < rows.size; ++i) {
      scan.place(rows.samples[position_of(rows.keys[i])]);
    }
  }
};

}  // namespace treewright
