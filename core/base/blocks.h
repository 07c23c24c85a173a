// for_blocks: a long serial loop in blocks, between which a request to stop is seen.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/stop.h"

namespace treewright {

inline constexpr std::size_t kBlockRows = std::size_t{1} << 18;  // at most a few milliseconds of work

// Calls body(begin, end) for consecutive blocks of [0, n); throws Stopped when asked to.
template <class Body>
void for_blocks(std::size_t n, const StopFlag& stop, Body&& body) {
  for (std::size_t begin = 0; begin < n; begin += kBlockRows) {
    stop.throw_if_requested();
    body(begin, std::min(begin + kBlockRows, n));
  }
}

}  // namespace treewright
