#include "criterion/gini.h"
#include "forest/forest_growth.h"
#include "target/counted_classes.h"

namespace treewright {

namespace {

template <class Criterion, class MakeBag>
GrownForest grow(const ForestTask& task, const ClassBag& bag, MakeBag make_bag) {
  const Criterion criterion{{bag.n_classes}};
  constexpr auto kClasses = ForestBuilder::Answer::kClasses;
  if (bag.n_classes == 2)
    return grow_with<typename Criterion::TwoClassScan>(task, criterion, kClasses, make_bag);
  return grow_with<typename Criterion::ManyClassScan>(task, criterion, kClasses, make_bag);
}

}  // namespace

GrownForest grow_gini_forest(const ForestTask& task, const ClassBag& bag, bool counted) {
  if (counted) {
    return grow<Gini<false, CountedClasses>>(task, bag, [&](const std::vector<std::uint32_t>& counts) {
      return drawn_bag<CountedClasses::Sample>(counts, [&](std::size_t row, std::uint32_t times) {
        return CountedClasses::Sample{static_cast<std::uint16_t>(bag.labels[row]),
                                      static_cast<std::uint16_t>(times)};
      });
    });
  }
  return grow<Gini<true>>(task, bag, [&](const std::vector<std::uint32_t>& counts) {
    return weighted_class_bag<Gini<true>::Sample>(task, bag, counts);
  });
}

}  // namespace treewright
