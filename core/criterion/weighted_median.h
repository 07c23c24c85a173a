// A multiset of weighted values on which the median and the absolute deviation from it follow in O(log n):
// a Fenwick tree over the ranks of the values that holds {Σ w, Σ w·y}.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

namespace treewright {

class MedianTree {
 public:
  // Ranks 0 ... size - 1, nothing in it.
  void reset(std::size_t size) {
    size_ = size;
    step_ = std::bit_floor(size);
    nodes_.assign(size + 1, {});
    total_ = {};
  }

  void add(std::size_t rank, double weight, double sum) {
    total_.weight += weight;
    total_.sum += sum;
    for (std::size_t i = rank + 1; i <= size_; i += i & (~i + 1)) {
      nodes_[i].weight += weight;
      nodes_[i].sum += sum;
    }
  }

  double weight() const { return total_.weight; }

  // Lower weighted median: the smallest rank at which at least half of the weight is reached, and what lies
  // below it.
  struct Median {
    std::size_t rank;
    double weight_below, sum_below;
  };
  // Weights were added and taken away in another order: one part in 10^12 of them is rounding.
  Median median() const { return find(0.5 * total_.weight * (1 - 1e-12)); }
  // Upper weighted median: another rank than the lower one only where the weight below it is exactly one
  // half.
  Median upper_median() const { return find(0.5 * total_.weight * (1 + 1e-12)); }

  // Σ w·|y − median| for the median's value.
  double deviation(const Median& at, double value) const {
    return value * (2 * at.weight_below - total_.weight) - 2 * at.sum_below + total_.sum;
  }

 private:
  // The smallest rank up to which at least this weight is reached.
  Median find(double weight) const {
    Median at{0, 0, 0};
    for (std::size_t step = step_; step > 0; step >>= 1) {
      const std::size_t next = at.rank + step;
      if (next > size_ || at.weight_below + nodes_[next].weight >= weight) continue;
      at.rank = next;
      at.weight_below += nodes_[next].weight;
      at.sum_below += nodes_[next].sum;
    }
    if (at.rank >= size_) at.rank = size_ - 1;
    return at;
  }

  struct Sums {
    double weight = 0, sum = 0;
  };
  std::size_t size_ = 0, step_ = 0;
  std::vector<Sums> nodes_;
  Sums total_;
};

}  // namespace treewright
