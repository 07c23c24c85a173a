// What the engine asks of the system's memory beyond taking it.
#pragma once

#include <cstddef>

#include <cstdlib>  // defines __GLIBC__ where it is true

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace treewright {

// Gives freed memory back to the system where the allocator would keep it (glibc keeps what its threads
// freed). Costs a millisecond or so: for the few places where much has just been freed and much is about to
// be taken.
inline void release_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// Whether the system would give so much address space now. Asked of the system itself: a large block that
// comes and goes would change how the allocator behaves.
inline bool has_room_for([[maybe_unused]] std::size_t n_bytes) {
#if defined(__GLIBC__)
  void* block = mmap(nullptr, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, n_bytes);
#endif
  return true;
}

}  // namespace treewright
