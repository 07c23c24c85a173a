// Barrier: where threads that work together wait for each other, some thousands of times a second. Whoever
// comes early spins for a moment, because sleeping and waking takes longer than most waits, and then sleeps:
// on a busy machine a thread that spins takes the time from the one it waits for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/pause.h"
#include "base/stop.h"

namespace treewright {

class Barrier {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // Returns when n_members have come, with the time that the caller has slept. Throws Stopped when the
  // barrier was broken.
  Duration wait(std::size_t n_members) {
    if (n_members == 1) return {};
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (n_waiting_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_members) {
      n_waiting_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      phase_.notify_all();
      return {};
    }
    for (int spins = 0; spins < kSpins; ++spins) {
      if (is_over(phase)) return {};
      pause_briefly();
    }
    const auto asleep = std::chrono::steady_clock::now();
    while (!is_over(phase)) phase_.wait(phase, std::memory_order_acquire);
    return std::chrono::steady_clock::now() - asleep;
  }

  // Called by a member that leaves early: those that wait, or will, stop.
  void break_up() noexcept {
    broken_.store(true, std::memory_order_release);
    phase_.fetch_add(1, std::memory_order_acq_rel);
    phase_.notify_all();
  }

 private:
  static constexpr int kSpins = 1000;  // some 20 to 50 µs

  bool is_over(std::uint32_t phase) const {
    if (broken_.load(std::memory_order_relaxed)) throw Stopped();
    return phase_.load(std::memory_order_acquire) != phase;
  }

  alignas(64) std::atomic<std::size_t> n_waiting_{0};
  alignas(64) std::atomic<std::uint32_t> phase_{0};
  std::atomic<bool> broken_{false};
};

}  // namespace treewright
