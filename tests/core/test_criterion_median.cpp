#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "criterion/absolute_error.h"
#include "split_data.h"

namespace treewright::test {

namespace {

using Pairs = std::vector<std::pair<double, double>>;  // value, weight

// Both medians from their definition: the values at which half of the weight is reached and passed.
std::pair<double, double> medians_by_sorting(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  double total = 0, below = 0;
  for (const auto& [value, weight] : pairs) total += weight;
  double lower = pairs.back().first, upper = pairs.back().first;
  bool reached = false;
  for (const auto& [value, weight] : pairs) {
    below += weight;
    if (!reached && below >= total / 2) {
      lower = value;
      reached = true;
    }
    if (below > total / 2) {
      upper = value;
      break;
    }
  }
  return {lower, upper};
}

// Weights are multiples of 1/4, so that sums are exact and half the weight is met often.
TEST("a median tree equals sorting") {
  Random random(1);
  for (const std::size_t n_ranks : {1U, 2U, 3U, 8U, 31U}) {
    MedianTree tree;
    tree.reset(n_ranks);
    Pairs inside;
    const auto value_of = [](std::size_t rank) { return 3.0 * static_cast<double>(rank) - 20.0; };
    for (int step = 0; step < 400; ++step) {
      if (inside.size() > 1 && random.uniform(3) == 0) {
        const std::size_t i = random.uniform(inside.size());
        const auto [value, weight] = inside[i];
        inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(i));
        tree.add(static_cast<std::size_t>((value + 20.0) / 3.0), -weight, -weight * value);
      } else {
        const std::size_t rank = random.uniform(n_ranks);
        const double weight = 0.25 * static_cast<double>(1 + random.uniform(8));
        inside.emplace_back(value_of(rank), weight);
        tree.add(rank, weight, weight * value_of(rank));
      }
      const auto [lower, upper] = medians_by_sorting(inside);
      CHECK(value_of(tree.median().rank) == lower);
      CHECK(value_of(tree.upper_median().rank) == upper);
      double deviation = 0, total = 0;
      for (const auto& [value, weight] : inside) {
        deviation += weight * std::abs(value - lower);
        total += weight;
      }
      CHECK(near(tree.deviation(tree.median(), lower), deviation));
      CHECK(tree.weight() == total);
    }
  }
}

double median_of(const std::vector<std::pair<double, double>>& rows) {
  const AbsoluteError criterion;
  std::vector<RankedValue::Sample> samples;
  for (const auto& [y, weight] : rows) {
    std::uint32_t below = 0;
    for (const auto& other : rows) below += other.first < y;
    samples.push_back({y, weight, below});
  }
  double value = 0;
  criterion.value(criterion.summarise(samples.data(), samples.size()), &value);
  return value;
}

TEST("the value of a leaf is the middle of both medians") {
  CHECK(median_of({{1, 1}, {9, 1}}) == 5);
  CHECK(median_of({{9, 1}, {1, 1}, {2, 1}}) == 2);
  CHECK(median_of({{1, 1}, {9, 3}}) == 9);
  CHECK(median_of({{1, 2}, {3, 1}, {9, 1}}) == 2);
  CHECK(median_of({{1, 0.1}, {3, 0.2}, {9, 0.3}}) == 6);  // 0.1 + 0.2 is not 0.3 in binary, but means it
  CHECK(median_of({{-1e308, 1}, {-1.5e308, 1}}) == -1.25e308);
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    Pairs rows(1 + random.uniform(9));
    for (auto& [y, weight] : rows) {
      y = static_cast<double>(random.uniform(5));
      weight = 0.25 * static_cast<double>(1 + random.uniform(8));
    }
    const auto [lower, upper] = medians_by_sorting(rows);
    CHECK(median_of(rows) == lower / 2 + upper / 2);
  }
}

TEST("ranks follow the values of the node") {
  const AbsoluteError criterion;
  std::vector<RankedValue::Sample> rows{{5, 1, 9}, {-2, 1, 3}, {5, 1, 9}, {0, 1, 4}};
  const Summary summary = criterion.summarise(rows.data(), rows.size());
  CHECK(summary.totals[3] == 3);
  CHECK(rows[0].rank == 2 && rows[1].rank == 0 && rows[2].rank == 2 && rows[3].rank == 1);
  CHECK(criterion.summarise(rows.data(), 0).pure);
}

}  // namespace

}  // namespace treewright::test
