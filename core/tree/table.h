// Tables of subset and multiway nodes, stored one after the other in Tree::tables (32-bit words).
//
//   [0]  format: 0 = bit set, 1 = list of branch 1, 2 = branch per code, 3 = list of branch 0, 4 = pairs
//   [1]  length of what follows
//   format 0   words; bit c of the set is 1 when code c goes to branch 1, codes past the end go to branch 0
//   format 1   ascending codes that go to branch 1, all others go to branch 0
//   format 2   the branch of code c at position c (kEveryBranch = all of them with shares, kStopHere = none);
//              codes past the end read the last entry
//   format 3   ascending codes that go to branch 0, all others go to branch 1: with formats 1 and 3 a node
//              lists only categories that it holds, wherever all the others go
//   format 4   ascending codes, then as many entries as in format 2, then one entry for all other codes:
//              a multiway node of a column with very many categories lists only those that it holds
// Code 0 (missing) and code n_codes + 1 (a category that was not seen in training) are ordinary codes here,
// so a look-up needs no special case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "base/types.h"

namespace treewright {

enum class TableFormat : std::uint32_t { kBits = 0, kList = 1, kBranches = 2, kListLeft = 3, kPairs = 4 };

inline std::uint32_t branch_of(const std::uint32_t* table, Code code) {
  const std::uint32_t length = table[1];
  const std::uint32_t* data = table + 2;
  switch (static_cast<TableFormat>(table[0])) {
    case TableFormat::kBits: {
      const std::uint32_t word = code >> 5;
      return word < length ? (data[word] >> (code & 31)) & 1U : 0U;
    }
    case TableFormat::kList: return std::binary_search(data, data + length, code) ? 1U : 0U;
    case TableFormat::kListLeft: return std::binary_search(data, data + length, code) ? 0U : 1U;
    case TableFormat::kPairs: {
      const std::uint32_t* end = data + length / 2;
      const std::uint32_t* at = std::lower_bound(data, end, code);
      return at != end && *at == code ? at[length / 2] : data[length - 1];
    }
    case TableFormat::kBranches: return data[code < length ? code : length - 1];
  }
  throw std::logic_error("There is no such format of a table of categories.");
}

}  // namespace treewright
