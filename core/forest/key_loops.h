// The loops of forest/key_lanes.h, for the registers that the including file is compiled for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/lanes.h"
#include "forest/key_lanes.h"

namespace treewright {

namespace {

constexpr std::size_t kAhead = 16;  // rows that are asked for before they are read

TREEWRIGHT_INLINE void prefetch(const std::uint8_t* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  static_cast<void>(address);
#endif
}

template <std::size_t kUsed>
TREEWRIGHT_INLINE std::int32_t word(const std::uint8_t* record, const std::size_t* byte, std::size_t lane) {
  std::int32_t bits = 0;
  if (lane < kUsed) std::memcpy(&bits, record + byte[lane], sizeof bits);
  return bits;
}

template <std::size_t kUsed, bool kMissing>
TREEWRIGHT_INLINE void read_some(const KeyRows& from, const KeyLanes& lanes, std::int32_t* keys,
                                 LaneRanges& ranges) {
  std::size_t byte[kLanes];
  std::copy_n(lanes.byte, kLanes, byte);
  Lanes shift, mask, missing, low, high, any_missing, most;
  load(shift, lanes.shift);
  load(mask, lanes.mask);
  load(missing, lanes.missing);
  load(low, ranges.low);
  load(high, ranges.high);
  load(any_missing, ranges.any_missing);
  set_all(most, std::numeric_limits<std::int32_t>::max());
  const std::size_t n = from.n, stride = from.stride;
  const std::size_t first_byte = lanes.first_byte, last_byte = lanes.last_byte;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t* later = from.records + from.rows[std::min(i + kAhead, n - 1)] * stride;
    prefetch(later + first_byte);
    prefetch(later + last_byte);
    const std::uint8_t* record = from.records + from.rows[i] * stride;
    Lanes x = {word<kUsed>(record, byte, 0), word<kUsed>(record, byte, 1), word<kUsed>(record, byte, 2),
               word<kUsed>(record, byte, 3), word<kUsed>(record, byte, 4), word<kUsed>(record, byte, 5),
               word<kUsed>(record, byte, 6), word<kUsed>(record, byte, 7)};
    shift_right(x, shift);
    x = x & mask;
    store(x, keys + i * kLanes);
    keep_higher(high, x);  // the missing key is the smallest
    if constexpr (kMissing) {
      const Lanes is_missing = x == missing;
      any_missing = any_missing | is_missing;
      x = (x & ~is_missing) | (most & is_missing);
    }
    keep_lower(low, x);
  }
  store(low, ranges.low);
  store(high, ranges.high);
  store(any_missing, ranges.any_missing);
}

template <bool kMissing>
TREEWRIGHT_INLINE void read_lanes(const KeyRows& from, const KeyLanes& lanes, std::int32_t* keys,
                                  LaneRanges& ranges) {
  switch (lanes.n) {
    case 1: return read_some<1, kMissing>(from, lanes, keys, ranges);
    case 2: return read_some<2, kMissing>(from, lanes, keys, ranges);
    case 3: return read_some<3, kMissing>(from, lanes, keys, ranges);
    case 4: return read_some<4, kMissing>(from, lanes, keys, ranges);
    case 5: return read_some<5, kMissing>(from, lanes, keys, ranges);
    case 6: return read_some<6, kMissing>(from, lanes, keys, ranges);
    case 7: return read_some<7, kMissing>(from, lanes, keys, ranges);
    case 8: return read_some<8, kMissing>(from, lanes, keys, ranges);
    default: throw std::logic_error("At most eight columns are read at a time.");
  }
}

TREEWRIGHT_INLINE void read_loop(const KeyRows& from, const KeyLanes& lanes, std::int32_t* keys,
                                 LaneRanges& ranges) {
  lanes.may_miss ? read_lanes<true>(from, lanes, keys, ranges) : read_lanes<false>(from, lanes, keys, ranges);
}

struct Cuts {
  TREEWRIGHT_INLINE explicit Cuts(const LaneCuts& cuts) {
    load(last, cuts.last);
    load(missing, cuts.missing);
    load(missing_right, cuts.missing_right);
  }
  // All bits set where a row goes right.
  TREEWRIGHT_INLINE void find_right(const std::int32_t* keys, Lanes& right) const {
    Lanes x;
    load(x, keys);
    right = (x > last) | ((x == missing) & missing_right);
  }
  Lanes last, missing, missing_right;
};

TREEWRIGHT_INLINE void sides_loop(const std::int32_t* keys, const LaneCuts& cuts, std::size_t n,
                                  std::uint8_t* sides) {
  const Cuts own(cuts);
  for (std::size_t i = 0; i < n; ++i) {
    Lanes right;
    own.find_right(keys + i * kLanes, right);
    sides[i] = sign_bits(right);
  }
}

TREEWRIGHT_INLINE void two_classes_loop(const std::int32_t* keys, const LaneCuts& cuts,
                                        const CountedClasses::Sample* samples, std::size_t n,
                                        std::uint8_t* sides, LaneCounts& counts) {
  const Cuts own(cuts);
  Lanes rows, weight, second;
  load(rows, counts.rows);
  load(weight, counts.weight);
  load(second, counts.second);
  for (std::size_t i = 0; i < n; ++i) {
    Lanes right, times, times_second;
    own.find_right(keys + i * kLanes, right);
    const std::int32_t count = samples[i].times;
    set_all(times, count);
    set_all(times_second, count & -static_cast<std::int32_t>(samples[i].label));
    rows = rows - ~right;
    weight = weight + (times & ~right);
    second = second + (times_second & ~right);
    sides[i] = sign_bits(right);
  }
  store(rows, counts.rows);
  store(weight, counts.weight);
  store(second, counts.second);
}

TREEWRIGHT_INLINE void many_classes_loop(const std::int32_t* keys, const LaneCuts& cuts,
                                         const CountedClasses::Sample* samples, std::size_t n,
                                         std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class,
                                         LaneCounts& counts) {
  const Cuts own(cuts);
  Lanes rows;
  load(rows, counts.rows);
  for (std::size_t i = 0; i < n; ++i) {
    Lanes right, times, sum;
    own.find_right(keys + i * kLanes, right);
    set_all(times, samples[i].times);
    std::int32_t* cell = by_class + ((i & 1) * n_classes + samples[i].label) * kLanes;
    load(sum, cell);
    sum = sum + (times & ~right);
    store(sum, cell);
    rows = rows - ~right;
    sides[i] = sign_bits(right);
  }
  store(rows, counts.rows);
}

// Numbers of the rows that go left. What goes right adds a zero, which changes no sum.
template <class Sample>
TREEWRIGHT_INLINE void numbers_loop(const std::int32_t* keys, const LaneCuts& cuts, const Sample* samples,
                                    std::size_t n, std::uint8_t* sides, LaneMeans& means) {
  constexpr bool kWeighted = requires(Sample sample) { sample.amount; };
  const Cuts own(cuts);
  Lanes rows;
  DoubleLanes even, odd, even_weight, odd_weight;
  load(rows, means.rows);
  load(even, means.sum[0]);
  load(odd, means.sum[1]);
  load(even_weight, means.weight[0]);
  load(odd_weight, means.weight[1]);
  std::size_t i = 0;
  const auto add = [&](DoubleLanes& sum, DoubleLanes& weight) TREEWRIGHT_INLINE_LAMBDA {
    Lanes right;
    own.find_right(keys + i * kLanes, right);
    rows = rows - ~right;
    sides[i] = sign_bits(right);
    add_where_not(sum, samples[i].sum(), right);
    if constexpr (kWeighted) add_where_not(weight, samples[i].weight(), right);
    ++i;
  };
  while (i + 2 <= n) {
    add(even, even_weight);
    add(odd, odd_weight);
  }
  if (i < n) add(even, even_weight);
  store(rows, means.rows);
  store(even, means.sum[0]);
  store(odd, means.sum[1]);
  store(even_weight, means.weight[0]);
  store(odd_weight, means.weight[1]);
}

// Single bits of records of one or two words: no more is read of a row, and nothing is written down.
struct FlagReader {
  TREEWRIGHT_INLINE FlagReader(const KeyRows& from, const KeyLanes& lanes)
      : records(from.records), rows(from.rows), stride(from.stride), last(from.n - 1) {
    std::int32_t in_first[kLanes], by[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t bit = static_cast<std::int32_t>(8 * lanes.byte[lane]) + lanes.shift[lane];
      in_first[lane] = bit < 32 ? -1 : 0;
      by[lane] = bit % 32;
    }
    load(first_word, in_first);
    load(shift, by);
    load(mask, lanes.mask);  // no bit of the lanes that are not in use
    second = stride > sizeof(std::int32_t) ? sizeof(std::int32_t) : 0;
  }
  // All bits set where row i goes right.
  TREEWRIGHT_INLINE void find_right(std::size_t i, Lanes& right) const {
    prefetch(records + rows[std::min(i + kAhead, last)] * stride);
    const std::uint8_t* record = records + rows[i] * stride;
    std::int32_t words[2];
    std::memcpy(words, record, sizeof words[0]);
    std::memcpy(words + 1, record + second, sizeof words[1]);
    Lanes one, other;
    set_all(one, words[0]);
    set_all(other, words[1]);
    Lanes x = (one & first_word) | (other & ~first_word);
    shift_right(x, shift);
    right = Lanes{} - (x & mask);
  }

