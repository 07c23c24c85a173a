// A request to stop, seen by every thread of a call: set when the user presses Ctrl-C.
#pragma once

#include <atomic>
#include <exception>

namespace treewright {

struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped on request"; }
};

class StopFlag {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
  void throw_if_requested() const {
    if (requested()) throw Stopped();
  }

 private:
  std::atomic<bool> requested_{false};
};

}  // namespace treewright
