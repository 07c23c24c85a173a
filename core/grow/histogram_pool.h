// Histograms: one cell per code of every column, side by side. The pool lends buffers and takes them back by
// itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace treewright {

using Histogram = std::vector<std::int64_t>;

class HistogramPool {
 public:
  explicit HistogramPool(std::size_t cells) : free_(std::make_shared<Free>()), cells_(cells) {}

  // All cells are zero.
  std::shared_ptr<Histogram> acquire() {
    std::unique_ptr<Histogram> histogram;
    {
      const std::lock_guard lock(free_->mutex);
      if (!free_->histograms.empty()) {
        histogram = std::move(free_->histograms.back());
        free_->histograms.pop_back();
      }
    }
    if (histogram) {
      std::fill(histogram->begin(), histogram->end(), 0);
    } else {
      histogram = std::make_unique<Histogram>(cells_, 0);
    }
    // The last user gives it back; the list of free ones outlives the pool if a user does.
    return {histogram.release(), [free = free_](Histogram* done) {
              std::unique_ptr<Histogram> kept(done);
              const std::lock_guard lock(free->mutex);
              free->histograms.push_back(std::move(kept));
            }};
  }

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<Histogram>> histograms;
  };
  std::shared_ptr<Free> free_;
  std::size_t cells_;
};

// Whole numbers, so it does not matter what the cells mean.
inline void add_to(Histogram& sum, const Histogram& part) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
}
inline void subtract_from(Histogram& rest, const Histogram& part) {
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= part[i];
}

}  // namespace treewright
