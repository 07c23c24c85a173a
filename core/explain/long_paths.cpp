#include "explain/long_paths.h"

#include <algorithm>
#include <bit>

namespace treewright {

LongPaths::LongPaths() : slots_(kSlots) {
  std::array<double, kMostFeatures + 1> factorial;
  factorial[0] = 1;
  for (std::size_t i = 1; i <= kMostFeatures; ++i) factorial[i] = factorial[i - 1] * static_cast<double>(i);
  for (std::size_t p = 0; p <= kMostFeatures; ++p) {
    for (std::size_t q = 0; p + q <= kMostFeatures; ++q) {
      gives_[p][q] = p == 0 ? 0 : factorial[p - 1] * factorial[q] / factorial[p + q];
      takes_[p][q] = q == 0 ? 0 : factorial[p] * factorial[q - 1] / factorial[p + q];
    }
  }
}

void LongPaths::begin_leaf(std::size_t n_features, std::span<const std::uint32_t> others) {
  n_features_ = n_features;
  others_ = others;
  n_entries_ = 0;
  if (++leaf_ == 0) {  // numbers begin again
    slots_.assign(kSlots, {});
    leaf_ = 1;
  }
}

const double* LongPaths::shares(std::uint32_t pattern) {
  constexpr std::uint32_t kSpread = 2654435769U;
  std::size_t at = (pattern * kSpread) >> 22;
  while (slots_[at].leaf == leaf_ && slots_[at].pattern != pattern) at = (at + 1) % kSlots;
  Slot& slot = slots_[at];
  if (slot.leaf != leaf_) {
    const std::size_t begin = n_entries_ * n_features_;
    if (entries_.size() < begin + n_features_) entries_.resize(2 * (begin + n_features_));
    const bool gives = write(pattern, entries_.data() + begin);
    slot = {pattern, leaf_, gives ? begin : kNothing};
    n_entries_ += gives ? 1 : 0;
  }
  return slot.entry == kNothing ? nullptr : entries_.data() + slot.entry;
}

bool LongPaths::write(std::uint32_t pattern, double* given) const {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << n_features_) - 1);
  const std::uint32_t needed = all & ~pattern;
  const auto q = static_cast<std::size_t>(std::popcount(needed));
  double taken = 0;
  bool is_met = false;
  for (const std::uint32_t other : others_) {
    if ((other & needed) != needed) continue;
    if (!is_met) std::fill_n(given, n_features_, 0.0);
    is_met = true;
    std::uint32_t alone = pattern & ~other;
    const auto p = static_cast<std::size_t>(std::popcount(alone));
    taken += takes_[p][q];
    const double share = gives_[p][q];
    for (; alone != 0; alone &= alone - 1) given[std::countr_zero(alone)] += share;
  }
  if (!is_met) return false;
  for (std::uint32_t rest = needed; rest != 0; rest &= rest - 1) given[std::countr_zero(rest)] = -taken;
  return true;
}

}  // namespace treewright
