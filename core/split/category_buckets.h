// CategoryBuckets: the codes of a nominal column that occur in the node, each with its bucket, side by side.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "split/cursors.h"

namespace treewright {

template <class Target>
struct CategoryBuckets {
  using Cell = typename Target::Cell;

  const Target* target = nullptr;
  std::vector<Code> codes;    // ascending, without missing
  std::vector<Cell> cells;    // codes.size() buckets
  std::vector<Cell> missing;  // one bucket
  std::size_t missing_rows = 0;

  const Cell* bucket(std::size_t i) const {
    return cells.data() + i * static_cast<std::size_t>(target->stride());
  }
  std::size_t size() const { return codes.size(); }

  void reset(const Target& of) {
    target = &of;
    codes.clear();
    cells.clear();
    missing.assign(static_cast<std::size_t>(of.stride()), Cell{});
    missing_rows = 0;
  }

  void fill(const Buckets<Target>& table) {
    reset(*table.target);
    const auto stride = static_cast<std::size_t>(target->stride());
    missing.assign(table.bucket(kMissing), table.bucket(kMissing) + stride);
    missing_rows = table.rows(kMissing);
    for (Code code = 1; code <= table.n_codes; ++code) {
      if (table.rows(code) == 0) continue;
      codes.push_back(code);
      cells.insert(cells.end(), table.bucket(code), table.bucket(code) + stride);
    }
  }

  template <class Key, class Sample>
  void fill(const Target& of, const SortedRows<Key, Sample>& rows) {
    reset(of);
    const auto stride = static_cast<std::size_t>(of.stride());
    for (std::size_t i = 0; i < rows.size; ++i) {
      const Code code = code_of(rows.keys[i]);
      const Sample sample = rows.samples[position_of(rows.keys[i])];
      if (code == kMissing) {
        of.add(missing.data(), sample);
        ++missing_rows;
        continue;
      }
      if (codes.empty() || codes.back() != code) {
        codes.push_back(code);
        cells.resize(cells.size() + stride, Cell{});
      }
      of.add(cells.data() + cells.size() - stride, sample);
    }
  }
};

// Walks over the buckets in a given order; its "code" is the place in that order, counted from 1.
template <class Target>
class OrderedCursor {
 public:
  OrderedCursor(const CategoryBuckets<Target>& buckets, std::span<const std::size_t> order)
      : buckets_(buckets), order_(order) {}

  bool one_left() const { return place_ + 1 >= order_.size(); }

  template <class Scan>
  void advance(Scan& scan) {
    scan.move_bucket(buckets_.bucket(order_[place_]));
    rows_ += buckets_.target->rows(buckets_.bucket(order_[place_]));
    ++place_;
  }

  Code code() const { return static_cast<Code>(place_); }
  Code next_code() const { return static_cast<Code>(place_ + 1); }
  Code last_code() const { return static_cast<Code>(order_.size()); }
  std::size_t rows() const { return rows_; }

 private:
  const CategoryBuckets<Target>& buckets_;
  std::span<const std::size_t> order_;
  std::size_t place_ = 0, rows_ = 0;
};

template <class Target>
struct OrderedSource {
  const CategoryBuckets<Target>& buckets;
  std::span<const std::size_t> order;

  OrderedCursor<Target> cursor() const { return OrderedCursor<Target>(buckets, order); }
  template <class Scan>
  void move_missing(Scan& scan) const {
    scan.move_bucket(buckets.missing.data());
  }
};

}  // namespace treewright
