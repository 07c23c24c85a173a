#include "boost/histogram/row_blocks.h"

#include <algorithm>
#include <array>

#include "base/processor.h"

#if defined(TREEWRIGHT_HAS_WIDE_FILES)
#include <immintrin.h>
#endif

namespace treewright {

namespace {

// What has been divided of the rows so far.
struct Sides {
  std::size_t left = 0;
  std::size_t right = 0;
};

template <class T>
Sides divide_one_by_one(Sides sides, std::uint16_t* ids, std::size_t begin, std::size_t end, const T* codes,
                        const std::uint8_t* goes_right, std::uint16_t* spare) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint16_t id = ids[i];
    const std::size_t right = goes_right[codes[id]];
    ids[sides.left] = id;  // not past i, so nothing is lost
    spare[sides.right] = id;
    sides.left += 1 - right;
    sides.right += right;
  }
  return sides;
}

#if defined(TREEWRIGHT_HAS_WIDE_FILES)

// For each set of eight numbers the order of bytes that puts its members first, and how many they are.
struct Shuffles {
  alignas(16) std::array<std::array<std::uint8_t, 16>, 256> bytes{};
  std::array<std::uint8_t, 256> count{};

  constexpr Shuffles() {
    for (std::size_t set = 0; set < 256; ++set) {
      for (std::uint8_t i = 0; i < 8; ++i) {
        if ((set >> i & 1) == 0) continue;
        bytes[set][2 * std::size_t{count[set]}] = static_cast<std::uint8_t>(2 * i);
        bytes[set][2 * std::size_t{count[set]} + 1] = static_cast<std::uint8_t>(2 * i + 1);
        ++count[set];
      }
    }
  }
};

constexpr Shuffles kShuffles;

// Eight rows at a time. Where few rows are left of a block, each has its own cache line of codes: they are
// asked for early.
template <class T, bool kAsksEarly>
__attribute__((target("avx2"))) Sides divide_eights(std::uint16_t* ids, std::size_t n, const T* codes,
                                                    const std::uint8_t* goes_right, std::uint16_t* spare) {
  constexpr std::size_t kAhead = 64;
  Sides sides;
  for (std::size_t i = 0; i + 8 <= n; i += 8) {
    if (kAsksEarly && i + kAhead + 8 <= n) {
      for (std::size_t k = 0; k < 8; ++k) __builtin_prefetch(codes + ids[i + kAhead + k]);
    }
    const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(ids + i));
    unsigned right = 0;
    for (unsigned k = 0; k < 8; ++k) right |= static_cast<unsigned>(goes_right[codes[ids[i + k]]]) << k;
    const auto order_of = [](unsigned set) __attribute__((target("avx2"), always_inline)) {
      return _mm_load_si128(reinterpret_cast<const __m128i*>(kShuffles.bytes[set].data()));
    };
    // Sixteen bytes are written of either side; what is too much will be overwritten. The left side does not
    // pass the eight that were read.
    _mm_storeu_si128(reinterpret_cast<__m128i*>(ids + sides.left),
                     _mm_shuffle_epi8(eight, order_of(right ^ 0xFFU)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(spare + sides.right),
                     _mm_shuffle_epi8(eight, order_of(right)));
    const std::size_t n_right = kShuffles.count[right];
    sides.right += n_right;
    sides.left += 8 - n_right;
  }
  return sides;
}

#endif

}  // namespace

template <class T>
std::size_t divide_ids(std::uint16_t* ids, std::size_t n, const T* codes, const std::uint8_t* goes_right,
                       std::uint16_t* spare) {
  Sides sides;
#if defined(TREEWRIGHT_HAS_WIDE_FILES)
  if (n >= 8 && has_wide_registers()) {
    const auto span = static_cast<std::size_t>(ids[n - 1] - ids[0]);  // they stand in order
    sides = span * sizeof(T) > 16 * n ? divide_eights<T, true>(ids, n, codes, goes_right, spare)
                                      : divide_eights<T, false>(ids, n, codes, goes_right, spare);
  }
#endif
  sides = divide_one_by_one(sides, ids, sides.left + sides.right, n, codes, goes_right, spare);
  std::copy_n(spare, sides.right, ids + sides.left);
  return sides.left;
}

template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint8_t*, const std::uint8_t*,
                                std::uint16_t*);
template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint16_t*, const std::uint8_t*,
                                std::uint16_t*);
template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint32_t*, const std::uint8_t*,
                                std::uint16_t*);

}  // namespace treewright
