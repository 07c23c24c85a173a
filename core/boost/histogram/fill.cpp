#include "boost/histogram/fill.h"

#include "base/processor.h"

namespace treewright {

TREEWRIGHT_WIDE_REGISTERS
void move_short_cells(ShortCell* __restrict from, std::size_t n, PackedTicks::Cell* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) {
    // The gradient keeps its sign: shifted as a 32-bit number, then widened.
    const std::int32_t gradient = static_cast<std::int32_t>(from[i]) >> 16;
    to[i] += (static_cast<std::int64_t>(gradient) << 32) + static_cast<std::int64_t>(from[i] & 0xFFFFU);
    from[i] = 0;
  }
}

}  // namespace treewright
