#include "forest/forest_collector.h"

#include <utility>

#include "predict/code_router.h"
#include "prune/weakest_link.h"

namespace treewright {

ForestCollector::ForestCollector(const ForestTask& task, ForestBuilder::Answer answer, std::size_t n_outputs)
    : task_(task), builder_(answer, n_outputs, task.data.columns.size(), task.n_trees) {
  if (task.plan.keep_leaf_rows) grown_.leaf_begin.push_back(0);
}

void ForestCollector::add(std::size_t number, Tree tree, std::span<const RowId> rows) {
  Waiting next{std::move(tree), {}, {}};
  if (task_.plan.ccp_alpha > 0) prune_at_price(next.tree, task_.plan.ccp_alpha);
  if (task_.plan.keep_leaf_rows) {
    // Counted, then placed: rows of a leaf stand together, in their order in the bag.
    std::vector<std::uint32_t> leaf(rows.size());
    std::vector<std::int64_t> begin(next.tree.size() + 1, 0);
    const CodeRouter router(next.tree, task_.data);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      leaf[i] = static_cast<std::uint32_t>(router.leaf_of(rows[i]));
      ++begin[leaf[i] + 1];
    }
    for (std::size_t node = 0; node < next.tree.size(); ++node) {
      if (next.tree.kind[node] == NodeKind::kLeaf) next.leaf_sizes.push_back(begin[node + 1]);
      begin[node + 1] += begin[node];
    }
    next.leaf_rows.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      next.leaf_rows[static_cast<std::size_t>(begin[leaf[i]]++)] = rows[i];
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.emplace(number, std::move(next));
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == n_appended_;
       first = waiting_.erase(first)) {
    append(first->second);
    if (wants_spares_) spares_.push_back(std::move(first->second.tree));
    task_.n_done.store(++n_appended_, std::memory_order_relaxed);
  }
}

Tree ForestCollector::spare() {
  const std::lock_guard<std::mutex> lock(mutex_);
  wants_spares_ = true;
  if (spares_.empty()) return {};
  Tree tree = std::move(spares_.back());
  spares_.pop_back();
  return tree;
}

void ForestCollector::append(Waiting& next) {
  const Tree& tree = next.tree;
  builder_.append(tree);
  if (task_.plan.keep_trees) grown_.trees.push_back(tree);
  const std::size_t n_features = task_.data.columns.size();
  const std::size_t start = grown_.importances.size();
  grown_.importances.resize(start + n_features, 0.0);
  double* importance = grown_.importances.data() + start;
  double total = 0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.kind[node] == NodeKind::kLeaf) continue;
    importance[tree.feature[node]] += tree.gain[node];
    total += tree.gain[node];
  }
  for (std::size_t f = 0; f < n_features && total > 0; ++f) importance[f] /= total;
  for (const std::int64_t size : next.leaf_sizes) {
    grown_.leaf_begin.push_back(grown_.leaf_begin.back() + size);
  }
  grown_.leaf_rows.insert(grown_.leaf_rows.end(), next.leaf_rows.begin(), next.leaf_rows.end());
}

GrownForest ForestCollector::finish() {
  grown_.forest = builder_.finish();
  return std::move(grown_);
}

}  // namespace treewright
