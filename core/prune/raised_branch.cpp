#include "prune/raised_branch.h"

#include <algorithm>

namespace treewright {

double RaisedBranch::errors(std::size_t branch, const Parent& parent,
                            const std::function<bool(double)>& decided) {
  const std::size_t top = pile_.size();
  // The branch has seen most of the rows already; usually it is enough to send the others down.
  pile_.push_copy({parent.rows.begin, parent.branch.begin});
  pile_.push_copy({parent.branch.end, parent.shared.begin});
  if (parent.share < 1) pile_.push_copy(parent.shared, 1 - parent.share);
  std::optional<double> sum = with_additional(branch, top, decided);
  if (!sum) {
    pile_.truncate(top);
    pile_.push_copy(parent.rows);
    sum = with_all(branch, top, decided);
  }
  pile_.truncate(top);
  return *sum;
}

double RaisedBranch::leaf_errors(std::size_t node, RowRange rows, bool additional) {
  if (additional) {
    std::copy_n(estimates_.counts(node), counts_.size(), counts_.begin());
  } else {
    std::fill(counts_.begin(), counts_.end(), 0.0);
  }
  pile_.count(rows, labels_, counts_.data());
  return estimates_.of_leaf(counts_.data());
}

// The rows from `from` on come in addition to those that the nodes below hold. Nothing where a row is or was
// shared among branches: more known rows there change the shares of the rows that it holds.
std::optional<double> RaisedBranch::with_additional(std::size_t branch, std::size_t from,
                                                    const std::function<bool(double)>& decided) {
  double sum = 0;
  open_.assign(1, {branch, {from, pile_.size()}});
  while (!open_.empty()) {
    team_.poll();
    const Item item = open_.back();
    open_.pop_back();
    pile_.truncate(item.rows.end);
    if (item.rows.empty()) {
      sum += estimates_.errors(item.node);
    } else if (tree_.kind[item.node] == NodeKind::kLeaf) {
      sum += leaf_errors(item.node, item.rows, true);
    } else {
      if (estimates_.shares(item.node)) return std::nullopt;
      bounds_.clear();
      pile_.sort_by_branch(router_, item.node, item.rows, bounds_);
      const std::size_t shared = router_.shared_bucket(item.node);
      if (bounds_[shared] != bounds_[shared + 1]) return std::nullopt;
      for (std::uint32_t b = 0; b < tree_.n_children[item.node]; ++b) {
        const std::size_t child = static_cast<std::size_t>(tree_.first_child[item.node]) + b;
        if (bounds_[b] == bounds_[b + 1]) {
          sum += estimates_.errors(child);
        } else {
          open_.push_back({child, {bounds_[b], bounds_[b + 1]}});
        }
      }
    }
    if (decided(sum)) break;
  }
  return sum;
}

// The rows from `from` on are all rows.
double RaisedBranch::with_all(std::size_t branch, std::size_t from,
                              const std::function<bool(double)>& decided) {
  double sum = 0;
  open_.assign(1, {branch, {from, pile_.size()}});
  while (!open_.empty()) {
    team_.poll();
    const Item item = open_.back();
    open_.pop_back();
    pile_.truncate(item.rows.end);
    if (tree_.kind[item.node] == NodeKind::kLeaf) {
      sum += leaf_errors(item.node, item.rows, false);
      if (decided(sum)) break;
      continue;
    }
    bounds_.clear();
    pile_.sort_by_branch(router_, item.node, item.rows, bounds_);
    const std::uint32_t n_children = tree_.n_children[item.node];
    known_.assign(n_children, 0.0);
    double all_known = 0;
    for (std::uint32_t b = 0; b < n_children; ++b) {
      all_known += known_[b] = pile_.weight({bounds_[b], bounds_[b + 1]});
    }
    if (!(all_known > 0)) {  // no branch can be told from another
      sum += leaf_errors(item.node, item.rows, false);
      if (decided(sum)) break;
      continue;
    }
    const RowRange shared{bounds_[router_.shared_bucket(item.node)], item.rows.end};
    for (std::uint32_t b = 0; b < n_children; ++b) {
      const RowRange rows{bounds_[b], bounds_[b + 1]};
      if (rows.empty()) continue;
      const std::size_t child = static_cast<std::size_t>(tree_.first_child[item.node]) + b;
      const double share = known_[b] / all_known;
      // Once one child is a copy on top, all must be: each is dropped when its turn is over.
      open_.push_back({child, shared.empty() ? rows
                              : share > estimates_.rule().smallest_share()
                                  ? pile_.push_merged(rows, shared, share)
                                  : pile_.push_merged(rows, {}, 0)});
    }
  }
  return sum;
}

}  // namespace treewright