  const std::uint8_t* records;
  const RowId* rows;
  std::size_t stride, last, second;
  Lanes first_word, shift, mask;
};

TREEWRIGHT_INLINE void flag_sides_loop(const KeyRows& from, const KeyLanes& lanes, std::uint8_t* sides) {
  const FlagReader reader(from, lanes);
  for (std::size_t i = 0; i < from.n; ++i) {
    Lanes right;
    reader.find_right(i, right);
    sides[i] = sign_bits(right);
  }
}

TREEWRIGHT_INLINE void flag_classes_loop(const KeyRows& from, const KeyLanes& lanes,
                                         const CountedClasses::Sample* samples, std::uint8_t* sides,
                                         std::size_t n_classes, std::int32_t* by_class, LaneCounts& counts) {
  const FlagReader reader(from, lanes);
  Lanes rows;
  load(rows, counts.rows);
  for (std::size_t i = 0; i < from.n; ++i) {
    Lanes right, times, sum;
    reader.find_right(i, right);
    set_all(times, samples[i].times);
    std::int32_t* cell = by_class + ((i & 1) * n_classes + samples[i].label) * kLanes;
    load(sum, cell);
    sum = sum + (times & ~right);
    store(sum, cell);
    rows = rows - ~right;
    sides[i] = sign_bits(right);
  }
  store(rows, counts.rows);
}

}  // namespace

}  // namespace treewright
