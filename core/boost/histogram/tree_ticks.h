// TreeTicks: how fine the ticks of one tree are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "boost/boost_grower.h"
#include "boost/histogram/column_groups.h"
#include "boost/histogram/fill.h"
#include "boost/histogram/quantise.h"

namespace treewright {

// What the draws of a tree come from.
inline std::uint64_t tree_key(std::uint64_t seed, std::uint64_t round, std::size_t output) {
  return mix_bits(seed + mix_bits(round * 0x9E3779B97F4A7C15U + output));
}

struct TreeTicks {
  Quantiser quantiser;
  std::int64_t most = 1;  // of a row
  bool is_short = false;  // so few that blocks may be counted in short cells

  // The most ticks of a row, so that sums of all rows fit.
  template <class Ticks>
  static std::int64_t limit(std::size_t n_all_rows) {
    const auto rows = static_cast<std::int64_t>(std::max<std::size_t>(n_all_rows, 1));
    return std::min(Ticks::kMostTicks, Ticks::kMostSum / rows - 1);
  }

  // `sizes`: of the gradients of all rows.
  TreeTicks(const GradientSizes& sizes, const Gradients& gradients, const ColumnGroups& groups,
            std::int64_t limit, std::uint64_t key) {
    const bool equal = gradients.equal_hessians && gradients.factor == 1.0F;
    const std::int64_t short_ticks =
        groups.n_short() == 0 ? 0 : std::min(limit, most_short_ticks(groups.rows_per_code()));
    is_short = short_ticks > 0 && sizes.allow_ticks(short_ticks, equal);
    most = is_short ? short_ticks : limit;
    quantiser = Quantiser(sizes.largest_gradient(), sizes.largest_hessian(), equal, most, key);
  }
};

}  // namespace treewright
