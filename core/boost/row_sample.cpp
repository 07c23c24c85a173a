#include "boost/row_sample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/random.h"

namespace treewright {

namespace {

constexpr std::size_t kBlock = 65536;

// Calls body(begin, end) for blocks of rows, in parallel.
template <class Body>
void for_row_blocks(std::size_t n_rows, std::size_t work, Team& team, Body&& body) {
  const std::size_t n_blocks = (n_rows + kBlock - 1) / kBlock;
  team.parallel_for(n_blocks, work, [&](std::size_t block, int) {
    body(block * kBlock, std::min(n_rows, (block + 1) * kBlock));
  });
}

// Uniform in [0, 1), by row.
double draw_of(std::uint64_t key, std::size_t row) {
  return static_cast<double>(mix_bits(key + row * 0x9E3779B97F4A7C15U) >> 11) * 0x1.0p-53;
}

}  // namespace

RowSample::RowSample(const BoostPlan& plan, std::size_t n_rows, std::size_t outputs)
    : plan_(plan), n_rows_(n_rows), outputs_(outputs) {
  if (plan.other_share > 0) {
    factor_ = static_cast<float>((1 - plan.top_share) / plan.other_share);
    size_.resize(n_rows);
  }
  if (plan.other_share > 0 || plan.subsample < 1) flags_.resize(n_rows);
}

void RowSample::draw(std::size_t round, std::span<const float> gradient, std::span<const float>, Team& team) {
  const std::uint64_t key = mix_bits(plan_.seed ^ mix_bits(round + 0x5851F42D4C957F2DU));
  if (plan_.other_share > 0) {
    draw_by_gradient(key, gradient, team);
  } else if (plan_.subsample < 1) {
    draw_share(key, team);
  }
}

void RowSample::draw_share(std::uint64_t key, Team& team) {
  for_row_blocks(n_rows_, n_rows_ * 4, team, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) flags_[row] = draw_of(key, row) < plan_.subsample ? 1 : 0;
  });
  // A round without rows would end in a tree without sense.
  if (std::find(flags_.begin(), flags_.end(), 1) == flags_.end()) flags_[key % n_rows_] = 1;
}

void RowSample::draw_by_gradient(std::uint64_t key, std::span<const float> gradient, Team& team) {
  for_row_blocks(n_rows_, n_rows_ * outputs_, team, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      float sum = 0;
      for (std::size_t k = 0; k < outputs_; ++k) sum += std::abs(gradient[k * n_rows_ + row]);
      size_[row] = sum;
    }
  });
  const auto n_top = static_cast<std::size_t>(std::ceil(plan_.top_share * static_cast<double>(n_rows_)));
  std::vector<float> ordered = size_;
  float least = std::numeric_limits<float>::infinity();
  if (n_top > 0) {
    const auto nth = ordered.begin() + static_cast<std::ptrdiff_t>(std::min(n_top, n_rows_) - 1);
    std::nth_element(ordered.begin(), nth, ordered.end(), std::greater<float>());
    least = *nth;
  }
  // In the first round many gradients are the same: of those that are just large enough only some are kept.
  std::size_t n_larger = 0, n_equal = 0;
  for (const float size : size_) {
    n_larger += size > least ? 1 : 0;
    n_equal += size == least ? 1 : 0;
  }
  const double kept_equal =
      n_equal > 0 ? static_cast<double>(n_top - n_larger) / static_cast<double>(n_equal) : 0.0;
  // Of the others, a share of all rows.
  const double chance = plan_.top_share < 1 ? plan_.other_share / (1 - plan_.top_share) : 0.0;
  for_row_blocks(n_rows_, n_rows_ * 4, team, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const bool is_top =
          size_[row] > least || (size_[row] == least && draw_of(mix_bits(key), row) < kept_equal);
      flags_[row] = is_top ? 1 : draw_of(key, row) < chance ? 2 : 0;
    }
  });
}

}  // namespace treewright
