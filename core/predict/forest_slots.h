// ForestSlots: what a row holds for a forest: a cell (key_nodes.h) for each column that the forest reads, in
// each form that it reads it. Where missing values take branch 1 at some thresholds of a feature and branch 0
// at others, the feature has two slots, so that no step has to ask.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "tree/forest.h"

namespace treewright {

enum class CellForm : std::uint8_t { kMissingLeft, kMissingRight, kCode };

struct ForestSlot {
  FeatureId feature;
  CellForm form;
  Code n_codes;  // categories of the feature
};

class ForestSlots {
 public:
  // The forest has passed check_forest with these n_codes.
  ForestSlots(const ForestView& forest, std::span<const Code> n_codes);

  std::span<const ForestSlot> slots() const { return slots_; }  // ascending by feature
  std::size_t size() const { return slots_.size(); }
  // Cells in a row: at least one, because a leaf looks at the first as well.
  std::size_t width() const { return std::max<std::size_t>(slots_.size(), 1); }
  bool has_sets() const { return has_sets_; }
  bool has_large_sets() const { return has_large_sets_; }  // of more categories than WideKeyNode has bits

  // The slot of a node that is no leaf.
  std::uint32_t slot_of(FeatureId feature, std::uint8_t flags) const {
    return position_[static_cast<std::size_t>(feature)][static_cast<std::size_t>(form_of(flags))];
  }

 private:
  static CellForm form_of(std::uint8_t flags) {
    if ((flags & kSubsetTest) != 0) return CellForm::kCode;
    return (flags & kMissingGoesRight) != 0 ? CellForm::kMissingRight : CellForm::kMissingLeft;
  }

  static constexpr std::size_t kForms = 3;
  static constexpr std::uint32_t kUnused = 0xFFFFFFFFU;

  std::vector<ForestSlot> slots_;
  std::vector<std::array<std::uint32_t, kForms>> position_;  // of each feature and form
  bool has_sets_ = false;
  bool has_large_sets_ = false;
};

}  // namespace treewright
