// StopRequest: one Python thread ends the engine's calls in others, which Python's signals never reach.
#pragma once

#include <memory>

#include "base/stop.h"

namespace treewright {

class StopRequest {
 public:
  void request() noexcept { flag_->request(); }
  bool requested() const noexcept { return flag_->requested(); }

  // From now on calls of the current thread end when it is requested; with null they do not.
  static void obey(const StopRequest* request);
  // What the calls of the current thread obey, which lives as long as it is held; null: nothing.
  static std::shared_ptr<const StopFlag> obeyed();

 private:
  std::shared_ptr<StopFlag> flag_ = std::make_shared<StopFlag>();
};

}  // namespace treewright
