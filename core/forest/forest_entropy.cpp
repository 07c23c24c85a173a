#include "criterion/entropy.h"
#include "forest/forest_growth.h"

namespace treewright {

GrownForest grow_entropy_forest(const ForestTask& task, const ClassBag& bag) {
  const Entropy<true> criterion{{bag.n_classes}, PhiTable(0), &task.team.stop()};
  return grow_with<Entropy<true>::Scan>(task, criterion, ForestBuilder::Answer::kClasses,
                                        [&](const std::vector<std::uint32_t>& counts) {
                                          return weighted_class_bag<Entropy<true>::Sample>(task, bag, counts);
                                        });
}

}  // namespace treewright
