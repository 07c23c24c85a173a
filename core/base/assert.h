// TW_ASSERT(condition): a check of the engine's own promises, active in debug and sanitizer builds only.
// Anything that a user's input could break is checked with an exception instead.
#pragma once

#include <cstdlib>

#if defined(TW_CHECKED) || !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TW_ASSERT(condition) ((condition) ? static_cast<void>(0) : std::abort())
#else
#define TW_ASSERT(condition) static_cast<void>(0)
#endif
