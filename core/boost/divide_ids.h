// Dividing the rows of a node among its two children, a row being a number of 16 bits within its block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright {

// How many numbers beyond those that are divided `spare` must have room for.
inline constexpr std::size_t kSpareIds = 8;

// Reorders the numbers of rows so that those which go left come first, each side in its old order; returns
// how many. goes_right[code] says where a code goes, 0 or 1. `spare` has room for n + kSpareIds.
template <class T>
std::size_t divide_ids(std::uint16_t* ids, std::size_t n, const T* codes, const std::uint8_t* goes_right,
                       std::uint16_t* spare);

extern template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint8_t*, const std::uint8_t*,
                                       std::uint16_t*);
extern template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint16_t*, const std::uint8_t*,
                                       std::uint16_t*);
extern template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint32_t*, const std::uint8_t*,
                                       std::uint16_t*);

}  // namespace treewright
