// KeyLanes: up to eight columns of a table's records (forest/key_records.h) that a node reads together, a
// lane for each: what is done to one of them costs no more than what is done to all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/processor.h"
#include "base/types.h"
#include "forest/key_records.h"
#include "target/class_counts.h"
#include "target/weighted_mean.h"

namespace treewright {

struct KeyLanes {
  KeyLanes(const KeyRecords& records, std::span<const FeatureId> columns, bool may_miss);

  std::size_t n;  // lanes in use
  bool may_miss;  // some column has missing values
  std::size_t byte[kLanes] = {};
  std::size_t first_byte, last_byte;
  std::int32_t shift[kLanes] = {}, mask[kLanes] = {}, missing[kLanes] = {};
};

struct KeyRows {
  const std::uint8_t* records;
  std::size_t stride;
  const RowId* rows;
  std::size_t n;
};

// The smallest and largest known key of every lane, over all rows that were read.
struct LaneRanges {
  LaneRanges();

  std::int32_t low[kLanes], high[kLanes];
  std::int32_t any_missing[kLanes] = {};  // not 0: yes
};

// Keys of rows, kLanes for each, into `keys`; the ranges take them in.
void read_keys(const KeyRows& from, const KeyLanes& lanes, std::int32_t* keys, LaneRanges& ranges);

// One test for every lane: keys up to `last` go left, but ...
struct LaneCuts {
  std::int32_t last[kLanes] = {};
  std::int32_t missing[kLanes] = {};        // ... this one goes right ...
  std::int32_t missing_right[kLanes] = {};  // ... where all bits are set
};

// Bit l of sides[i]: whether row i goes right by the test of lane l.
void find_sides(const std::int32_t* keys, const LaneCuts& cuts, std::size_t n, std::uint8_t* sides);

// What goes left of rows that are counted by class: adds up over several calls.
struct LaneCounts {
  std::int32_t rows[kLanes] = {};
  std::int32_t weight[kLanes] = {};  // two classes only
  std::int32_t second[kLanes] = {};  // that of the second one
};

// The same for at most two classes, and for more: `by_class` holds kLanes numbers for each, twice, because
// neighbours then need not wait for each other.
void count_two_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                       std::size_t n, std::uint8_t* sides, LaneCounts& counts);
void count_many_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                        std::size_t n, std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class,
                        LaneCounts& counts);

// What goes left of rows whose targets are numbers. Even and odd rows have sums of their own, for the same
// reason.
struct LaneMeans {
  double sum[2][kLanes] = {};
  double weight[2][kLanes] = {};  // with weights only
  std::int32_t rows[kLanes] = {};
};
void sum_numbers(const std::int32_t* keys, const LaneCuts& cuts, const WeightedMean<false>::Sample* samples,
                 std::size_t n, std::uint8_t* sides, LaneMeans& means);
void sum_weighted_numbers(const std::int32_t* keys, const LaneCuts& cuts,
                          const WeightedMean<true>::Sample* samples, std::size_t n, std::uint8_t* sides,
                          LaneMeans& means);

// Both again for columns of single bits, 0 going left, in records of at most kFlagBytes: no keys are needed.
inline constexpr std::size_t kFlagBytes = 8;
void find_flag_sides(const KeyRows& from, const KeyLanes& lanes, std::uint8_t* sides);
void count_flags(const KeyRows& from, const KeyLanes& lanes, const CountedClasses::Sample* samples,
                 std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class, LaneCounts& counts);

}  // namespace treewright
