#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "check.h"
#include "column_case.h"

namespace treewright::test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Checks a candidate against every cut there is.
template <class Case>
void check_best(const Case& made, const Candidate& found) {
  const double best = made.best_threshold_gain();
  CHECK(found.valid() == (best > -kInfinity));
  if (!found.valid()) return;
  CHECK(found.kind == NodeKind::kThreshold);
  CHECK(near(found.gain, best));
  CHECK(near(made.gain_of(found), best));
  CHECK(found.rank == found.gain);
  const std::vector<Code> present = made.present();
  const auto next = std::upper_bound(present.begin(), present.end(), found.cut);
  CHECK(found.next == (next == present.end() ? 0 : *next));
}

template <class Visitor>
void for_each_threshold_case(MissingRule missing, Visitor visit) {
  for_each_criterion([&](auto criterion, auto scanned, unsigned levels) {
    Random random(11);
    for (int round = 0; round < 12; ++round) {
      const double share = round % 3 == 0 ? 0.0 : 0.15 * (round % 4);
      const auto kind = round % 2 == 0 ? ColumnKind::kNumeric : ColumnKind::kOrdinal;
      auto made = random_case(criterion, kind, random, 2 + random.uniform(24), 1 + static_cast<Code>(round),
                              share, levels);
      made.rules.missing = missing;
      if (round % 4 == 3) made.limits.min_rows = 3;
      if (round % 5 == 4) made.limits.min_weight = 2.5;
      visit(made, scanned);
    }
  });
}

template <class Case, class Scanned>
void check_both_ways(Case& made, Scanned) {
  using Scan = typename Scanned::Scan;
  check_best(made, made.template from_rows<Scan>());
  if constexpr (!decltype(made.criterion)::kOrdered) check_best(made, made.template from_table<Scan>());
}

TEST("the best cut equals trying every cut") {
  for_each_threshold_case(MissingRule::kLearned,
                          [](auto& made, auto scanned) { check_both_ways(made, scanned); });
}

TEST("without learned directions missing rows take no part") {
  for (const auto rule : {MissingRule::kMajority, MissingRule::kSurrogate, MissingRule::kFractional}) {
    for_each_threshold_case(rule, [](auto& made, auto scanned) {
      check_both_ways(made, scanned);
      CHECK(!made.template from_rows<typename decltype(scanned)::Scan>().missing_known);
    });
  }
}

ColumnCase<SquaredError<false>> plain_case(std::vector<Code> codes, const std::vector<double>& y) {
  Code most = 0;
  for (const Code code : codes) most = std::max(most, code);
  ColumnCase<SquaredError<false>> made;
  made.column = make_column(ColumnKind::kNumeric, codes, most);
  made.codes = std::move(codes);
  for (const double value : y) made.samples.push_back({value});
  made.limits.tie = 1e-10;
  return made;
}

using Scan = SquaredError<false>::Scan;

TEST("missing rows go where they gain most") {
  const Candidate right = plain_case({1, 2, 0}, {0, 5, 5}).from_rows<Scan>();
  CHECK(right.missing_known && right.missing == 1 && right.cut == 1 && right.next == 2);
  const Candidate left = plain_case({1, 2, 0}, {0, 5, 0}).from_rows<Scan>();
  CHECK(left.missing_known && left.missing == 0 && left.cut == 1 && left.next == 2);
  const Candidate alone = plain_case({1, 2, 0}, {5, 5, 0}).from_rows<Scan>();
  CHECK(alone.missing_known && alone.missing == 1 && alone.cut == 2 && alone.next == 0);
  CHECK(alone.left_value == 5 && alone.right_value == 0 && alone.left_weight == 2);
  const Candidate one_value = plain_case({1, 1, 0}, {5, 5, 0}).from_rows<Scan>();
  CHECK(one_value.valid() && one_value.cut == 1 && one_value.next == 0);
  CHECK(!plain_case({0, 0, 0}, {1, 2, 3}).from_rows<Scan>().valid());
  CHECK(!plain_case({1, 1, 1}, {1, 2, 3}).from_rows<Scan>().valid());
}

TEST("of equal cuts the lowest wins") {
  // Symmetric: cutting off the first or the last row gains the same.
  auto made = plain_case({1, 2, 3, 4, 5, 6}, {9, 0, 0, 0, 0, 9});
  CHECK(made.from_rows<Scan>().cut == 1);
  CHECK(made.from_table<Scan>().cut == 1);
  // A later cut that is better by less than the tolerance does not count; by more, it does.
  made = plain_case({1, 2, 3}, {1, 0, -1 - 1e-6});
  made.limits.tie = 1e-3;
  CHECK(made.from_rows<Scan>().cut == 1);
  made.limits.tie = 1e-9;
  CHECK(made.from_rows<Scan>().cut == 2);
  // Missing rows: right before left before alone.
  made = plain_case({1, 2, 0}, {0, 2, 1});
  const Candidate found = made.from_rows<Scan>();
  CHECK(found.cut == 1 && found.missing == 1);
}

