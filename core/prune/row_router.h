// RowRouter: where the test of a node sends the training rows, from their codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "tree/code_route.h"
#include "tree/tree.h"

namespace treewright {

class RowRouter {
 public:
  // Both stay with the caller. The tree may be edited as long as moved() is told.
  RowRouter(const Tree& tree, const Dataset& data) : tree_(tree), data_(data), cut_(tree.size(), 0) {
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] == NodeKind::kThreshold) {
        // A threshold inside a bin sends the whole bin to branch 1.
        const Column& column = data.column(tree.feature[node]);
        cut_[node] = cut_at_threshold(tree.threshold[node], column.n_codes,
                                      [&](Code code) { return column.value_to(code); });
      }
    }
  }

  // The test of `from` now stands at `to`.
  void moved(std::size_t from, std::size_t to) { cut_[to] = cut_[from]; }

  // Rows go to bucket `branch`, or to one of these two: they end at the node, or go down all branches.
  std::uint32_t stop_bucket(std::size_t node) const { return tree_.n_children[node]; }
  std::uint32_t shared_bucket(std::size_t node) const { return tree_.n_children[node] + 1; }
  std::uint32_t n_buckets(std::size_t node) const { return tree_.n_children[node] + 2; }

  // Whether some training row could be shared among branches.
  bool may_share() const {
    for (std::size_t node = 0; node < tree_.size(); ++node) {
      if (tree_.kind[node] != NodeKind::kLeaf && node_may_share(node)) return true;
    }
    return false;
  }

  // Calls put(i, bucket) for the i-th of the rows.
  template <class Put>
  void send(std::size_t node, std::span<const RowId> rows, Put&& put) const {
    const Column& column = data_.column(tree_.feature[node]);
    const std::uint32_t missing = bucket_of(node, tree_.missing[node]);
    if (tree_.kind[node] == NodeKind::kThreshold) {
      const Code cut = cut_[node];
      visit_codes(column, [&](const auto* codes) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const Code code = codes[rows[i]];
          put(i, code == kMissing ? missing : branch_at_cut(code, cut));
        }
      });
      return;
    }
    const std::uint32_t* table = tree_.tables.data() + tree_.table[node];
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Code code = codes[rows[i]];
        put(i, code == kMissing ? missing : bucket_of(node, branch_of(table, code)));
      }
    });
  }

  // Calls visit(i) for the i-th of the rows where the tested feature has no value.
  template <class Visit>
  void for_each_missing(std::size_t node, std::span<const RowId> rows, Visit&& visit) const {
    const Column& column = data_.column(tree_.feature[node]);
    if (!column.has_missing) return;
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (codes[rows[i]] == kMissing) visit(i);
      }
    });
  }

 private:
  std::uint32_t bucket_of(std::size_t node, std::uint32_t entry) const {
    if (is_branch(entry)) return entry;
    return entry == kStopHere ? stop_bucket(node) : shared_bucket(node);
  }

  bool node_may_share(std::size_t node) const {
    if (tree_.missing[node] == kEveryBranch && data_.column(tree_.feature[node]).has_missing) return true;
    if (tree_.kind[node] != NodeKind::kMultiway) return false;
    // Every entry counts but those of a missing and of an unseen value, the first and the last in a table
    // with one entry per code. In other tables it does no harm to be too careful.
    const std::uint32_t* table = tree_.tables.data() + tree_.table[node];
    const std::uint32_t length = table[1];
    const bool per_code = table[0] == static_cast<std::uint32_t>(TableFormat::kBranches) &&
                          length == data_.column(tree_.feature[node]).n_codes + 2;
    const std::uint32_t* begin = table + 2 + (per_code ? 1 : 0);
    const std::uint32_t* end = table + 2 + length - (per_code ? 1 : 0);
    return std::find(begin, end, kEveryBranch) != end;
  }

  const Tree& tree_;
  const Dataset& data_;
  std::vector<Code> cut_;
};

}  // namespace treewright
