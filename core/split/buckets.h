// Buckets: the statistics of one column at one node, one bucket per code, and the cursor that hands them to a
// scan.
#pragma once

#include <cstddef>
#include <vector>

#include "base/types.h"

namespace treewright {

// A dense table: bucket of code c at c * stride, code 0 = missing. Empty buckets hold zeros.
template <class Target>
struct Buckets {
  const Target* target;
  const typename Target::Cell* cells;
  Code n_codes;

  const typename Target::Cell* bucket(Code code) const {
    return cells + static_cast<std::size_t>(code) * static_cast<std::size_t>(target->stride());
  }
  std::size_t rows(Code code) const { return target->rows(bucket(code)); }
};

// Walks over the buckets that hold rows, in the order of their codes.
template <class Target>
class BucketCursor {
 public:
  explicit BucketCursor(const Buckets<Target>& buckets) : buckets_(buckets), last_(buckets.n_codes) {
    next_ = find_next(1);
    while (last_ > next_ && buckets_.rows(last_) == 0) --last_;
  }

  // At most one bucket is left, so there is nothing to separate it from.
  bool one_left() const { return next_ >= last_; }

  // Moves the next bucket to the left side.
  template <class Scan>
  void advance(Scan& scan) {
    code_ = next_;
    scan.move_bucket(buckets_.bucket(code_));
    rows_ += buckets_.rows(code_);
    next_ = find_next(code_ + 1);
  }

  Code code() const { return code_; }
  Code next_code() const { return next_; }
  Code last_code() const { return last_; }
  std::size_t rows() const { return rows_; }

 private:
  Code find_next(Code code) const {
    while (code <= buckets_.n_codes && buckets_.rows(code) == 0) ++code;
    return code;
  }

  const Buckets<Target>& buckets_;
  Code code_ = 0, next_ = 0, last_;
  std::size_t rows_ = 0;
};

template <class Target>
struct BucketSource {
  const Buckets<Target>& buckets;

  BucketCursor<Target> cursor() const { return BucketCursor<Target>(buckets); }
  template <class Scan>
  void move_missing(Scan& scan) const {
    scan.move_bucket(buckets.bucket(kMissing));
  }
};

}  // namespace treewright
