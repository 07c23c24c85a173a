// RowPile: rows with their weights on a stack. A node's rows are a range of it; they are sorted by branch
// inside that range, so a child's rows are a range again. Only where rows are shared among branches does a
// child need a copy, which lies on top and goes when the child is done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/blocks.h"
#include "base/parallel.h"
#include "prune/row_router.h"

namespace treewright {

struct RowRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
};

class RowPile {
 public:
  // All rows of the data. Weights are kept only if rows differ in weight, now or because they will be shared.
  RowPile(std::size_t n_rows, std::span<const double> weights, bool shares, Team& team) : team_(team) {
    rows_.resize(n_rows);
    std::iota(rows_.begin(), rows_.end(), RowId{0});
    weighted_ = shares || !weights.empty();
    if (!weights.empty()) {
      weights_.assign(weights.begin(), weights.end());
    } else if (weighted_) {
      weights_.assign(n_rows, 1.0);
    }
  }

  std::size_t size() const { return rows_.size(); }
  RowRange all() const { return {0, rows_.size()}; }

  void truncate(std::size_t size) {
    rows_.resize(size);
    if (weighted_) weights_.resize(size);
  }

  double weight(RowRange range) const {
    if (!weighted_) return static_cast<double>(range.size());
    double sum = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) sum += weights_[i];
    return sum;
  }

  // Adds the weight of each class to counts.
  void count(RowRange range, std::span<const std::int32_t> labels, double* counts) const {
    in_blocks(range, [&](std::size_t begin, std::size_t end) {
      if (weighted_) {
        for (std::size_t i = begin; i < end; ++i) counts[labels[rows_[i]]] += weights_[i];
      } else {
        for (std::size_t i = begin; i < end; ++i) counts[labels[rows_[i]]] += 1.0;
      }
    });
  }

  // Writes into the tree how many rows of a node have no value of the tested feature.
  void count_missing(const RowRouter& router, Tree& tree, std::size_t node, RowRange range) const {
    std::int64_t n_missing = 0;
    double weight = 0;
    router.for_each_missing(node, {rows_.data() + range.begin, range.size()}, [&](std::size_t i) {
      ++n_missing;
      weight += weighted_ ? weights_[range.begin + i] : 1.0;
    });
    tree.missing_rows[node] = n_missing;
    tree.missing_weight[node] = weight;
  }

  // Sorts a range by bucket, order kept within each. Appends n_buckets + 1 bounds.
  void sort_by_branch(const RowRouter& router, std::size_t node, RowRange range,
                      std::vector<std::size_t>& bounds) {
    const std::size_t at = bounds.size();
    const std::size_t n_buckets = router.n_buckets(node);
    bounds.resize(at + n_buckets + 1, 0);
    std::size_t* const starts = bounds.data() + at;  // first the sizes, one place further
    bucket_.resize(std::max(bucket_.size(), range.size()));
    in_blocks(range, [&](std::size_t begin, std::size_t end) {
      std::uint32_t* buckets = bucket_.data() + (begin - range.begin);
      router.send(node, {rows_.data() + begin, end - begin}, [&](std::size_t i, std::uint32_t bucket) {
        buckets[i] = bucket;
        ++starts[bucket + 1];
      });
    });
    const bool in_place =
        std::find(starts + 1, starts + n_buckets + 1, range.size()) != starts + n_buckets + 1;
    starts[0] = range.begin;
    std::partial_sum(starts, starts + n_buckets + 1, starts);
    if (!in_place) scatter(range, {starts, n_buckets});
  }

  void push_copy(RowRange range, double scale = 1.0) {
    reserve(range.size());
    for (std::size_t i = range.begin; i < range.end; ++i) push(i, scale);
  }

  // The rows of `known` as they are and those of `shared` with a share of their weight, by row number.
  // Returns where they lie.
  RowRange push_merged(RowRange known, RowRange shared, double share) {
    const std::size_t begin = rows_.size();
    reserve(known.size() + shared.size());
    std::size_t i = known.begin, j = shared.begin;
    while (i < known.end || j < shared.end) {
      const bool first = j == shared.end || (i < known.end && rows_[i] < rows_[j]);
      first ? push(i++, 1.0) : push(j++, share);
    }
    return {begin, rows_.size()};
  }

 private:
  // Ctrl-C is seen between blocks.
  template <class Body>
  void in_blocks(RowRange range, Body&& body) const {
    for (std::size_t begin = range.begin; begin < range.end; begin += kBlockRows) {
      if (begin > range.begin) team_.poll();
      body(begin, std::min(begin + kBlockRows, range.end));
    }
  }

  // The pile grows by what is needed plus a quarter: doubling would double the peak of a large run.
  void reserve(std::size_t more) {
    const std::size_t needed = rows_.size() + more;
    if (needed <= rows_.capacity()) return;
    rows_.reserve(needed + needed / 4);
    if (weighted_) weights_.reserve(needed + needed / 4);
  }

  void push(std::size_t i, double scale) {
    rows_.push_back(RowId{rows_[i]});
    if (weighted_) weights_.push_back(weights_[i] * scale);
  }

  void scatter(RowRange range, std::span<const std::size_t> starts) {
    next_.assign(starts.begin(), starts.end());
    moved_rows_.resize(std::max(moved_rows_.size(), range.size()));
    if (weighted_) moved_weights_.resize(std::max(moved_weights_.size(), range.size()));
    in_blocks(range, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t to = next_[bucket_[i - range.begin]]++ - range.begin;
        moved_rows_[to] = rows_[i];
        if (weighted_) moved_weights_[to] = weights_[i];
      }
    });
    std::copy_n(moved_rows_.begin(), range.size(), rows_.begin() + static_cast<std::ptrdiff_t>(range.begin));
    if (weighted_) {
      std::copy_n(moved_weights_.begin(), range.size(),
                  weights_.begin() + static_cast<std::ptrdiff_t>(range.begin));
    }
  }

  Team& team_;
  bool weighted_;
  std::vector<RowId> rows_;
  std::vector<double> weights_;
  // Scratch memory of sort_by_branch.
  std::vector<std::uint32_t> bucket_;
  std::vector<std::size_t> next_;
  std::vector<RowId> moved_rows_;
  std::vector<double> moved_weights_;
};

}  // namespace treewright
