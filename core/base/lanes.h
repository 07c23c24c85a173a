// Eight 32-bit numbers at once: compilers with vectors turn each line into an instruction or two. Taken by
// reference throughout, because how vectors are passed depends on the processor. In an anonymous namespace:
// what a file makes of it depends on the registers that it is compiled for (base/processor.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/processor.h"

namespace treewright {

namespace {

#if defined(__GNUC__)

using Lanes = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

TREEWRIGHT_INLINE void shift_right(Lanes& x, const Lanes& by) {
  using Unsigned = std::uint32_t __attribute__((vector_size(sizeof(Lanes))));
  x = reinterpret_cast<Lanes>(reinterpret_cast<Unsigned>(x) >> reinterpret_cast<Unsigned>(by));
}

#else

struct alignas(kLanes * sizeof(std::int32_t)) Lanes {
  std::int32_t x[kLanes];
};

template <class Operation>
Lanes each_lane(const Lanes& a, const Lanes& b, Operation operation) {
  Lanes out;
  for (std::size_t i = 0; i < kLanes; ++i) out.x[i] = operation(a.x[i], b.x[i]);
  return out;
}
inline Lanes operator+(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](std::int32_t p, std::int32_t q) { return p + q; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](std::int32_t p, std::int32_t q) { return p - q; });
}
inline Lanes operator&(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](std::int32_t p, std::int32_t q) { return p & q; });
}
inline Lanes operator|(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](std::int32_t p, std::int32_t q) { return p | q; });
}
inline Lanes operator~(const Lanes& a) {
  return each_lane(a, a, [](std::int32_t p, std::int32_t) { return ~p; });
}
// All bits set where it is true.
inline Lanes operator>(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](std::int32_t p, std::int32_t q) { return p > q ? -1 : 0; });
}
inline Lanes operator==(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](std::int32_t p, std::int32_t q) { return p == q ? -1 : 0; });
}
inline void shift_right(Lanes& x, const Lanes& by) {
  x = each_lane(x, by, [](std::int32_t p, std::int32_t q) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(p) >> q);
  });
}

#endif

TREEWRIGHT_INLINE void load(Lanes& x, const std::int32_t* from) {
  std::memcpy(&x, from, sizeof x);
}
TREEWRIGHT_INLINE void store(const Lanes& x, std::int32_t* to) {
  std::memcpy(to, &x, sizeof x);
}
TREEWRIGHT_INLINE void set_all(Lanes& x, std::int32_t v) {
  x = Lanes{v, v, v, v, v, v, v, v};
}
TREEWRIGHT_INLINE void keep_lower(Lanes& low, const Lanes& x) {
  const Lanes lower = low > x;
  low = (x & lower) | (low & ~lower);
}
TREEWRIGHT_INLINE void keep_higher(Lanes& high, const Lanes& x) {
  const Lanes higher = x > high;
  high = (x & higher) | (high & ~higher);
}
// As many doubles, in two registers: vectors wider than a register would stay in memory.
#if defined(__GNUC__)

struct DoubleLanes {
  using Half = double __attribute__((vector_size(kLanes / 2 * sizeof(double))));
  Half low, high;
};

// Adds x in all lanes but those whose bits are all set.
TREEWRIGHT_INLINE void add_where_not(DoubleLanes& sum, double x, const Lanes& but) {
  using Longs = std::int64_t __attribute__((vector_size(sizeof(DoubleLanes::Half))));
  const DoubleLanes::Half all = {x, x, x, x};
  const Longs low = __builtin_convertvector(__builtin_shufflevector(but, but, 0, 1, 2, 3), Longs);
  const Longs high = __builtin_convertvector(__builtin_shufflevector(but, but, 4, 5, 6, 7), Longs);
  sum.low = sum.low + reinterpret_cast<DoubleLanes::Half>(reinterpret_cast<Longs>(all) & ~low);
  sum.high = sum.high + reinterpret_cast<DoubleLanes::Half>(reinterpret_cast<Longs>(all) & ~high);
}
TREEWRIGHT_INLINE void load(DoubleLanes& x, const double* from) {
  std::memcpy(&x.low, from, sizeof x.low);
  std::memcpy(&x.high, from + kLanes / 2, sizeof x.high);
}
TREEWRIGHT_INLINE void store(const DoubleLanes& x, double* to) {
  std::memcpy(to, &x.low, sizeof x.low);
  std::memcpy(to + kLanes / 2, &x.high, sizeof x.high);
}

#else

struct DoubleLanes {
  double x[kLanes];
};
inline void add_where_not(DoubleLanes& sum, double x, const Lanes& but) {
  for (std::size_t i = 0; i < kLanes; ++i) sum.x[i] += but.x[i] != 0 ? 0.0 : x;
}
inline void load(DoubleLanes& x, const double* from) {
  std::memcpy(x.x, from, sizeof x.x);
}
inline void store(const DoubleLanes& x, double* to) {
  std::memcpy(to, x.x, sizeof x.x);
}

#endif

// The highest bit of every lane, that of lane 0 lowest.
TREEWRIGHT_INLINE std::uint8_t sign_bits(const Lanes& x) {
#if defined(TREEWRIGHT_WIDE_FILE)
  using Floats = float __attribute__((vector_size(sizeof(Lanes))));
  return static_cast<std::uint8_t>(__builtin_ia32_movmskps256(reinterpret_cast<Floats>(x)));
#else
  std::int32_t lanes[kLanes];
  store(x, lanes);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kLanes; ++i) bits |= static_cast<std::uint32_t>(lanes[i]) >> 31 << i;
  return static_cast<std::uint8_t>(bits);
#endif
}

}  // namespace

}  // namespace treewright
