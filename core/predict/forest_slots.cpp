#include "predict/forest_slots.h"

#include "predict/key_nodes.h"

namespace treewright {

ForestSlots::ForestSlots(const ForestView& forest, std::span<const Code> n_codes)
    : position_(n_codes.size(), {kUnused, kUnused, kUnused}) {
  for (std::size_t node = 0; node < forest.n_nodes(); ++node) {
    const FeatureId feature = forest.feature(node);
    if (feature == kNoFeature) continue;
    position_[static_cast<std::size_t>(feature)][static_cast<std::size_t>(form_of(forest.flags[node]))] = 0;
  }
  for (std::size_t feature = 0; feature < n_codes.size(); ++feature) {
    for (std::size_t i = 0; i < kForms; ++i) {
      if (position_[feature][i] == kUnused) continue;
      const auto form = static_cast<CellForm>(i);
      position_[feature][i] = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({static_cast<FeatureId>(feature), form, n_codes[feature]});
      if (form != CellForm::kCode) continue;
      has_sets_ = true;
      has_large_sets_ |= n_codes[feature] > WideKeyNode::kMostSmallCodes;
    }
  }
}

}  // namespace treewright
