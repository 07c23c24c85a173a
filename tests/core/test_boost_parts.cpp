// Parts of the histogram booster beside the plainest way to do the same: drawing rows by their gradients, the
// best of the cuts of a column, the codes of a node, dividing rows, counting in short cells.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/random.h"
#include "boost/histogram/best_cut.h"
#include "boost/histogram/column_groups.h"
#include "boost/histogram/fill.h"
#include "boost/histogram/quantise.h"
#include "boost/histogram/row_blocks.h"
#include "boost/histogram/small_node.h"
#include "boost/rounds/drawn_rows.h"
#include "check.h"

namespace treewright::test {

namespace {

// Large and small gradients, some of them many times.
std::vector<float> gradients_of(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> gradients(n);
  for (float& gradient : gradients) {
    const double size = random.uniform(3) == 0 ? 0.5 : std::exp(20 * (random.uniform01() - 0.5));
    gradient = static_cast<float>(random.uniform(2) == 0 ? size : -size);
  }
  return gradients;
}

std::vector<std::uint8_t> drawn(const BoostPlan& plan, const std::vector<float>& gradients, int n_threads) {
  Team team(n_threads);
  DrawnRows rows(plan, gradients.size(), 1);
  rows.draw(3, gradients, team);
  return {rows.flags().begin(), rows.flags().end()};
}

TEST("rows with large gradients are all drawn") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{300'000}}) {
    BoostPlan plan;
    plan.top_share = 0.2;
    plan.other_share = 0.1;
    plan.seed = n;
    const std::vector<float> gradients = gradients_of(n, n);
    const std::vector<std::uint8_t> flags = drawn(plan, gradients, 1);

    std::vector<float> ordered(n);
    std::transform(gradients.begin(), gradients.end(), ordered.begin(), [](float g) { return std::abs(g); });
    std::sort(ordered.rbegin(), ordered.rend());
    const auto n_top = static_cast<std::size_t>(std::ceil(0.2 * static_cast<double>(n)));
    const float least = ordered[n_top - 1];
    std::size_t n_equal = 0, n_kept = 0, n_smaller = 0, n_others = 0;
    bool larger_are_kept = true, smaller_are_others = true;
    for (std::size_t row = 0; row < n; ++row) {
      const float size = std::abs(gradients[row]);
      larger_are_kept &= size <= least || flags[row] == 1;
      smaller_are_others &= size >= least || flags[row] != 1;
      n_equal += size == least;
      n_kept += size == least && flags[row] == 1;
      n_smaller += flags[row] != 1;
      n_others += flags[row] == 2;
    }
    CHECK(larger_are_kept);
    CHECK(smaller_are_others);
    const auto n_larger = static_cast<std::size_t>(
        std::count_if(ordered.begin(), ordered.end(), [&](float s) { return s > least; }));
    const double wanted = static_cast<double>(n_top - n_larger);
    CHECK(std::abs(static_cast<double>(n_kept) - wanted) <= 5 * std::sqrt(static_cast<double>(n_equal)));
    CHECK(std::abs(static_cast<double>(n_others) - static_cast<double>(n_smaller) / 8) <=
          5 * std::sqrt(static_cast<double>(n_smaller)));
  }
}

TEST("rows are drawn alike by any number of threads") {
  BoostPlan plan;
  plan.top_share = 0.3;
  plan.other_share = 0.2;
  const std::vector<float> gradients = gradients_of(400'000, 5);
  const std::vector<std::uint8_t> one = drawn(plan, gradients, 1);
  CHECK(one == drawn(plan, gradients, 2));
  CHECK(one == drawn(plan, gradients, 8));
}

TEST("the best cut is that of a plain loop") {
  Random random(11);
  for (std::size_t round = 0; round < 2000; ++round) {
    const std::size_t n = 1 + random.uniform(40);
    const double l2 = static_cast<double>(random.uniform(3)),
                 min_hessian = 1 + static_cast<double>(random.uniform(30));
    std::vector<double> g(n + kCutsAtOnce), h(n + kCutsAtOnce);
    double gradient = 0, hessian = 0;
    for (std::size_t i = 0; i < n; ++i) {
      gradient += static_cast<double>(random.uniform(21)) - 10;
      hessian += static_cast<double>(random.uniform(5));
      g[i] = gradient;
      h[i] = hessian;
    }
    const double all = gradient + static_cast<double>(random.uniform(9)) - 4;
    const double all_hessian = hessian + static_cast<double>(random.uniform(4));
    std::size_t wanted = n;
    double highest = -1;
    for (std::size_t i = 0; i < n; ++i) {
      const double right = all - g[i], right_hessian = all_hessian - h[i];
      if (h[i] < min_hessian || right_hessian < min_hessian) continue;
      const double a = h[i] + l2, b = right_hessian + l2;
      const double score = (g[i] * g[i] * b + right * right * a) / (a * b);
      if (!(score > highest)) continue;
      highest = score;
      wanted = i;
    }
    const CutScore found = best_cut(g.data(), h.data(), n, all, all_hessian, l2, min_hessian);
    CHECK(wanted == n ? found.score < 0 : found.cut == wanted && found.score == highest);
  }
}

template <class Ticks>
void left_sums_beside_a_plain_loop(std::int64_t most) {
  Random random(12);
  for (std::size_t round = 0; round < 300; ++round) {
    const std::size_t n = random.uniform(600);
    const std::int64_t largest = most / static_cast<std::int64_t>(n + 1);
    const auto draw = [&] {
      const auto size = static_cast<std::int64_t>(random.uniform01() * static_cast<double>(largest));
      return random.uniform(4) == 0 ? largest : size;
    };
    const auto cell_of = [](const TickSums& sums) {
      if constexpr (std::is_same_v<Ticks, PackedTicks>) {
        return PackedTicks::cell(sums);
      } else {
        return WideTicks::Cell{sums.gradient, sums.hessian};
      }
    };
    std::vector<typename Ticks::Cell> cells(n);
    std::vector<TickSums> wanted(n);
    std::vector<Code> codes(n);  // all cells in another order
    const TickSums start{-draw(), draw()};
    TickSums sum = start;
    for (std::size_t i = 0; i < n; ++i) {
      const TickSums drawn{random.uniform(2) == 0 ? draw() : -draw(), draw()};
      sum = sum + drawn;
      wanted[i] = sum;
      codes[i] = static_cast<Code>(i * 7 % n);
    }
    for (std::size_t i = 0; i < n; ++i) cells[i] = cell_of(wanted[i] - (i == 0 ? start : wanted[i - 1]));
    std::vector<double> g(n), h(n);
    const auto are_wanted = [&] {
      for (std::size_t i = 0; i < n; ++i) {
        if (g[i] != static_cast<double>(wanted[i].gradient)) return false;
        if (h[i] != static_cast<double>(wanted[i].hessian)) return false;
      }
      return true;
    };
    left_sums(cells.data(), n, start, g.data(), h.data());
    CHECK(are_wanted());
    if (n % 7 == 0) continue;
    std::vector<typename Ticks::Cell> moved(n);
    for (std::size_t i = 0; i < n; ++i) moved[codes[i]] = cells[i];
    left_sums(moved.data(), codes.data(), n, start, g.data(), h.data());
    CHECK(are_wanted());
  }
}

TEST("sums left of a cut are those of a plain loop") {
  left_sums_beside_a_plain_loop<PackedTicks>(PackedTicks::kMostSum);
  left_sums_beside_a_plain_loop<WideTicks>(WideTicks::kMostSum);
}

TEST("a set of codes lists them in order") {
  Random random(13);
  CodeSet seen;
  for (std::size_t round = 0; round < 500; ++round) {
    seen.clear();
    std::set<Code> wanted;
    for (std::size_t i = random.uniform(120); i > 0; --i) {
      const auto code = static_cast<std::uint8_t>(random.uniform(256));
      seen.add(code);
      if (code != kMissing) wanted.insert(code);
    }
    Code codes[256];
    const std::size_t n = seen.list(codes);
    CHECK(std::equal(codes, codes + n, wanted.begin(), wanted.end()));
  }
}

template <class T>
void divide_beside_a_plain_loop(std::uint64_t seed) {
  Random random(seed);
  for (std::size_t round = 0; round < 300; ++round) {
    const std::size_t n_rows = 1 + random.uniform(round % 10 == 0 ? 30'000 : 200);
    const std::size_t every = 1 + random.uniform(40);  // few rows of a block are divided in another way
    std::vector<T> codes(n_rows);
    for (T& code : codes) code = static_cast<T>(random.uniform(250));
    std::vector<std::uint8_t> goes_right(250);
    for (std::uint8_t& right : goes_right) right = static_cast<std::uint8_t>(random.uniform(2));
    std::vector<std::uint16_t> ids, left, right;
    for (std::size_t row = 0; row < n_rows; ++row) {
      if (random.uniform(every) != 0) continue;
      ids.push_back(static_cast<std::uint16_t>(row));
      (goes_right[codes[row]] != 0 ? right : left).push_back(ids.back());
    }
    std::vector<std::uint16_t> wanted = left;
    wanted.insert(wanted.end(), right.begin(), right.end());
    std::vector<std::uint16_t> spare(ids.size() + kSpareIds);
    CHECK(divide_ids(ids.data(), ids.size(), codes.data(), goes_right.data(), spare.data()) == left.size());
    CHECK(ids == wanted);
  }
}

TEST("rows are divided as by a plain loop") {
  divide_beside_a_plain_loop<std::uint8_t>(17);
  divide_beside_a_plain_loop<std::uint16_t>(18);
  divide_beside_a_plain_loop<std::uint32_t>(19);
}

TEST("the most rows of a code are those of one block") {
  Column column;
  column.kind = ColumnKind::kNumeric;
  column.width = 1;
  column.n_codes = 9;
  column.bytes = {1, 1, 2, 2, 2, 9, 9, 9, 9, 9, 9};
  CHECK(most_rows_per_code(column, 11, 100) == 6);
  CHECK(most_rows_per_code(column, 11, 5) == 5);
  CHECK(most_rows_per_code(column, 11, 4) == 3);
  CHECK(most_rows_per_code(column, 11, 1) == 1);
}

// As many rows as may meet in a cell, all with the largest ticks: nothing spills from one half to the other.
TEST("short cells hold the largest sums") {
  for (const std::size_t rows_per_code :
       {std::size_t{1}, std::size_t{2}, std::size_t{127}, std::size_t{255}}) {
    const auto most = static_cast<std::int32_t>(most_short_ticks(rows_per_code) + 1);  // rounding adds one
    for (const std::int32_t gradient : {most, -most, 0, -1}) {
      ShortCell cells[3] = {0, 0, 0};
      PackedTicks::Cell sums[3] = {5, 0, 7};
      for (std::size_t i = 0; i < rows_per_code; ++i) cells[1] += PackedTicks::store(gradient, most);
      move_short_cells(cells, 3, sums);
      const TickSums found = PackedTicks::sums(sums[1]);
      CHECK(found.gradient == gradient * static_cast<std::int64_t>(rows_per_code));
      CHECK(found.hessian == most * static_cast<std::int64_t>(rows_per_code));
      CHECK(sums[0] == 5 && sums[2] == 7 && cells[1] == 0);
    }
  }
}

TEST("long tails need fine ticks") {
  std::vector<float> gradients(16'000, 1.0F), hessians(16'000, 1.0F);
  GradientSizes even;
  even.add(gradients.data(), hessians.data(), gradients.size());
  CHECK(even.allow_ticks(8, false));
  CHECK(!even.allow_ticks(7, false));
  gradients[7] = -1000.0F;  // one row: the others have an eighth of a tick
  GradientSizes tailed;
  tailed.add(gradients.data(), hessians.data(), gradients.size());
  CHECK(tailed.largest_gradient() == 1000.0);
  CHECK(!tailed.allow_ticks(127, false));
  CHECK(tailed.allow_ticks(16'000, false));
  even.add(tailed);
  CHECK(!even.allow_ticks(127, true));
}

TEST("gradients that are no sizes are refused") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto refuses = [](float gradient, float hessian) {
    std::vector<float> gradients(37, 0.5F), hessians(37, 0.25F);
    gradients[20] = gradient;
    hessians[20] = hessian;
    GradientSizes sizes;
    try {
      sizes.add(gradients.data(), hessians.data(), gradients.size());
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(refuses(kInfinity, 1) && refuses(-kInfinity, 1) && refuses(kNan, 1) && refuses(-kNan, 1));
  CHECK(refuses(1, kInfinity) && refuses(1, -kInfinity) && refuses(1, kNan) && refuses(1, -kNan));
  CHECK(refuses(1, -1e-30F));
  CHECK(!refuses(-3, -0.0F) && !refuses(-0.0F, 0) && !refuses(std::numeric_limits<float>::max(), 1e-40F));
}

}  // namespace

}  // namespace treewright::test
