// Key nodes: the form in which the trees of a forest are walked. Numbers become whole numbers of the same
// order (data/ordered_key.h), in nodes and rows alike, so a step is one comparison and one addition without a
// branch.
//
// A row is a row of cells. A number's cell is its key; a missing number's is below or above every threshold,
// as its slot says (forest_slots.h). A category's cell is its code. A leaf has a key that no cell exceeds and
// is its own child: a row that has arrived stays while others go on. What is above the first such key names
// the leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/types.h"
#include "data/ordered_key.h"

namespace treewright {

// Of Float = float or double.
template <class Float>
struct CellKeys {
  using Key = KeyOf<Float>;
  static constexpr Key kInfinity =
      sizeof(Key) == 4 ? Key{0xFF800000U} : static_cast<Key>(0xFFF0000000000000U);
  static constexpr Key kMissingLeft = 0;               // not above any threshold
  static constexpr Key kMissingRight = kInfinity + 1;  // above every threshold, even an infinite one
  static constexpr Key kFirstLeaf = kMissingRight + 1;
};

// The key of the largest float32 number that is not above x. Where the keys of two numbers differ, they order
// as the numbers do; where they are equal and one of the numbers is no float32 number, nothing is known.
inline std::uint32_t narrow_key(double x) {
  const auto rounded = static_cast<float>(x);
  return to_key(rounded) - static_cast<std::uint32_t>(static_cast<double>(rounded) > x);
}

// 8 bytes: narrow keys, thresholds alone, at most 512 slots and 2 million nodes. For a float32 x, `x <=
// threshold` is the same for the keys. For another x it is, unless the keys are equal: such a row is in
// doubt.
struct NarrowNode {
  using Cell = std::uint32_t;
  using Keys = CellKeys<float>;
  static constexpr std::size_t kMostNodes = std::size_t{1} << 21;
  static constexpr std::size_t kMostSlots = std::size_t{1} << 9;
  static constexpr std::size_t kMostLeafRows = std::size_t{1} << 22;

  Cell key;
  std::uint32_t word;  // first child (21 bits), slot (9), 0 (2): the lower half is the cell's offset in bytes

  bool is_leaf() const { return key >= Keys::kFirstLeaf; }
  std::uint32_t leaf_row() const { return key - Keys::kFirstLeaf; }
  Cell cell(const Cell* row) const {
    Cell found;
    std::memcpy(&found, reinterpret_cast<const unsigned char*>(row) + (word & 0x7FFU), sizeof found);
    return found;
  }
  std::uint32_t next(const Cell* row) const {
    return (word >> 11) + static_cast<std::uint32_t>(key < cell(row));
  }

  static NarrowNode leaf(std::uint32_t row, std::uint32_t position) {
    return {Keys::kFirstLeaf + row, position << 11};
  }
  static NarrowNode split(double threshold, std::uint32_t slot, std::uint32_t child) {
    return {narrow_key(threshold), child << 11 | slot << 2};
  }
};

// 16 bytes: any test of a forest.
struct WideKeyNode {
  using Cell = std::uint64_t;
  using Keys = CellKeys<double>;
  static constexpr Code kMostSmallCodes = 62;  // codes 0 ... n + 1 are bits of one key

  Cell key;  // of a threshold; or the bits of a small set; or where a large set stands (code_sets.h)
  std::uint32_t child;  // the first one
  std::uint32_t word;   // slot (29 bits), 0 (1), large set (1), small set (1)

  std::uint32_t is_small_set() const { return word & 1U; }
  std::uint32_t is_large_set() const { return (word >> 1) & 1U; }
  bool is_leaf() const { return key >= Keys::kFirstLeaf && (word & 3U) == 0; }
  std::uint32_t leaf_row() const { return static_cast<std::uint32_t>(key - Keys::kFirstLeaf); }
  Cell cell(const Cell* row) const { return row[word >> 3]; }
  std::uint32_t next(const Cell* row) const { return child + static_cast<std::uint32_t>(key < cell(row)); }

  static WideKeyNode leaf(std::uint32_t row, std::uint32_t position) {
    return {Keys::kFirstLeaf + row, position, 0};
  }
  static WideKeyNode split(double threshold, std::uint32_t slot, std::uint32_t child) {
    return {to_key(threshold), child, slot << 3};
  }
  // Bit 0 says where missing values go.
  static WideKeyNode small_set(std::uint64_t bits, std::uint32_t slot, std::uint32_t child) {
    return {bits, child, slot << 3 | 1U};
  }
  static WideKeyNode large_set(std::uint64_t place, std::uint32_t slot, std::uint32_t child) {
    return {place, child, slot << 3 | 2U};
  }
};

static_assert(sizeof(NarrowNode) == 8 && sizeof(WideKeyNode) == 16);

}  // namespace treewright
