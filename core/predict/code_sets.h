// CodeSets: the sets of categories that are too large for a node (key_nodes.h), ready to be asked quickly. A
// set is a row of bits, or, where bits would take several times the memory, a list of codes. Missing values
// are code 0 and in the set when they go to branch 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace treewright {

class CodeSets {
 public:
  // Adds the set of a subset test's table (tree/table.h) and returns its place. n_codes: categories of the
  // feature.
  std::uint64_t add(const std::uint32_t* table, bool missing_goes_right, Code n_codes);

  // The branch of a code that is at most n_codes + 1.
  std::uint32_t branch(std::uint64_t place, Code code) const {
    const std::uint32_t* data = words_.data() + (place & kOffset);
    if ((place & kIsList) == 0) return (data[code >> 5] >> (code & 31U)) & 1U;
    return is_in_list(data + 1, data[0], code) ^ static_cast<std::uint32_t>((place & kIsLeft) != 0);
  }

 private:
  static constexpr std::uint64_t kIsList = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kIsLeft = std::uint64_t{1} << 62;  // the list is of branch 0
  static constexpr std::uint64_t kOffset = kIsLeft - 1;

  // Halves the list without a branch that depends on the codes, which the processor could not predict.
  static std::uint32_t is_in_list(const std::uint32_t* codes, std::size_t n, Code code) {
    if (n == 0) return 0;
    while (n > 1) {
      const std::size_t half = n / 2;
      codes += codes[half] <= code ? half : 0;
      n -= half;
    }
    return static_cast<std::uint32_t>(*codes == code);
  }

  std::uint64_t add_bits(const std::uint32_t* table, bool missing_goes_right, std::size_t n_words);
  std::uint64_t add_list(const std::uint32_t* table, bool missing_goes_right);

  std::vector<std::uint32_t> words_;
};

}  // namespace treewright
