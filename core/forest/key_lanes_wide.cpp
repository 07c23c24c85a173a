#include "forest/key_lanes_wide.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/processor.h"

// What is included above is compiled for every processor, what stands below for some.
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
#pragma GCC target("avx2")
#define TREEWRIGHT_WIDE_FILE
#include "forest/key_loops.h"

namespace treewright::wide {

void read_keys(const KeyRows& from, const KeyLanes& lanes, std::int32_t* keys, LaneRanges& ranges) {
  read_loop(from, lanes, keys, ranges);
}

void find_sides(const std::int32_t* keys, const LaneCuts& cuts, std::size_t n, std::uint8_t* sides) {
  sides_loop(keys, cuts, n, sides);
}

void count_two_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                       std::size_t n, std::uint8_t* sides, LaneCounts& counts) {
  two_classes_loop(keys, cuts, samples, n, sides, counts);
}

void count_many_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                        std::size_t n, std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class,
                        LaneCounts& counts) {
  many_classes_loop(keys, cuts, samples, n, sides, n_classes, by_class, counts);
}

void sum_numbers(const std::int32_t* keys, const LaneCuts& cuts, const WeightedMean<false>::Sample* samples,
                 std::size_t n, std::uint8_t* sides, LaneMeans& means) {
  numbers_loop(keys, cuts, samples, n, sides, means);
}

void sum_weighted_numbers(const std::int32_t* keys, const LaneCuts& cuts,
                          const WeightedMean<true>::Sample* samples, std::size_t n, std::uint8_t* sides,
                          LaneMeans& means) {
  numbers_loop(keys, cuts, samples, n, sides, means);
}

void find_flag_sides(const KeyRows& from, const KeyLanes& lanes, std::uint8_t* sides) {
  flag_sides_loop(from, lanes, sides);
}

void count_flags(const KeyRows& from, const KeyLanes& lanes, const CountedClasses::Sample* samples,
                 std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class, LaneCounts& counts) {
  flag_classes_loop(from, lanes, samples, sides, n_classes, by_class, counts);
}

}  // namespace treewright::wide

#endif
