// NodeSplit: the winning candidate made exact: threshold or table, the branch of missing values, a branch per
// code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "data/column.h"
#include "grow/plan.h"
#include "split/candidate.h"
#include "tree/builder.h"
#include "tree/code_route.h"

namespace treewright {

// Half-way between two values; the lower one where half-way is not a number between them.
inline double midpoint(double low, double high) {
  const double middle = low / 2 + high / 2;
  return std::isfinite(middle) && middle < high && middle >= low ? middle : low;
}

inline double threshold_of(const Column& column, CutRule rule, Code cut, Code next,
                           Arithmetic arithmetic = Arithmetic::kExact) {
  if (next == 0) return std::numeric_limits<double>::infinity();  // only missing values go right
  if (column.kind != ColumnKind::kNumeric) return static_cast<double>(cut) + 0.5;
  const double low = column.highest(cut);
  double middle = midpoint(low, column.lowest(next));
  if (rule == CutRule::kMidpoint) return middle;
  // Where the values are single-precision numbers, so is their middle; it stays below the upper one.
  const auto as_value = [arithmetic](double x) {
    return arithmetic == Arithmetic::kSingle ? static_cast<double>(static_cast<float>(x)) : x;
  };
  if (arithmetic == Arithmetic::kSingle) {
    const auto below = static_cast<float>(low), above = static_cast<float>(column.lowest(next));
    middle = std::isfinite(below + above) ? (below + above) / 2 : middle;
  }
  // The largest training value that is not above the middle, in this node or elsewhere: codes rise with
  // values.
  Code at = cut, beyond = next;
  while (beyond - at > 1) {
    const Code between = at + (beyond - at) / 2;
    (as_value(column.lowest(between)) <= middle ? at : beyond) = between;
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
        one_(candidate.one),
        groups_(candidate.groups),
        n_codes_(column.n_codes),
        missing_(candidate.missing),
        missing_known_(candidate.missing_known) {
    if (!candidate.valid()) throw std::logic_error("A candidate without a test cannot split a node.");
    if (kind_ == NodeKind::kThreshold) {
      threshold_ = std::isnan(candidate.drawn)
                       ? threshold_of(column, plan.cut, candidate.cut, candidate.next, plan.arithmetic)
                       : candidate.drawn;
    }
    if (plan.missing == MissingRule::kFractional) missing_ = kEveryBranch;
    if (!groups_.empty()) n_children_ = candidate.n_groups;
    if (kind_ == NodeKind::kMultiway && groups_.empty() && !is_sparse()) {
      set_branches(column, plan.missing, {});
    }
  }

  // A multiway split has one branch per declared category. Where very many are declared, it waits for the
  // codes that the node holds (`seen`, ascending): the others share one branch.
  void set_branches(const Column& column, MissingRule missing, std::span<const Code> seen) {
    n_children_ = n_codes_;
    if (is_sparse()) {
      right_.assign(seen.begin(), seen.end());
      n_children_ = static_cast<std::uint32_t>(seen.size());
    }
    missing_ = missing == MissingRule::kFractional ? kEveryBranch : kStopHere;
    if (missing == MissingRule::kOwnBranch && column.has_missing) missing_ = n_children_++;
    if (is_sparse() && seen.size() < n_codes_) empty_ = n_children_++;
  }

  NodeKind kind() const { return kind_; }
  bool is_sparse() const {
    return kind_ == NodeKind::kMultiway && groups_.empty() && n_codes_ > kMostOwnBranches;
  }
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
      case NodeKind::kThreshold: return branch_at_cut(code, cut_);
      case NodeKind::kSubset:
        if (one_ != 0) return code == one_ ? 0 : 1;
        return std::binary_search(right_.begin(), right_.end(), code) ? 1 : 0;
      case NodeKind::kMultiway:
        if (!groups_.empty()) return groups_[code - 1];
        if (!is_sparse()) return code - 1;
        return static_cast<std::uint32_t>(std::lower_bound(right_.begin(), right_.end(), code) -
                                          right_.begin());
      case NodeKind::kLeaf: break;  // the constructor refuses a leaf
    }
    throw std::logic_error("A leaf has no branches.");
  }
  Code cut() const { return cut_; }
  double threshold() const { return threshold_; }

  // Writes the test into the tree and returns the id of the first child. `other` is the branch of categories
  // that did not occur in the node; `seen` lists those that did (subset only).
  NodeId write(TreeBuilder& builder, NodeId node, std::uint32_t other, std::span<const Code> seen) const {
    builder.tree().missing[static_cast<std::size_t>(node)] = missing_;
    switch (kind_) {
      case NodeKind::kThreshold: return builder.split_at_threshold(node, feature_, threshold_);
      case NodeKind::kSubset: return write_subset(builder, node, other, seen);
      case NodeKind::kMultiway: return write_branches(builder, node);
      case NodeKind::kLeaf: break;
    }
    throw std::logic_error("A leaf has no test.");
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
    // A value never seen in training: like a missing one where those are shared out, otherwise the row ends
    // here.
    const std::uint32_t unseen = missing_ == kEveryBranch ? kEveryBranch : kStopHere;
    std::vector<std::uint32_t> table;
    if (is_sparse()) {
      const auto n_seen = static_cast<std::uint32_t>(right_.size());
      table.reserve(2 * right_.size() + 5);
      table.push_back(kMissing);
      table.insert(table.end(), right_.begin(), right_.end());
      table.push_back(n_codes_ + 1);
      table.push_back(missing_);
      for (std::uint32_t branch = 0; branch < n_seen; ++branch) table.push_back(branch);
      table.push_back(unseen);
      table.push_back(empty_);
      return builder.split_by_branch(node, feature_, n_children_, table, TableFormat::kPairs);
    }
    table.resize(static_cast<std::size_t>(n_codes_) + 2);
    table[kMissing] = missing_;
    for (Code code = 1; code <= n_codes_; ++code) table[code] = branch(code);
    table[n_codes_ + 1] = unseen;
    return builder.split_by_branch(node, feature_, n_children_, table);
  }

  static constexpr Code kMostOwnBranches = 64;

  NodeKind kind_;
  FeatureId feature_;
  Code cut_;
  std::vector<Code> right_;  // subset: codes of branch 1; sparse multiway: codes with a branch of their own
  Code one_;
  std::vector<std::uint32_t> groups_;
  Code n_codes_;
  std::uint32_t missing_;
  bool missing_known_;
  std::uint32_t n_children_ = 2;
  std::uint32_t empty_ = kStopHere;  // the branch of categories that the node does not hold
  double threshold_ = 0;
};

}  // namespace treewright
