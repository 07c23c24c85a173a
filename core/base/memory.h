// Gives freed memory back to the system where the allocator would keep it (glibc keeps what its threads
// freed). Costs a millisecond or so: for the few places where much has just been freed and much is about to
// be taken.
#pragma once

#include <cstdlib>  // defines __GLIBC__ where it is true

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace treewright {

inline void release_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace treewright
