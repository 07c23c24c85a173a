// TREEWRIGHT_WIDE_REGISTERS before a function: compiled once for every processor and once for those with
// wider registers; the first call picks. Only for functions whose results cannot depend on the choice.
// TREEWRIGHT_INLINE before what such functions call, so that it is compiled for the wider registers too.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TREEWRIGHT_WIDE_REGISTERS __attribute__((target_clones("avx2", "default")))
#else
#define TREEWRIGHT_WIDE_REGISTERS
#endif

#if defined(__GNUC__)
#define TREEWRIGHT_INLINE __attribute__((always_inline)) inline
#else
#define TREEWRIGHT_INLINE inline
#endif
