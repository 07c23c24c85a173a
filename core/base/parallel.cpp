#include "base/parallel.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/pause.h"

#if defined(__linux__)
#include <sched.h>
#include <sys/mman.h>
#endif

namespace treewright {

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(20);
// Loops of this much work (some 10 ms) are run by the caller where threads wait for a busy machine.
constexpr std::size_t kShortWork = 20'000'000;
constexpr auto kWakingTime = std::chrono::microseconds(500);
constexpr std::uint64_t kLeftMask = 0xFFFFFFFFU;

// A worker looks for the next loop this long (some 50 µs) before it sleeps. The owner looks only briefly:
// on a machine with as many cores as workers it would take the time from them.
constexpr int kWorkerSpins = 2000;
constexpr int kOwnerSpins = 100;
constexpr int kSpinsPerYield = 64;

// The usual stack of a thread, and as much again for what it takes first.
constexpr std::size_t kRoomForThread = std::size_t{16} << 20;

// Which team and worker the current thread is; null in threads that no team started.
thread_local const Team* current_team = nullptr;
thread_local int current_worker = 0;

// Whether the system would give so much address space now. Asked of the system itself: a large block that
// comes and goes would change how the allocator behaves.
bool has_room_for([[maybe_unused]] std::size_t n_bytes) {
#if defined(__linux__)
  void* block = mmap(nullptr, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, n_bytes);
#endif
  return true;
}

// Each member has scratch memory of its own, so a number out of thin air (n_jobs=10**9) is not taken at its
// word.
int most_threads() {
  constexpr int kMany = 256;
  return std::max(kMany, static_cast<int>(std::thread::hardware_concurrency()));
}

// Processors that this process may use.
std::size_t n_processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
  }
#endif
  const unsigned known = std::thread::hardware_concurrency();
  return known == 0 ? SIZE_MAX : known;
}

template <class Ready>
bool spin_until(int spins, Ready&& ready) {
  for (int i = 1; i <= spins; ++i) {
    if (ready()) return true;
    pause_briefly();
    if (i % kSpinsPerYield == 0) std::this_thread::yield();
  }
  return ready();
}

}  // namespace

Team::Team(int n_threads, std::function<void()> poll)
    : size_(std::clamp(n_threads, 1, most_threads())),
      poll_(std::move(poll)),
      owner_(std::this_thread::get_id()),
      last_poll_(Clock::now()) {}

Team::~Team() {
  if (workers_.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    quit_.store(true);
  }
  work_arrived_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Team::poll() {
  if (poll_ && std::this_thread::get_id() == owner_ && Clock::now() - last_poll_ >= kPollInterval) {
    poll_();
    last_poll_ = Clock::now();
  }
  stop_.throw_if_requested();
}

std::size_t Team::members(std::size_t work) {
  if (size_ == 1 || work < kSerialWork || current_team == this || in_loop_ || is_crowded()) return 1;
  // More threads than processors would only wait for each other.
  const std::size_t wanted = std::min(static_cast<std::size_t>(size_), n_processors());
  if (wanted == 1) return 1;
  start_workers(wanted);
  return std::min(wanted, workers_.size());
}

void Team::note_loss(Clock::duration lost) {
  constexpr int kTimesAlone = 20;  // so that trying again costs a twentieth at most
  alone_until_ = std::max(alone_until_, Clock::now() + kTimesAlone * lost);
}

void Team::run(std::size_t count, std::size_t work, Call call, void* context) {
  if (current_team == this) return run_serially(count, current_worker, call, context);
  TW_ASSERT(std::this_thread::get_id() == owner_);
  if (in_loop_) return run_serially(count, 0, call, context);
  poll();
  const bool nothing_to_gain = size_ == 1 && !poll_;
  const bool is_short = work < kShortWork;
  if (work >= kSerialWork && count > 0 && !nothing_to_gain && !(is_short && is_crowded())) {
    start_workers(std::min(count, static_cast<std::size_t>(size_)));
    if (!workers_.empty()) {
      if (!is_short || size_ == 1) return run_on_workers(count, call, context);
      const Clock::time_point begin = Clock::now();
      run_on_workers(count, call, context);
      const Clock::duration took = Clock::now() - begin, alone = std::chrono::nanoseconds(2 * work);
      if (took > alone + kWakingTime) note_loss(took - alone);
      return;
    }
  }
  in_loop_ = true;
  struct Leave {
    bool& flag;
    ~Leave() { flag = false; }
  } leave{in_loop_};
  run_serially(count, 0, call, context);
}

void Team::run_serially(std::size_t count, int worker, Call call, void* context) {
  for (std::size_t index = 0; index < count; ++index) {
    stop_.throw_if_requested();
    call(context, index, worker);
    // Only a loop that the system refused threads for is long enough to matter here.
    if (!may_start_more_) poll();
  }
  stop_.throw_if_requested();
}

void Team::run_on_workers(std::size_t count, Call call, void* context) {
  // The ticket counts to 2^32 - 1; no loop of the engine comes near, but correctness should not hang on it.
  struct Shifted {
    Call call;
    void* context;
    std::size_t begin;
  };
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t part = std::min<std::size_t>(count - begin, kLeftMask);
    Shifted shifted{call, context, begin};
    if (begin == 0) {
      publish(part, call, context);
    } else {
      publish(
          part,
          [](void* self, std::size_t index, int worker) {
            const Shifted& inner = *static_cast<Shifted*>(self);
            inner.call(inner.context, inner.begin + index, worker);
          },
          &shifted);
    }
    wait_until_done(part);
    if (poll_error_) std::rethrow_exception(std::exchange(poll_error_, nullptr));
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    stop_.throw_if_requested();
    begin += part;
  }
}

