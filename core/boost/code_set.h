// CodeSet: which codes of a column of at most 255 the rows of a node have, and how many rows each. For nodes
// of few rows it is made sooner than all cells are looked through for those that are not empty.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/types.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace treewright {

class CodeSet {
 public:
  static constexpr Code kMostCodes = 255;
  static bool pays(std::size_t rows, Code n_codes) { return n_codes <= kMostCodes && 2 * rows < n_codes; }

  void clear() { std::memset(rows_, 0, sizeof rows_); }
  void add(std::uint8_t code) { ++rows_[code]; }
  std::size_t rows(Code code) const { return rows_[code]; }

  // Writes the codes, ascending, those of missing values left out; returns how many.
  std::size_t list(Code* codes) const {
    std::size_t n = 0;
    for (Code first = 0; first < 256; first += 64) {
      std::uint64_t bits = first == 0 ? ~std::uint64_t{1} : ~std::uint64_t{0};
      bits &= has_rows(first) | has_rows(first + 16) << 16 | has_rows(first + 32) << 32 |
              has_rows(first + 48) << 48;
      for (; bits != 0; bits &= bits - 1) codes[n++] = first + static_cast<Code>(std::countr_zero(bits));
    }
    return n;
  }

 private:
  // Of sixteen codes, a bit for each that has rows.
  std::uint64_t has_rows(Code first) const {
#if defined(__x86_64__)
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows_ + first));
    const int empty = _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_setzero_si128()));
    return static_cast<std::uint64_t>(empty ^ 0xFFFF);
#else
    std::uint64_t bits = 0;
    for (Code i = 0; i < 16; ++i) bits |= std::uint64_t{rows_[first + i] != 0} << i;
    return bits;
#endif
  }

  std::uint8_t rows_[256] = {};  // of a small node, so that none has more than 255
};

}  // namespace treewright
