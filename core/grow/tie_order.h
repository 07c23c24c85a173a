// TieOrder: in which order the tests of a node's columns are compared. A test must be better than the best so
// far by more than a tolerance, so of equally good ones the first in this order wins.
//
// Where nothing is drawn it is the order of the columns. Elsewhere it is drawn: a shuffle that each tree has
// of its own, and that each node begins at another place. Over the seeds every order of any columns is
// equally likely, so where a column stands in the table makes no difference; and a node's order costs two
// steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace treewright {

class TieOrder {
 public:
  TieOrder() = default;

  // The columns as they are.
  explicit TieOrder(std::vector<FeatureId> columns) : columns_(std::move(columns)) {}
  explicit TieOrder(FeatureId n_columns) : columns_(static_cast<std::size_t>(n_columns)) {
    std::iota(columns_.begin(), columns_.end(), FeatureId{0});
  }

  // Shuffled by a tree's seed.
  static TieOrder drawn(TieOrder order, std::uint64_t seed) {
    Random random(seed);
    order.node_seed_ = random.next();
    order.is_drawn_ = true;
    std::vector<FeatureId>& columns = order.columns_;
    for (std::size_t left = columns.size(); left > 1; --left) {
      std::swap(columns[left - 1], columns[static_cast<std::size_t>(random.uniform(left))]);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto column = static_cast<std::size_t>(columns[i]);
      if (column >= order.places_.size()) order.places_.resize(column + 1);
      order.places_[column] = i;
    }
    return order;
  }

  bool is_drawn() const { return is_drawn_; }
  std::size_t size() const { return columns_.size(); }
  // All columns; a node begins at the place first() and goes round.
  std::span<const FeatureId> columns() const { return columns_; }
  std::size_t first(std::uint64_t node_key) const {
    if (!is_drawn_) return 0;
    const std::uint64_t high = mix_bits(node_key ^ node_seed_) >> 32;
    return static_cast<std::size_t>((high * columns_.size()) >> 32);
  }

  // The columns in the order of a node.
  void list(std::uint64_t node_key, std::vector<FeatureId>& columns) const {
    columns.resize(columns_.size());
    std::rotate_copy(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(first(node_key)),
                     columns_.end(), columns.begin());
  }

  // Of a column in the order of a node, 0 for the first.
  std::size_t place(std::uint64_t node_key, FeatureId column) const {
    if (!is_drawn_) return static_cast<std::size_t>(column);
    const std::size_t place = places_[static_cast<std::size_t>(column)], begin = first(node_key);
    return place >= begin ? place - begin : place + columns_.size() - begin;
  }

  // body(column) in the order of a node.
  template <class Body>
  void for_each(std::uint64_t node_key, Body body) const {
    const std::size_t begin = first(node_key);
    for (std::size_t i = begin; i < columns_.size(); ++i) body(columns_[i]);
    for (std::size_t i = 0; i < begin; ++i) body(columns_[i]);
  }

 private:
  std::vector<FeatureId> columns_;
  std::vector<std::size_t> places_;  // of the columns, where they are shuffled
  std::uint64_t node_seed_ = 0;
  bool is_drawn_ = false;
};

}  // namespace treewright
