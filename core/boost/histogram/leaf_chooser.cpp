#include "boost/histogram/leaf_chooser.h"

#include <algorithm>
#include <utility>

namespace treewright {

bool LeafChooser::may_split(const OpenLeaf& leaf, double hessian) const {
  if (leaf.depth >= plan_.max_depth) return false;
  if (leaf.rows < 2 * static_cast<std::size_t>(std::max<std::int64_t>(plan_.min_rows_leaf, 1))) return false;
  return hessian >= 2 * plan_.min_hessian_leaf;
}

void LeafChooser::mark_hopeless(OpenLeaf& leaf, const std::vector<SplitChoice>& candidates) const {
  if (!plan_.drop_hopeless) return;
  const std::vector<char> before = std::move(leaf.hopeless);
  leaf.hopeless.assign(candidates.size(), 0);
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    const bool was_asked = leaf.columns.empty() || leaf.columns[f] != 0;
    const bool found = candidates[f] && candidates[f].gain > least_gain();
    leaf.hopeless[f] = (was_asked && !found) || (!before.empty() && before[f] != 0) ? 1 : 0;
  }
}

std::optional<OpenLeaf> LeafChooser::take() {
  if (is_full() || open_.empty()) return std::nullopt;
  std::size_t best = 0;
  for (std::size_t i = 1; i < open_.size(); ++i) {
    if (comes_before(open_[i], open_[best])) best = i;
  }
  OpenLeaf taken = std::move(open_[best]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(best));  // in order: ties go to the older leaf
  ++n_leaves_;
  return taken;
}

}  // namespace treewright
