#include "base/rank_sort.h"

#include <limits>

#include "base/processor.h"

namespace treewright {

TREEWRIGHT_WIDE_REGISTERS
void rank_sort(std::int32_t* keys, std::size_t n, std::int32_t* sorted) {
  constexpr std::size_t kLanes = 8;
  const std::size_t padded = (n + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = n; i < padded; ++i) keys[i] = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t key = keys[i];
    std::int32_t smaller[kLanes] = {};
    for (std::size_t j = 0; j < padded; j += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) smaller[lane] += keys[j + lane] < key ? 1 : 0;
    }
    std::int32_t place = 0;
    for (const std::int32_t count : smaller) place += count;
    sorted[place] = key;
  }
}

}  // namespace treewright
