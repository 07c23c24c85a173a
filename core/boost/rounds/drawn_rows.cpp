#include "boost/rounds/drawn_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

DrawnRows::DrawnRows(const BoostPlan& plan, std::size_t n_rows, std::size_t outputs, Draw how,
                     RowExchange* others)
    : plan_(plan),
      n_rows_(n_rows),
      outputs_(outputs),
      others_(others),
      n_all_rows_(others == nullptr ? n_rows : others->n_rows()),
      first_row_(others == nullptr ? 0 : others->first_row()),
      how_(how) {
  const bool by_gradient = how == Draw::kEachRow && plan.other_share > 0;
  if (by_gradient) {
    factor_ = static_cast<float>((1 - plan.top_share) / plan.other_share);
    size_.resize(n_rows);
  }
  if (by_gradient || plan.subsample < 1) flags_.resize(n_rows);
}

void DrawnRows::draw(std::size_t round, std::span<const float> gradient, Team& team) {
  if (how_ == Draw::kExactCount) return draw_count(round);
  const std::uint64_t key = mix_bits(plan_.seed ^ mix_bits(round + 0x5851F42D4C957F2DU));
  if (plan_.other_share > 0) {
    draw_by_gradient(key, gradient, team);
  } else if (plan_.subsample < 1) {
    draw_share(key, team);
  }
}

void DrawnRows::draw_share(std::uint64_t key, Team& team) {
  for_row_blocks(n_rows_, n_rows_ * 4, team, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      flags_[row] = draw_of(key, first_row_ + row) < plan_.subsample ? 1 : 0;
    }
  });
  // A round without rows would end in a tree without sense. Draws belong to rows, so every process knows
  // those of the others.
  for (std::size_t number = 0; number < n_all_rows_; ++number) {
    if (draw_of(key, number) < plan_.subsample) return;
  }
  const std::size_t chosen = key % n_all_rows_;
  if (chosen >= first_row_ && chosen - first_row_ < n_rows_) flags_[chosen - first_row_] = 1;
}

void DrawnRows::draw_count(std::size_t round) {
  if (!(plan_.subsample < 1)) return;
  const auto share = static_cast<std::size_t>(plan_.subsample * static_cast<double>(n_rows_));
  std::size_t wanted = std::max<std::size_t>(share, 1);
  Random random = Random(plan_.seed).split(round);
  for (std::size_t row = 0; row < n_rows_; ++row) {
    flags_[row] = wanted > 0 && random.uniform(n_rows_ - row) < wanted ? 1 : 0;
    wanted -= flags_[row];
  }
}

void DrawnRows::draw_by_gradient(std::uint64_t key, std::span<const float> gradient, Team& team) {
  for_row_blocks(n_rows_, n_rows_ * outputs_, team, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      float sum = 0;
      for (std::size_t k = 0; k < outputs_; ++k) sum += std::abs(gradient[k * n_rows_ + row]);
      size_[row] = sum;
    }
  });
  // In the first round many gradients are the same: of those that are just large enough only some are kept.
  const auto n_top = static_cast<std::size_t>(std::ceil(plan_.top_share * static_cast<double>(n_all_rows_)));
  const Rank least = n_top > 0 ? rank_of(std::min(n_top, n_all_rows_), team) : Rank{};
  const double kept_equal =
      least.n_equal > 0 ? static_cast<double>(n_top - least.n_larger) / static_cast<double>(least.n_equal)
                        : 0.0;
  // Of the others, a share of all rows.
  const double chance = plan_.top_share < 1 ? plan_.other_share / (1 - plan_.top_share) : 0.0;
  for_row_blocks(n_rows_, n_rows_ * 4, team, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t number = first_row_ + row;
      const bool is_top = size_[row] > least.size ||
                          (size_[row] == least.size && draw_of(mix_bits(key), number) < kept_equal);
      flags_[row] = is_top ? 1 : draw_of(key, number) < chance ? 2 : 0;
    }
  });
}

// Sizes are not negative, so they are ordered as their bits are. They are counted by the upper half of their
// bits, then those of one upper half by the lower half.
DrawnRows::Rank DrawnRows::rank_of(std::size_t place, Team& team) {
  constexpr std::size_t kHalves = std::size_t{1} << 16;
  std::size_t n_larger = 0;
  // The half, from above, in which the row of that place is.
  const auto half_of_place = [&](const std::vector<std::size_t>& counts) {
    std::size_t half = kHalves;
    while (half > 0) {
      const std::size_t n = counts[--half];
      if (n_larger + n >= place) break;
      n_larger += n;
    }
    return static_cast<std::uint32_t>(half);
  };
  const std::uint32_t upper =
      half_of_place(counted(team, [](std::uint32_t bits, std::uint32_t* counts) { ++counts[bits >> 16]; }));
  const std::vector<std::size_t> of_upper = counted(team, [upper](std::uint32_t bits, std::uint32_t* counts) {
    counts[bits & 0xFFFFU] += bits >> 16 == upper ? 1U : 0U;
  });
  const std::uint32_t lower = half_of_place(of_upper);
  return {std::bit_cast<float>(upper << 16 | lower), n_larger, of_upper[lower]};
}

// Counts of the halves that `count` adds for the bits of every size.
template <class Count>
std::vector<std::size_t> DrawnRows::counted(Team& team, Count count) {
  constexpr std::size_t kHalves = std::size_t{1} << 16;
  std::vector<std::vector<std::uint32_t>> parts(static_cast<std::size_t>(team.size()));
  const std::size_t n_blocks = (n_rows_ + kBlock - 1) / kBlock;
  team.parallel_for(n_blocks, n_rows_ * 2, [&](std::size_t block, int worker) {
    std::vector<std::uint32_t>& counts = parts[static_cast<std::size_t>(worker)];
    counts.resize(kHalves);
    const std::size_t end = std::min(n_rows_, (block + 1) * kBlock);
    for (std::size_t row = block * kBlock; row < end; ++row) {
      count(std::bit_cast<std::uint32_t>(size_[row]), counts.data());
    }
  });
  std::vector<std::int64_t> all(kHalves, 0);
  for (const std::vector<std::uint32_t>& counts : parts) {
    for (std::size_t half = 0; half < counts.size(); ++half) all[half] += counts[half];
  }
  if (others_ != nullptr) others_->add_up(all);
  return {all.begin(), all.end()};
}

}  // namespace treewright
