// Dense ranks of ordered keys by sorting, in 8 bytes of scratch per row.
//
// One pass spreads (key, row) pairs of 64 bits over buckets by the leading bits of the key, then buckets
// small enough for the cache are radix-sorted and ranked. Key bits for which a pair has no room (float64
// only) are used to sort again the few rows that agree in the others. The order of rows with equal keys does
// not matter here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/blocks.h"
#include "base/radix_sort.h"
#include "base/stop.h"
#include "data/ordered_key.h"

namespace treewright {

template <class Key>
class KeyRanker {
 public:
  explicit KeyRanker(std::size_t n_rows)
      : n_(n_rows), pairs_(std::make_unique_for_overwrite<std::uint64_t[]>(n_rows)) {}

  // Replaces every key by its rank 1, 2, ... and NaN's key by 0. `smallest` and `largest` bound the other
  // keys, of which there is at least one. Returns the number of distinct keys, available from distinct()
  // afterwards.
  std::size_t rank(Key* keys, Key smallest, Key largest, const StopFlag& stop) {
    keys_ = keys;
    n_distinct_ = 0;
    layout_ = make_layout(smallest, largest, stop);
    spread(stop);
    rank_buckets(stop);
    return n_distinct_;
  }

  Key distinct(std::size_t i) const {
    return static_cast<Key>((pairs_[i] << layout_.dropped_bits) + layout_.smallest);
  }

 private:
  static constexpr int kSpreadBits = 11;  // 2048 places to write to at a time
  static constexpr std::size_t kSortRows =
      1024;  // rows worth a radix sort of their own, in the first-level cache

  // Where the parts of a key go. A plain value, so that loops keep it in registers.
  struct Layout {
    Key smallest = 0;
    int dropped_bits = 0;  // trailing bits in which all keys agree
    int row_bits = 0;      // lower part of a pair
    int high_bits = 0;     // key bits in the upper part of a pair
    int low_bits = 0;      // key bits for which a pair has no room
    int spread_bits = 0;   // leading bits that choose the bucket

    std::uint64_t row_mask() const { return (std::uint64_t{1} << row_bits) - 1; }
    std::uint64_t offset(Key key) const { return static_cast<std::uint64_t>(key - smallest) >> dropped_bits; }
    // The shift stays below 64: with no bucket bits and 64 key bits, half of it is taken twice.
    std::size_t bucket(std::uint64_t offset) const {
      const int shift = high_bits + low_bits - spread_bits;
      return static_cast<std::size_t>(offset >> (shift / 2) >> (shift - shift / 2));
    }
  };

  // Not sorted by: trailing bits that all keys share (floats that hold integers, float64 that came from
  // float32) and the part of the range below the smallest key.
  Layout make_layout(Key smallest, Key largest, const StopFlag& stop) const {
    Key varying = 0;
    for_blocks(n_, stop, [&](std::size_t begin, std::size_t end) {
      Key here = 0;
      for (std::size_t i = begin; i < end; ++i)
        here |= keys_[i] == kNanKey<Key> ? Key{0} : keys_[i] ^ smallest;
      varying |= here;
    });
    Layout layout;
    layout.smallest = smallest;
    layout.dropped_bits = varying == 0 ? 0 : std::countr_zero(varying);
    const int bits = static_cast<int>(std::bit_width(layout.offset(largest)));
    layout.row_bits = static_cast<int>(std::bit_width(n_));
    layout.high_bits = std::min(bits, 64 - layout.row_bits);
    layout.low_bits = bits - layout.high_bits;
    layout.spread_bits = n_ < kSortRows ? 0 : std::min(layout.high_bits, kSpreadBits);
    return layout;
  }