void Team::start_workers(std::size_t wanted) {
  while (may_start_more_ && workers_.size() < wanted) {
    try {
      // glibc ends the process when a thread finds no memory for its own variables.
      if (!has_room_for(kRoomForThread)) {
        may_start_more_ = false;
        return;
      }
      const int worker = static_cast<int>(workers_.size());
      workers_.emplace_back([this, worker] { this->work(worker); });
    } catch (const std::system_error&) {
      may_start_more_ = false;  // limits of the system or container: go on with the threads that exist
    }
  }
}

void Team::publish(std::size_t count, Call call, void* context) {
  call_ = call;
  context_ = context;
  count_ = count;
  error_ = nullptr;
  n_done_.store(0, std::memory_order_relaxed);
  first_error_.store(SIZE_MAX, std::memory_order_relaxed);
  const std::uint64_t loop = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
  ticket_.store(loop << 32 | count, std::memory_order_seq_cst);
  // Either a worker on its way to sleep sees the ticket, or this sees the worker (both sides seq_cst).
  if (n_sleeping_.load(std::memory_order_seq_cst) > 0) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
    }
    work_arrived_.notify_all();
  }
}

void Team::wait_until_done(std::size_t count) {
  const auto done = [&] { return n_done_.load(std::memory_order_seq_cst) == count; };
  if (spin_until(kOwnerSpins, done)) return;
  while (!done()) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      owner_waits_.store(true, std::memory_order_seq_cst);
      work_done_.wait_for(lock, kPollInterval, done);
      owner_waits_.store(false, std::memory_order_relaxed);
    }
    if (!done()) run_poll();
  }
}

void Team::run_poll() {
  if (!poll_ || poll_error_) return;
  try {
    poll_();
  } catch (...) {
    // The workers still use the caller's variables: stop them first, rethrow when they are done.
    poll_error_ = std::current_exception();
    stop_.request();
  }
  last_poll_ = Clock::now();
}

void Team::work(int worker) {
  current_team = this;
  current_worker = worker;
  // Takes the memory that an exception needs in this thread now, and not when there may be none left.
  static_cast<void>(std::current_exception());
  while (!quit_.load(std::memory_order_acquire)) {
    std::size_t n_done = 0;
    for (std::size_t index; claim(&index); ++n_done) run_index(index, worker);
    if (n_done > 0) report_done(n_done);
    wait_for_work();
  }
}

bool Team::claim(std::size_t* index) {
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while ((ticket & kLeftMask) != 0) {
    if (ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
      *index = count_ - (ticket & kLeftMask);
      return true;
    }
  }
  return false;
}

void Team::run_index(std::size_t index, int worker) noexcept {
  // After an error only lower indices still run: one of them may hold the error that must win.
  if (stop_.requested() || index > first_error_.load(std::memory_order_relaxed)) return;
  try {
    call_(context_, index, worker);
  } catch (const Stopped&) {
    stop_.request();
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (index < first_error_.load(std::memory_order_relaxed)) {
      first_error_.store(index, std::memory_order_relaxed);
      error_ = std::current_exception();
    }
  }
}

void Team::report_done(std::size_t n_done) {
  // count_ may belong to the next loop as soon as the owner sees the last index, so it is read before.
  const std::size_t count = count_;
  const std::size_t done = n_done_.fetch_add(n_done, std::memory_order_seq_cst) + n_done;
  if (done == count && owner_waits_.load(std::memory_order_seq_cst)) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
    }
    work_done_.notify_one();
  }
}

void Team::wait_for_work() {
  const auto ready = [&] {
    return (ticket_.load(std::memory_order_seq_cst) & kLeftMask) != 0 ||
           quit_.load(std::memory_order_acquire);
  };
  if (spin_until(kWorkerSpins, ready)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  n_sleeping_.fetch_add(1, std::memory_order_seq_cst);
  work_arrived_.wait(lock, ready);
  n_sleeping_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace treewright
