// KeyColumn: one column read into contiguous ordered keys, with what the encoder needs to know about them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/numeric_source.h"
#include "data/ordered_key.h"

namespace treewright {

// The longest range of whole numbers that is looked up in a table instead of being sorted: a small table is
// never too big.
inline std::size_t widest_table(std::size_t n_rows) {
  return std::max(std::size_t{1} << 16, n_rows / 2);
}

template <class Float>
struct KeyColumn {
  using Key = KeyOf<Float>;

  Key* keys = nullptr;
  Key smallest = kNanKey<Key>;  // of the keys that are not NaN's
  Key largest = 0;
  bool whole_numbers = true;  // and small enough for an int32
  bool has_missing = false;

  bool all_missing() const { return smallest == kNanKey<Key>; }
  static std::int64_t whole(Key key) { return static_cast<std::int64_t>(from_key<Float>(key)); }

  // Number of integers from the smallest to the largest value; only for whole_numbers.
  std::size_t span() const { return static_cast<std::size_t>(whole(largest) - whole(smallest)) + 1; }

  void read(const NumericSource& source, std::size_t begin, std::size_t end) {
    visit_scalar(source.type, [&](auto type) { read_as<decltype(type)>(source, begin, end); });
  }

 private:
  template <class T>
  void read_as(const NumericSource& source, std::size_t begin, std::size_t end) {
    const std::byte* at = source.data + static_cast<std::ptrdiff_t>(begin) * source.stride;
    const std::ptrdiff_t stride = source.stride;
    const bool is_bool = source.type == Scalar::kBool;
    Key* const to = keys;
    Key low = smallest, high = largest;
    bool any_missing = has_missing;
    for (std::size_t row = begin; row < end; ++row, at += stride) {
      const T raw = load_scalar<T>(at);
      const Key key = to_key(is_bool ? static_cast<Float>(raw != T{0}) : static_cast<Float>(raw));
      to[row] = key;
      low = std::min(low, key);
      high = std::max(high, key == kNanKey<Key> ? Key{0} : key);
      any_missing |= key == kNanKey<Key>;
    }
    smallest = low;
    largest = high;
    has_missing = any_missing;
    if (whole_numbers) whole_numbers = all_whole(begin, end);
  }

  // A second look at keys that are still in the cache; most columns of fractions leave it in their first
  // tile.
  bool all_whole(std::size_t begin, std::size_t end) const {
    constexpr Float kLimit = static_cast<Float>(1 << 30);
    bool whole = true;
    for (std::size_t row = begin; row < end; ++row) {
      const Float value = from_key<Float>(keys[row]);
      const bool small = value > -kLimit && value < kLimit;  // else the cast would be undefined
      const Float truncated = static_cast<Float>(static_cast<std::int32_t>(small ? value : Float{0}));
      whole &= (truncated == value) | (keys[row] == kNanKey<Key>);
    }
    return whole;
  }
};

}  // namespace treewright
