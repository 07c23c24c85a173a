// CodeSet: which codes of a column of at most 255 the rows of a node have, and how many rows each. For nodes
// of few rows it is made sooner than all cells of a histogram are looked through for those that are not
// empty.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/types.h"

namespace treewright {

class CodeSet {
 public:
  static constexpr Code kMostCodes = 255;
  static bool pays(std::size_t rows, Code n_codes) { return n_codes <= kMostCodes && rows < n_codes; }

  void add(std::uint8_t code) {
    words_[code >> 6] |= std::uint64_t{1} << (code & 63);
    ++rows_[code];
  }
  std::size_t rows(Code code) const { return rows_[code]; }

  // Writes the codes, ascending, those of missing values left out; returns how many.
  std::size_t list(Code* codes) const {
    std::size_t n = 0;
    for (Code word = 0; word < 4; ++word) {
      std::uint64_t bits = word == 0 ? words_[0] & ~std::uint64_t{1} : words_[word];
      for (; bits != 0; bits &= bits - 1) codes[n++] = word * 64 + static_cast<Code>(std::countr_zero(bits));
    }
    return n;
  }

 private:
  std::uint64_t words_[4] = {};
  std::uint8_t rows_[256] = {};  // fewer than there are codes, so at most 254
};

}  // namespace treewright