TEST("values closer than the gap are one value") {
  auto made = plain_case({1, 2, 3}, {0, 9, 9});
  made.column = make_column(ColumnKind::kNumeric, made.codes, 3, {1.0, 1.0 + 1e-6, 2.0});
  CHECK(made.from_rows<Scan>().cut == 1);
  made.rules.min_value_gap = 1e-5;
  CHECK(made.from_rows<Scan>().cut == 2);
  CHECK(made.from_table<Scan>().cut == 2);
  for (const std::vector<Code>& codes : {std::vector<Code>{1, 2, 2, 2}, std::vector<Code>{1, 1, 1, 2}}) {
    auto pair = plain_case(codes, {0, 9, 3, 4});
    pair.column = make_column(ColumnKind::kNumeric, pair.codes, 2, {1.0, 1.0 + 1e-6});
    CHECK(pair.from_rows<Scan>().valid() && pair.from_table<Scan>().valid());
    pair.rules.min_value_gap = 1e-5;
    CHECK(!pair.from_rows<Scan>().valid() && !pair.from_table<Scan>().valid());
  }
}

TEST("a cut pays for the cuts that were tried") {
  auto made = plain_case({1, 2, 3, 4, 5}, {0, 0, 9, 9, 9});
  const double gain = made.from_rows<Scan>().gain;
  made.rules.cut_penalty = true;
  CHECK(near(made.from_rows<Scan>().gain, gain - 2));  // log2 of four cuts
  CHECK(near(made.from_table<Scan>().gain, gain - 2));
  for (auto& sample : made.samples) sample.y /= 100;
  CHECK(!made.from_rows<Scan>().valid());
}

TEST("the smallest side of a cut follows the declared classes") {
  std::vector<Code> codes;
  std::vector<double> y;
  for (Code code = 1; code <= 100; ++code) {
    codes.push_back(code);
    y.push_back(code == 1 ? 100 : 0);
  }
  auto made = plain_case(codes, y);
  CHECK(made.from_rows<Scan>().cut == 1);
  made.rules.declared_classes = 2;
  made.rules.min_branch_weight = 2;
  CHECK(made.from_rows<Scan>().cut == 5);  // 0.1 · 100 / 2
  made.rules.declared_classes = 100;
  CHECK(made.from_rows<Scan>().cut == 2);
}

TEST("a monotone direction forbids the other one") {
  auto made = plain_case({1, 2, 3, 4}, {9, 0, 1, 2});
  made.limits.bounded = true;
  CHECK(made.from_rows<Scan>().cut == 1);
  made.limits.monotone = -1;
  CHECK(made.from_rows<Scan>().cut == 1);
  made.limits.monotone = 1;
  CHECK(!made.from_rows<Scan>().valid());
  for (auto& sample : made.samples) sample.y = -sample.y;
  CHECK(made.from_rows<Scan>().cut == 1);
  made.limits.bounds.upper = -1;  // the right side's mean
  CHECK(made.from_rows<Scan>().valid());
  made.limits.bounds.upper = -2.5;
  CHECK(!made.from_rows<Scan>().valid());
}

// Half of the rows weigh nothing compared to the others: no cut may divide by the difference of two equal
// sums.
TEST("a side that vanishes in the sum is no candidate") {
  for_each_bucket_criterion([](auto criterion, auto scanned, unsigned levels) {
    if constexpr (decltype(criterion)::Target::kIsWeighted) {
      Random random(21);
      for (int round = 0; round < 30; ++round) {
        auto made = random_case(criterion, ColumnKind::kNumeric, random, 40, 40, 0.1 * (round % 3), levels);
        for (std::size_t i = 0; i < made.samples.size(); ++i) {
          if (round % 2 == 1) made.codes[i] = made.codes[i] > 30 ? 2 : 1;
          const bool light = made.codes[i] > 30 || made.codes[i] == 2;
          made.samples[i].amount = light ? 1.0 : 1e20 * (1.0 + random.uniform01());
        }
        const double loss = made.summary().loss;
        for (const Candidate& found : {made.template from_rows<typename decltype(scanned)::Scan>(),
                                       made.template from_table<typename decltype(scanned)::Scan>()}) {
          CHECK(!found.valid() || found.gain <= loss * 1.000001);
        }
      }
    }
  });
}

}  // namespace

}  // namespace treewright::test
