#include "criterion/entropy.h"
#include "grow/grow_classes.h"

namespace treewright {

namespace {

template <bool kWeighted>
Tree grow(const ClassTask& task) {
  // Larger counts are rare enough to take their logarithm.
  constexpr std::size_t kMostEntries = std::size_t{1} << 18;  // 2 MB
  const std::size_t entries = kWeighted ? 0 : std::min(task.labels.size() + 1, kMostEntries);
  const Entropy<kWeighted> criterion{{task.n_classes}, PhiTable(entries), &task.team.stop()};
  return grow_with<typename Entropy<kWeighted>::Scan>(task, criterion);
}

}  // namespace

Tree grow_entropy(const ClassTask& task, bool weighted) {
  return weighted ? grow<true>(task) : grow<false>(task);
}

}  // namespace treewright
