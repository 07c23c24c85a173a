// Unsigned integers that order as the floating-point numbers they stand for, so that floats can be
// radix-sorted.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace treewright {

template <class Float>
struct OrderedKey;

template <>
struct OrderedKey<float> {
  using Key = std::uint32_t;
};
template <>
struct OrderedKey<double> {
  using Key = std::uint64_t;
};

template <class Float>
using KeyOf = typename OrderedKey<Float>::Key;

// The key of every NaN. No number has it: the largest is infinity's.
template <class Key>
inline constexpr Key kNanKey = std::numeric_limits<Key>::max();

// Negative numbers have all bits flipped, others the sign bit only. Adding 0 turns -0.0 into 0.0.
template <class Float>
inline KeyOf<Float> to_key(Float value) {
  using Key = KeyOf<Float>;
  constexpr int kSignBit = static_cast<int>(sizeof(Key) * 8 - 1);
  if (value != value) return kNanKey<Key>;
  const Key bits = std::bit_cast<Key>(value + Float{0});
  const Key sign = bits >> kSignBit;
  return bits ^ (static_cast<Key>(Key{0} - sign) | (Key{1} << kSignBit));
}

template <class Float>
inline Float from_key(KeyOf<Float> key) {
  using Key = KeyOf<Float>;
  constexpr int kSignBit = static_cast<int>(sizeof(Key) * 8 - 1);
  const Key positive = key >> kSignBit;
  return std::bit_cast<Float>(
      static_cast<Key>(key ^ (static_cast<Key>(positive - 1) | (Key{1} << kSignBit))));
}

}  // namespace treewright
