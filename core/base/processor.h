// Code for processors with wider registers (AVX2) beside that for every processor. Only for functions whose
// results cannot depend on the choice.
//
// TREEWRIGHT_WIDE_REGISTERS before a function: compiled once for each; the first call picks.
// TREEWRIGHT_HAS_WIDE_FILES: a file may be compiled for wide registers from a `#pragma GCC target` on, where
// it defines TREEWRIGHT_WIDE_FILE; has_wide_registers() tells whether its functions may be called.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TREEWRIGHT_HAS_WIDE_FILES
#endif

#if defined(TREEWRIGHT_HAS_WIDE_FILES) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TREEWRIGHT_WIDE_REGISTERS __attribute__((target_clones("avx2", "default")))
#else
#define TREEWRIGHT_WIDE_REGISTERS
#endif

// Before what such functions call, so that it is compiled for the wider registers too, and before a function
// whose arguments must stay in registers.
#if defined(__GNUC__)
#define TREEWRIGHT_INLINE inline __attribute__((always_inline))
#define TREEWRIGHT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define TREEWRIGHT_INLINE inline
#define TREEWRIGHT_INLINE_LAMBDA
#endif

namespace treewright {

inline constexpr std::size_t kLanes = 8;  // 32-bit numbers in a wide register

#if defined(TREEWRIGHT_HAS_WIDE_FILES)
inline bool has_wide_registers() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#endif

}  // namespace treewright
