// NodeSplit: the winning candidate made exact: threshold or table, the branch of missing values, a branch per
// code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "data/column.h"
#include "grow/plan.h"
#include "split/candidate.h"
#include "tree/builder.h"

namespace treewright {

// Half-way between two values; the lower one where half-way is not a number between them.
inline double midpoint(double low, double high) {
  const double middle = low / 2 + high / 2;
  return std::isfinite(middle) && middle < high && middle >= low ? middle : low;
}

inline double threshold_of(const Column& column, CutRule rule, Code cut, Code next) {
  if (next == 0) return std::numeric_limits<double>::infinity();  // only missing values go right
  if (column.kind != ColumnKind::kNumeric) return static_cast<double>(cut) + 0.5;
  const double low = column.highest(cut);
  const double middle = midpoint(low, column.lowest(next));
  if (rule == CutRule::kMidpoint) return middle;
  // The largest training value that is not above the middle, in this node or elsewhere: codes rise with
  // values.
  Code at = cut, beyond = next;
  while (beyond - at > 1) {
    const Code between = at + (beyond - at) / 2;
    (column.lowest(between) <= middle ? at : beyond) = between;
  }
  return column.highest(at);
}

class NodeSplit {
 public:
  NodeSplit(const Candidate& candidate, const Column& column, const GrowPlan& plan)
      : kind_(candidate.kind),
        feature_(candidate.feature),
        cut_(candidate.cut),
        right_(candidate.right),
        n_codes_(column.n_codes),
        missing_(candidate.missing),
        missing_known_(candidate.missing_known) {
    if (kind_ == NodeKind::kThreshold)
      threshold_ = threshold_of(column, plan.cut, candidate.cut, candidate.next);
    if (kind_ == NodeKind::kMultiway) {
      own_branch_ = plan.missing == MissingRule::kOwnBranch;
      n_children_ = n_codes_ + (own_branch_ ? 1 : 0);
      missing_ = own_branch_ ? n_codes_ : kEveryBranch;
      missing_known_ = own_branch_;
    }
    if (plan.missing == MissingRule::kFractional) missing_ = kEveryBranch;
  }

  NodeKind kind() const { return kind_; }
  FeatureId feature() const { return feature_; }
  std::uint32_t n_children() const { return n_children_; }
  std::uint32_t missing() const { return missing_; }
  bool missing_known() const { return missing_known_; }
  void set_missing(std::uint32_t branch) {
    missing_ = branch;
    missing_known_ = true;
  }

  // Branch of a known code.
  std::uint32_t branch(Code code) const {
    switch (kind_) {
      case NodeKind::kThreshold: return code > cut_ ? 1 : 0;
      case NodeKind::kSubset: return std::binary_search(right_.begin(), right_.end(), code) ? 1 : 0;
      default: return code - 1;
    }
  }
  Code cut() const { return cut_; }

  // Writes the test into the tree and returns the id of the first child. `other` is the branch of categories
  // that did not occur in the node; `seen` lists those that did (subset only).
  NodeId write(TreeBuilder& builder, NodeId node, std::uint32_t other, std::span<const Code> seen) const {
    builder.tree().missing[static_cast<std::size_t>(node)] = missing_;
    switch (kind_) {
      case NodeKind::kThreshold: return builder.split_at_threshold(node, feature_, threshold_);
      case NodeKind::kSubset: return write_subset(builder, node, other, seen);
      default: return write_branches(builder, node);
    }
  }

 private:
  NodeId write_subset(TreeBuilder& builder, NodeId node, std::uint32_t other,
                      std::span<const Code> seen) const {
    // Codes 0 (missing), 1 ... n_codes, n_codes + 1 (never seen in training).
    constexpr Code kMostBits = 256;
    if (n_codes_ <= kMostBits) {
      std::vector<std::uint32_t> bits((n_codes_ + 2 + 31) / 32, other == 1 ? ~0U : 0U);
      const auto set = [&](Code code, bool right) {
        const std::uint32_t mask = 1U << (code & 31);
        bits[code >> 5] = right ? bits[code >> 5] | mask : bits[code >> 5] & ~mask;
      };
      for (Code code : seen) set(code, branch(code) == 1);
      set(kMissing, missing_ == 1);
      const Code unused = (n_codes_ + 2) & 31;  // bits past the last code stay 0
      if (unused != 0) bits.back() &= (1U << unused) - 1;
      return builder.split_by_subset(node, feature_, TableFormat::kBits, bits);
    }
    // Many codes: list the branch that the categories not seen in the node do not take.
    std::vector<std::uint32_t> list;
    if (missing_ == 1 - other) list.push_back(kMissing);
    for (const Code code : seen) {
      if (branch(code) != other) list.push_back(code);
    }
    const TableFormat format = other == 0 ? TableFormat::kList : TableFormat::kListLeft;
    return builder.split_by_subset(node, feature_, format, list);
  }

  NodeId write_branches(TreeBuilder& builder, NodeId node) const {
    std::vector<std::uint32_t> branches(static_cast<std::size_t>(n_codes_) + 2);
    branches[kMissing] = missing_;
    for (Code code = 1; code <= n_codes_; ++code) branches[code] = code - 1;
    // A value without a branch: like a missing one where those are shared out, otherwise decided by the
    // estimator.
    branches[n_codes_ + 1] = kEveryBranch;
    return builder.split_by_branch(node, feature_, n_children_, branches);
  }

  NodeKind kind_;
  FeatureId feature_;
  Code cut_;
  std::vector<Code> right_;
  Code n_codes_;
  std::uint32_t missing_;
  bool missing_known_;
  bool own_branch_ = false;
  std::uint32_t n_children_ = 2;
  double threshold_ = 0;
};

}  // namespace treewright
