#include "forest/key_lanes.h"

#include <algorithm>
#include <limits>

#include "base/processor.h"
#include "forest/key_lanes_wide.h"
#include "forest/key_loops.h"

namespace treewright {

KeyLanes::KeyLanes(const KeyRecords& records, std::span<const FeatureId> columns, bool any_missing)
    : n(columns.size()), may_miss(any_missing) {
  for (std::size_t lane = 0; lane < n; ++lane) {
    const KeyField& field = records.field(columns[lane]);
    byte[lane] = field.byte;
    shift[lane] = field.shift;
    mask[lane] = field.mask;
    missing[lane] = records.missing(columns[lane]);
  }
  first_byte = *std::min_element(byte, byte + n);
  last_byte = *std::max_element(byte, byte + n);
}

LaneRanges::LaneRanges() {
  std::fill_n(low, kLanes, std::numeric_limits<std::int32_t>::max());
  std::fill_n(high, kLanes, std::numeric_limits<std::int32_t>::min());
}

void read_keys(const KeyRows& from, const KeyLanes& lanes, std::int32_t* keys, LaneRanges& ranges) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers()) return wide::read_keys(from, lanes, keys, ranges);
#endif
  read_loop(from, lanes, keys, ranges);
}

void find_sides(const std::int32_t* keys, const LaneCuts& cuts, std::size_t n, std::uint8_t* sides) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers()) return wide::find_sides(keys, cuts, n, sides);
#endif
  sides_loop(keys, cuts, n, sides);
}

void count_two_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                       std::size_t n, std::uint8_t* sides, LaneCounts& counts) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers()) return wide::count_two_classes(keys, cuts, samples, n, sides, counts);
#endif
  two_classes_loop(keys, cuts, samples, n, sides, counts);
}

void count_many_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                        std::size_t n, std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class,
                        LaneCounts& counts) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers()) {
    return wide::count_many_classes(keys, cuts, samples, n, sides, n_classes, by_class, counts);
  }
#endif
  many_classes_loop(keys, cuts, samples, n, sides, n_classes, by_class, counts);
}

void sum_numbers(const std::int32_t* keys, const LaneCuts& cuts, const WeightedMean<false>::Sample* samples,
                 std::size_t n, std::uint8_t* sides, LaneMeans& means) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers()) return wide::sum_numbers(keys, cuts, samples, n, sides, means);
#endif
  numbers_loop(keys, cuts, samples, n, sides, means);
}

void sum_weighted_numbers(const std::int32_t* keys, const LaneCuts& cuts,
                          const WeightedMean<true>::Sample* samples, std::size_t n, std::uint8_t* sides,
                          LaneMeans& means) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers()) return wide::sum_weighted_numbers(keys, cuts, samples, n, sides, means);
#endif
  numbers_loop(keys, cuts, samples, n, sides, means);
}

void find_flag_sides(const KeyRows& from, const KeyLanes& lanes, std::uint8_t* sides) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers()) return wide::find_flag_sides(from, lanes, sides);
#endif
  flag_sides_loop(from, lanes, sides);
}

void count_flags(const KeyRows& from, const KeyLanes& lanes, const CountedClasses::Sample* samples,
                 std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class, LaneCounts& counts) {
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (has_wide_registers())
    return wide::count_flags(from, lanes, samples, sides, n_classes, by_class, counts);
#endif
  flag_classes_loop(from, lanes, samples, sides, n_classes, by_class, counts);
}

}  // namespace treewright
