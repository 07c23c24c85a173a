// Stable LSD radix sort of integers by some of their bits. The other bits travel along as payload,
// so a (key, row) pair packed into 64 bits is sorted by sorting on the key's bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace treewright {

namespace radix {

inline constexpr std::size_t kInsertionKeys = 32;
inline constexpr int kMaxDigitBits = 11;  // 2048 counters of 4 bytes: a quarter of the first-level cache

// Stable insertion sort by (key >> low_bit) & mask.
template <class Key>
void insertion_sort(Key* keys, std::size_t n, int low_bit, Key mask) {
  for (std::size_t i = 1; i < n; ++i) {
    const Key key = keys[i];
    const Key digit = (key >> low_bit) & mask;
    std::size_t j = i;
    for (; j > 0 && ((keys[j - 1] >> low_bit) & mask) > digit; --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

// Digit width for n keys. Clearing and summing the counters costs about a step per digit value, a pass about
// three per key, so a digit must not have many more values than there are keys.
inline int digit_bits(std::size_t n, int key_bits) {
  const int affordable = std::clamp(static_cast<int>(std::bit_width(n)) + 2, 9, kMaxDigitBits);
  const int n_passes = (key_bits + affordable - 1) / affordable;
  return (key_bits + n_passes - 1) / n_passes;
}

// One pass from `from` to `to`, given the count of every digit value; turns the counts into positions.
// Returns false, without a move, when all keys agree in this digit.
template <class Key>
bool scatter(const Key* from, Key* to, std::size_t n, int shift, Key mask, std::uint32_t* count) {
  if (count[(from[0] >> shift) & mask] == n) return false;
  std::uint32_t sum = 0;
  for (std::size_t digit = 0; digit <= mask; ++digit) {
    const std::uint32_t here = count[digit];
    count[digit] = sum;
    sum += here;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = from[i];
    to[count[(key >> shift) & mask]++] = key;
  }
  return true;
}

// kPasses digits of `bits` bits each from low_bit on, the last one cut off at high_bit; all are counted in
// one reading.
template <int kPasses, class Key>
Key* sort_digits(Key* keys, Key* scratch, std::size_t n, int low_bit, int high_bit, int bits) {
  std::uint32_t counts[kPasses][std::size_t{1} << kMaxDigitBits];
  Key mask[kPasses];
  for (int p = 0; p < kPasses; ++p) {
    const int width = std::min(bits, high_bit - low_bit - p * bits);
    mask[p] = static_cast<Key>((Key{1} << width) - 1);
    std::fill_n(counts[p], std::size_t{1} << width, 0U);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = keys[i] >> low_bit;
    for (int p = 0; p < kPasses; ++p) ++counts[p][(key >> (p * bits)) & mask[p]];
  }
  for (int p = 0; p < kPasses; ++p) {
    if (scatter(keys, scratch, n, low_bit + p * bits, mask[p], counts[p])) std::swap(keys, scratch);
  }
  return keys;
}

}  // namespace radix

// Sorts by bits [low_bit, high_bit), stable; returns the buffer (`keys` or `scratch`, n elements each) that
// holds the result. The other buffer is left with unspecified content. n < 2^32.
template <class Key>
Key* radix_sort(Key* keys, Key* scratch, std::size_t n, int low_bit, int high_bit) {
  constexpr int kKeyBits = static_cast<int>(sizeof(Key) * 8);
  if (n < 2 || high_bit <= low_bit) return keys;
  if (n <= radix::kInsertionKeys) {
    const Key mask = static_cast<Key>(static_cast<Key>(~Key{0}) >> (kKeyBits - (high_bit - low_bit)));
    radix::insertion_sort(keys, n, low_bit, mask);
    return keys;
  }
  const int bits = radix::digit_bits(n, high_bit - low_bit);
  while (low_bit < high_bit) {
    const int n_passes = std::min((high_bit - low_bit + bits - 1) / bits, 3);
    Key* sorted = keys;
    switch (n_passes) {
      case 1: sorted = radix::sort_digits<1>(keys, scratch, n, low_bit, high_bit, bits); break;
      case 2: sorted = radix::sort_digits<2>(keys, scratch, n, low_bit, high_bit, bits); break;
      case 3: sorted = radix::sort_digits<3>(keys, scratch, n, low_bit, high_bit, bits); break;
      default: throw std::logic_error("A sort takes one, two or three digits at a time.");
    }
    if (sorted != keys) std::swap(keys, scratch);
    low_bit += n_passes * bits;
  }
  return keys;
}

}  // namespace treewright
