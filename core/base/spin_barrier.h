// SpinBarrier: where threads that work together wait for each other, some thousands of times a second. It
// spins for a moment and then yields: on a busy machine a thread that only spins would take the time from the
// one it waits for.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

#include "base/stop.h"

#if defined(__x86_64__) || defined(_M_X64) || defined(__i386__)
#include <immintrin.h>
#endif

namespace treewright {

class SpinBarrier {
 public:
  // Returns when n_members have come. Throws Stopped when the barrier was broken.
  void wait(std::size_t n_members) {
    if (n_members == 1) return;
    const std::size_t phase = phase_.load(std::memory_order_relaxed);
    if (n_waiting_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_members) {
      n_waiting_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; phase_.load(std::memory_order_acquire) == phase;) {
      if (broken_.load(std::memory_order_relaxed)) throw Stopped();
      if (++spins < kSpins) {
        pause_briefly();
      } else {
        std::this_thread::yield();
      }
    }
  }

  // Called by a member that leaves early: those that wait, or will, stop.
  void break_up() noexcept { broken_.store(true, std::memory_order_relaxed); }

 private:
  static constexpr int kSpins = 2000;

  static void pause_briefly() {
#if defined(__x86_64__) || defined(_M_X64) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ __volatile__("yield");
#endif
  }

  alignas(64) std::atomic<std::size_t> n_waiting_{0};
  alignas(64) std::atomic<std::size_t> phase_{0};
  std::atomic<bool> broken_{false};
};

}  // namespace treewright
