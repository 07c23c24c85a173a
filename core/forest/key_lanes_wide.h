// The functions of forest/key_lanes.h compiled for wide registers; where the compiler can make them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forest/key_lanes.h"

namespace treewright::wide {

void read_keys(const KeyRows& from, const KeyLanes& lanes, std::int32_t* keys, LaneRanges& ranges);
void find_sides(const std::int32_t* keys, const LaneCuts& cuts, std::size_t n, std::uint8_t* sides);
void count_two_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                       std::size_t n, std::uint8_t* sides, LaneCounts& counts);
void count_many_classes(const std::int32_t* keys, const LaneCuts& cuts, const CountedClasses::Sample* samples,
                        std::size_t n, std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class,
                        LaneCounts& counts);
void sum_numbers(const std::int32_t* keys, const LaneCuts& cuts, const WeightedMean<false>::Sample* samples,
                 std::size_t n, std::uint8_t* sides, LaneMeans& means);
void sum_weighted_numbers(const std::int32_t* keys, const LaneCuts& cuts,
                          const WeightedMean<true>::Sample* samples, std::size_t n, std::uint8_t* sides,
                          LaneMeans& means);
void find_flag_sides(const KeyRows& from, const KeyLanes& lanes, std::uint8_t* sides);
void count_flags(const KeyRows& from, const KeyLanes& lanes, const CountedClasses::Sample* samples,
                 std::uint8_t* sides, std::size_t n_classes, std::int32_t* by_class, LaneCounts& counts);

}  // namespace treewright::wide
