// Team: the threads of one native call.
//
// There is no pool that outlives the call: workers start when the first large enough loop needs them and are
// joined by the destructor, so nothing can break after fork() and nothing is left when the call returns.
// The owner's thread does not work in large loops; it waits and polls, which is what lets Ctrl-C stop a loop.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/stop.h"

namespace treewright {

class Team {
 public:
  using Clock = std::chrono::steady_clock;

  // Loops with less work run in the caller: this many elementary steps (about 0.1 to 0.2 ms) are worth waking
  // a sleeping thread, which takes 5 to 50 µs.
  static constexpr std::size_t kSerialWork = 200'000;

  // `poll` is run by the owner's thread about every 20 ms, in poll() and while it waits for the workers.
  // It may call stop().request(); if it throws, the loop is stopped and the exception reaches the caller.
  explicit Team(int n_threads, std::function<void()> poll = {});
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }
  StopFlag& stop() { return stop_; }

  // Called when threads that work together have lost time because another process had a processor: short work
  // is not shared for a while. Not by two threads at a time, nor while the owner may ask.
  void note_loss(Clock::duration lost);

  // For the owner's thread between serial steps. Throws Stopped when a stop was requested.
  void poll();

  // Calls body(index, worker) for every index in [0, count), worker in [0, size()), each index once.
  // Two calls at the same time never share a worker, so scratch memory may be kept per worker.
  // Indices are handed out in ascending order; if bodies throw, the exception of the lowest index is
  // rethrown. Throws Stopped when a stop was requested, also when every index had been done by then. A loop
  // inside a body runs serially, as the worker that the body runs as.
  template <class Body>
  void parallel_for(std::size_t count, std::size_t work, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    const Call call = [](void* context, std::size_t index, int worker) {
      (*static_cast<Plain*>(context))(index, worker);
    };
    run(count, work, call, const_cast<void*>(static_cast<const volatile void*>(&body)));
  }

  // Calls body(member, n_members) at the same time in up to size() threads, for work in which threads wait
  // for each other (base/barrier.h); in the caller alone when the work is too small to share. When a
  // body throws, it must see to it that the others do not wait for it.
  template <class Body>
  void run_together(std::size_t work, Body&& body) {
    const std::size_t n_members = members(work);
    if (n_members <= 1) {
      poll();
      body(std::size_t{0}, std::size_t{1});
      return;
    }
    // A member waits for the others before it ends, so no worker can take the place of two.
    parallel_for(n_members, work, [&](std::size_t member, int) { body(member, n_members); });
  }

 private:
  using Call = void (*)(void* context, std::size_t index, int worker);

  std::size_t members(std::size_t work);
  void run(std::size_t count, std::size_t work, Call call, void* context);
  void run_serially(std::size_t count, int worker, Call call, void* context);
  void run_on_workers(std::size_t count, Call call, void* context);
  void start_workers(std::size_t wanted);
  void publish(std::size_t count, Call call, void* context);
  void wait_until_done(std::size_t count);
  void run_poll();
  bool is_crowded() const { return Clock::now() < alone_until_; }

  void work(int worker);
  bool claim(std::size_t* index);
  void run_index(std::size_t index, int worker) noexcept;
  void report_done(std::size_t n_done);
  void wait_for_work();

  const int size_;
  const std::function<void()> poll_;
  const std::thread::id owner_;
  StopFlag stop_;
  Clock::time_point last_poll_;
  bool in_loop_ = false;  // the owner is inside a serial loop: a loop in its body must not use worker 0 again

  Clock::time_point alone_until_{};  // short work is not shared before

  std::vector<std::thread> workers_;
  bool may_start_more_ = true;  // false once the system refused a thread

  // The current loop. Written by the owner while no index can be claimed, read by workers that hold an index.
  Call call_ = nullptr;
  void* context_ = nullptr;
  std::size_t count_ = 0;
  std::exception_ptr error_;  // guarded by mutex_ while the loop runs
  std::exception_ptr poll_error_;

  // Loop number in the upper half, indices left in the lower half: a worker that comes late for one loop
  // cannot take an index of the next by mistake, and nobody has to wait for a worker that still sleeps.
  alignas(64) std::atomic<std::uint64_t> ticket_{0};
  alignas(64) std::atomic<std::size_t> n_done_{0};
  std::atomic<std::size_t> first_error_{SIZE_MAX};
  std::atomic<int> n_sleeping_{0};
  std::atomic<bool> owner_waits_{false};
  std::atomic<bool> quit_{false};

  std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::condition_variable work_done_;
};

}  // namespace treewright
