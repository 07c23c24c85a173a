// SplitOrder: the splits that a grower makes which takes one leaf after the other, found out by one that
// knows several leaves ahead. A leaf is known once its best test is, and opened once its children are known:
// keys and draws belong to a leaf's path, so nobody can tell in which order leaves were opened.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.h"
#include "boost/histogram/leaf_chooser.h"

namespace treewright {

class SplitOrder {
 public:
  explicit SplitOrder(const LeafChooser& chooser) : chooser_(chooser) {}

  void begin_tree() {
    known_.clear();
    first_child_.clear();
    splits_.clear();
    open_.clear();
    n_leaves_ = 1;
  }

  // Leaves become known in the order of their nodes: the root, then pairs of children.
  void add(OpenLeaf leaf) {
    known_.push_back(std::move(leaf));
    first_child_.push_back(kNoNode);
    if (known_.size() == 1) add_worthy(0, open_);
  }
  OpenLeaf& leaf(NodeId node) { return known_[index(node)]; }
  std::size_t n_known() const { return known_.size(); }
  void set_opened(NodeId node, NodeId first_child) { first_child_[index(node)] = first_child; }
  bool is_opened(NodeId node) const { return first_child_[index(node)] != kNoNode; }

  // Goes on as far as leaves are opened; the last split of a full tree needs nobody to know its children.
  void advance() {
    while (!open_.empty() && n_leaves_ < chooser_.max_leaves()) {
      const std::size_t next = next_of(open_);
      const NodeId node = open_[next];
      if (!is_opened(node) && !is_last(n_leaves_)) return;
      take(next, open_, n_leaves_);
      splits_.push_back(node);
    }
    open_.clear();
  }

  // The leaves to be opened next, at most so many: those that would be split if no child of theirs were, but
  // for the last quarter, which their children are likely to replace (all of them save one exchange in
  // thirty, and cost a tenth of the time). Empty: all splits are known.
  std::vector<NodeId> wanted(std::size_t most) const {
    std::vector<NodeId> open = open_, found;
    const std::int64_t left = chooser_.max_leaves() - n_leaves_, likely = left - left / 4;
    std::int64_t n_leaves = n_leaves_;
    while (!open.empty() && found.size() < most && n_leaves - n_leaves_ <= likely && !is_last(n_leaves)) {
      const std::size_t next = next_of(open);
      if (!is_opened(open[next])) found.push_back(open[next]);
      take(next, open, n_leaves);
    }
    return found;
  }

  // In the order in which they are made.
  const std::vector<NodeId>& splits() const { return splits_; }

 private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node); }
  bool is_last(std::int64_t n_leaves) const { return n_leaves + 1 >= chooser_.max_leaves(); }
  const OpenLeaf& known(NodeId node) const { return known_[index(node)]; }

  void add_worthy(NodeId node, std::vector<NodeId>& open) const {
    if (chooser_.is_worth_splitting(known(node))) open.push_back(node);
  }

  std::size_t next_of(const std::vector<NodeId>& open) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < open.size(); ++i) {
      if (chooser_.comes_before(known(open[i]), known(open[best]))) best = i;
    }
    return best;
  }

  // Replaces a leaf by its children, as far as they are known.
  void take(std::size_t place, std::vector<NodeId>& open, std::int64_t& n_leaves) const {
    const NodeId first = first_child_[index(open[place])];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));  // in order: ties go to the older leaf
    ++n_leaves;
    if (first == kNoNode) return;
    add_worthy(first, open);
    add_worthy(first + 1, open);
  }

  const LeafChooser& chooser_;
  std::vector<OpenLeaf> known_;      // by node
  std::vector<NodeId> first_child_;  // by node; none: not opened
  std::vector<NodeId> splits_;
  std::vector<NodeId> open_;  // the older ones first
  std::int64_t n_leaves_ = 1;
};

}  // namespace treewright
