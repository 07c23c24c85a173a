#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "criterion/newton.h"
#include "split_data.h"
#include "tests.h"

namespace treewright::test {

namespace {

void a_pair_gives_back_both_of_its_halves() {
  for (const std::int64_t gradient : {-2147483647LL, -1LL, 0LL, 1LL, 2147483647LL}) {
    for (const std::int64_t hessian : {0LL, 1LL, 2147483647LL}) {
      const GradientPair::Cell cell = GradientPair::pack(gradient, hessian);
      CHECK(GradientPair::gradient_steps(cell) == gradient);
      CHECK(GradientPair::hessian_steps(cell) == hessian);
    }
  }
}

void sums_of_pairs_are_exact_in_any_order() {
  Random random(1);
  GradientPair::Cell sum = 0, rest = 0;
  std::int64_t gradient = 0, hessian = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto g = static_cast<std::int64_t>(random.uniform(131'073)) - 65'536;
    const auto h = static_cast<std::int64_t>(random.uniform(65'537));
    sum += GradientPair::pack(g, h);
    if (i % 3 != 0) continue;
    rest += GradientPair::pack(g, h);
    gradient += g;
    hessian += h;
  }
  const GradientPair::Cell sibling = sum - rest;
  CHECK(GradientPair::gradient_steps(sum - sibling) == gradient);
  CHECK(GradientPair::hessian_steps(sum - sibling) == hessian);
}

void the_units_leave_room_for_all_rows() {
  for (const std::size_t n : {1U, 1000U, 100'000U}) {
    const std::vector<double> gradients(n, -3.5), hessians(n, 0.25);
    const GradientPair target = GradientPair::fitting(gradients, hessians);
    GradientPair::Cell sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += target.sample(gradients[i], hessians[i]).pair;
    CHECK(near(target.gradient(sum), -3.5 * static_cast<double>(n)));
    CHECK(near(target.hessian(sum), 0.25 * static_cast<double>(n)));
  }
  const std::vector<double> zero(3, 0.0);
  const GradientPair target = GradientPair::fitting(zero, zero);
  CHECK(target.sample(0, 0).pair == 0);
}

void numbers_without_a_meaning_are_refused() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> ones{1, 1};
  const auto refused = [&](std::vector<double> gradients, std::vector<double> hessians) {
    return throws<std::invalid_argument>([&] { GradientPair::fitting(gradients, hessians); });
  };
  CHECK(refused({1, kInf}, ones));
  CHECK(refused({1, kNan}, ones));
  CHECK(refused({kNan, 1}, ones));
  CHECK(refused(ones, {1, -1}));
  CHECK(refused(ones, {1, kNan}));
  CHECK(refused(ones, {kInf, 1}));
}

void the_newton_gain_equals_its_formula() {
  Random random(2);
  const Newton criterion{GradientPair{1.0, 1.0}, 0.5};
  std::vector<Newton::Sample> rows(30);
  for (auto& row : rows) {
    row = criterion.target.sample(static_cast<double>(random.uniform(21)) - 10,
                                  static_cast<double>(1 + random.uniform(4)));
  }
  const auto half = [&](std::size_t begin, std::size_t end, double* value) {
    double g = 0, h = 0;
    for (std::size_t i = begin; i < end; ++i) {
      g += static_cast<double>(GradientPair::gradient_steps(rows[i].pair));
      h += static_cast<double>(GradientPair::hessian_steps(rows[i].pair));
    }
    *value = -g / (h + 0.5);
    return 0.5 * g * g / (h + 0.5);
  };
  const Summary summary = criterion.summarise(rows.data(), rows.size());
  double value = 0, expected = 0, left_value = 0, right_value = 0;
  const double all = half(0, rows.size(), &expected);
  criterion.value(summary, &value);
  CHECK(near(value, expected));
  CHECK(near(summary.loss, -all));
  Newton::ScanBuffer buffer;
  Newton::Scan scan(criterion, summary.totals.data(), summary.weight, buffer);
  for (std::size_t cut = 1; cut < rows.size(); ++cut) {
    scan.move(rows[cut - 1]);
    const double gain = half(0, cut, &left_value) + half(cut, rows.size(), &right_value) - all;
    CHECK(near(scan.gain(), gain));
    CHECK(near(scan.left_value(), left_value));
    CHECK(near(scan.right_value(), right_value));
  }
}

}  // namespace

std::vector<Test> criterion_newton_tests() {
  return {
      {"a pair gives back both of its halves", a_pair_gives_back_both_of_its_halves},
      {"sums of pairs are exact in any order", sums_of_pairs_are_exact_in_any_order},
      {"the units leave room for all rows", the_units_leave_room_for_all_rows},
      {"numbers without a meaning are refused", numbers_without_a_meaning_are_refused},
      {"the Newton gain equals its formula", the_newton_gain_equals_its_formula},
  };
}

}  // namespace treewright::test