  void spread(const StopFlag& stop) {
    const Layout layout = layout_;
    Key* const keys = keys_;
    std::uint64_t* const pairs = pairs_.get();
    bucket_end_.assign(std::size_t{1} << layout.spread_bits, 0U);
    std::uint32_t* const place = bucket_end_.data();
    for_blocks(n_, stop, [=](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (keys[i] != kNanKey<Key>) ++place[layout.bucket(layout.offset(keys[i]))];
      }
    });
    std::uint32_t sum = 0;
    for (std::uint32_t& end : bucket_end_) sum += std::exchange(end, sum);
    // Each place moves from the begin of its bucket to the end.
    for_blocks(n_, stop, [=](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (keys[i] == kNanKey<Key>) {
          keys[i] = 0;
          continue;
        }
        const std::uint64_t offset = layout.offset(keys[i]);
        pairs[place[layout.bucket(offset)]++] = (offset >> layout.low_bits) << layout.row_bits | i;
      }
    });
  }

  // Neighbouring small buckets are sorted together: a radix sort of few rows costs more per row.
  void rank_buckets(const StopFlag& stop) {
    const int inner_bits = layout_.high_bits - layout_.spread_bits;
    std::size_t begin = 0;
    for (std::size_t first = 0, last = 0; last < bucket_end_.size(); ++last) {
      const std::size_t end = bucket_end_[last];
      const bool is_last = last + 1 == bucket_end_.size();
      if (!is_last && bucket_end_[last + 1] - begin <= kSortRows) continue;
      stop.throw_if_requested();
      // Above the highest bit in which the numbers of these buckets differ, their keys agree.
      const int bits = inner_bits + static_cast<int>(std::bit_width(first ^ last));
      number(sort(pairs_.get() + begin, end - begin, bits, &scratch_), end - begin);
      begin = end;
      first = last + 1;
    }
  }

  // Gives the next ranks to sorted pairs. The place of a distinct key was read before: ranks never outnumber
  // the pairs already passed.
  void number(const std::uint64_t* sorted, std::size_t n) {
    const Layout layout = layout_;
    const std::uint64_t row_mask = layout.row_mask();
    Key* const keys = keys_;
    std::uint64_t* const distinct = pairs_.get();
    std::size_t n_distinct = n_distinct_;
    for (std::size_t i = 0; i < n;) {
      const std::uint64_t high = sorted[i] >> layout.row_bits;
      const std::size_t first_row = sorted[i] & row_mask;
      std::size_t end = i + 1;
      while (end < n && sorted[end] >> layout.row_bits == high) ++end;
      if (layout.low_bits > 0 && end - i > 1) {
        n_distinct_ = n_distinct;
        number_by_low_bits(sorted + i, end - i);
        n_distinct = n_distinct_;
      } else {
        const std::uint64_t offset = layout.low_bits == 0 ? high : layout.offset(keys[first_row]);
        const Key rank = static_cast<Key>(n_distinct + 1);
        keys[first_row] = rank;
        for (std::size_t j = i + 1; j < end; ++j) keys[sorted[j] & row_mask] = rank;
        distinct[n_distinct++] = offset;
      }
      i = end;
    }
    n_distinct_ = n_distinct;
  }

  // Rows that agree in all key bits of their pairs are sorted by what is left of the key: at most as many
  // bits as a row has, so there is room for it.
  void number_by_low_bits(const std::uint64_t* run, std::size_t n) {
    const int row_bits = layout_.row_bits;
    const std::uint64_t row_mask = layout_.row_mask();
    const std::uint64_t low_mask = (std::uint64_t{1} << layout_.low_bits) - 1;
    const std::uint64_t high = (run[0] >> row_bits) << layout_.low_bits;
    if (run_.size() < n) run_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t row = run[i] & row_mask;
      run_[i] = (layout_.offset(keys_[row]) & low_mask) << row_bits | row;
    }
    const std::uint64_t* sorted = sort(run_.data(), n, layout_.low_bits, &run_scratch_);
    for (std::size_t i = 0; i < n;) {
      const std::uint64_t low = sorted[i] >> row_bits;
      const Key rank = static_cast<Key>(n_distinct_ + 1);
      for (; i < n && sorted[i] >> row_bits == low; ++i) keys_[sorted[i] & row_mask] = rank;
      pairs_[n_distinct_++] = high | low;
    }
  }

  // Sorts by the `bits` bits above the row; one very frequent value needs neither time nor scratch.
  const std::uint64_t* sort(std::uint64_t* pairs, std::size_t n, int bits,
                            std::vector<std::uint64_t>* scratch) const {
    const int row_bits = layout_.row_bits;
    bool ordered = true;
    for (std::size_t i = 1; i < n && ordered; ++i) ordered = pairs[i - 1] >> row_bits <= pairs[i] >> row_bits;
    if (ordered) return pairs;
    if (scratch->size() < n) scratch->resize(n);
    return radix_sort(pairs, scratch->data(), n, row_bits, row_bits + bits);
  }

  const std::size_t n_;
  std::unique_ptr<std::uint64_t[]> pairs_;  // (leading key bits, row), later the distinct key offsets
  std::vector<std::uint64_t> scratch_, run_, run_scratch_;
  std::vector<std::uint32_t> bucket_end_;

  Key* keys_ = nullptr;
  Layout layout_;
  std::size_t n_distinct_ = 0;
};

}  // namespace treewright
