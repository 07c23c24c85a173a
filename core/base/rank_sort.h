// Sorts a handful of whole numbers without branches: each goes to the place that the number of smaller ones
// gives it. n² comparisons, but many at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright {

inline constexpr std::size_t kMostRankSorted = 64;

// `keys` are different from each other and not negative; n <= kMostRankSorted. Both arrays have room for
// kMostRankSorted numbers; what stands behind keys[n - 1] is overwritten.
void rank_sort(std::int32_t* keys, std::size_t n, std::int32_t* sorted);

}  // namespace treewright
