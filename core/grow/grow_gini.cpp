#include "criterion/gini.h"
#include "grow/grow_classes.h"

namespace treewright {

namespace {

template <bool kWeighted>
Tree grow(const ClassTask& task) {
  const Gini<kWeighted> criterion{{task.n_classes}};
  if (task.n_classes == 2) return grow_with<typename Gini<kWeighted>::TwoClassScan>(task, criterion);
  return grow_with<typename Gini<kWeighted>::ManyClassScan>(task, criterion);
}

}  // namespace

Tree grow_gini(const ClassTask& task, bool weighted) {
  return weighted ? grow<true>(task) : grow<false>(task);
}

}  // namespace treewright
