// What forests do about columns of many categories: rare ones are one, and the test pays for their number.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "check.h"
#include "column_case.h"
#include "forest/random_subset.h"

namespace treewright::test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A few frequent categories and many that have a row or two.
template <class Criterion>
ColumnCase<Criterion> skewed_case(const Criterion& criterion, Random& random, double missing,
                                  unsigned levels) {
  auto made = random_case(criterion, ColumnKind::kNominal, random, 60, 5, missing, levels);
  for (std::size_t i = 0; i < made.codes.size(); ++i) {
    if (random.uniform(4) == 0) made.codes[i] = 6 + static_cast<Code>(random.uniform(20));
  }
  made.column = make_column(ColumnKind::kNominal, made.codes, 25);
  return made;
}

std::vector<Code> rare_codes(const std::vector<Code>& codes, std::size_t min_rows) {
  std::vector<Code> rare;
  for (Code code = 1; code <= 25; ++code) {
    const auto n = std::count(codes.begin(), codes.end(), code);
    if (n > 0 && static_cast<std::size_t>(n) < min_rows) rare.push_back(code);
  }
  return rare;
}

// The same rows with the rare categories written as one.
template <class Case>
Case with_one_rare_code(Case made, const std::vector<Code>& rare) {
  for (Code& code : made.codes) {
    if (std::binary_search(rare.begin(), rare.end(), code)) code = rare.front();
  }
  made.column = make_column(ColumnKind::kNominal, made.codes, 25);
  made.rules.min_category_rows = 1;
  return made;
}

TEST("rare categories are searched as if they were one") {
  for (const auto rule : {MissingRule::kLearned, MissingRule::kMajority}) {
    for_each_criterion([&](auto criterion, auto scanned, unsigned levels) {
      using Scan = typename decltype(scanned)::Scan;
      if constexpr (!decltype(criterion)::kOrdered) {
        Random random(11);
        for (int round = 0; round < 6; ++round) {
          auto made = skewed_case(criterion, random, round % 2 == 0 ? 0.0 : 0.2, levels);
          made.rules.missing = rule;
          made.rules.min_category_rows = 4;
          const std::vector<Code> rare = rare_codes(made.codes, 4);
          CHECK(rare.size() > 2 && made.present().size() > kFewCategories);
          const double best = with_one_rare_code(made, rare).best_subset_gain();
          for (const Candidate& found : {made.template from_rows<Scan>(), made.template from_table<Scan>()}) {
            CHECK(found.valid() == (best > -kInfinity));
            if (!found.valid()) continue;
            CHECK(std::is_sorted(found.right.begin(), found.right.end()));
            CHECK(near(made.gain_of(found), found.gain));
            CHECK(near(found.gain, best));
            const auto right = std::count_if(rare.begin(), rare.end(), [&](Code code) {
              return std::binary_search(found.right.begin(), found.right.end(), code);
            });
            CHECK(right == 0 || right == static_cast<std::ptrdiff_t>(rare.size()));
          }
        }
      }
    });
  }
}

TEST("few categories stay apart") {
  const SquaredError<false> criterion{};
  Random random(12);
  auto made = random_case(criterion, ColumnKind::kNominal, random, 20, 8, 0.0, 5);
  const Candidate plain = made.from_rows<SquaredError<false>::Scan>();
  made.rules.min_category_rows = 10;
  const Candidate found = made.from_rows<SquaredError<false>::Scan>();
  CHECK(found.right == plain.right && found.gain == plain.gain);
}

TEST("rare categories alone offer no test") {
  ColumnCase<SquaredError<false>> made;
  for (Code code = 1; code <= 12; ++code) {
    made.codes.push_back(code);
    made.samples.push_back({static_cast<double>(code)});
  }
  made.column = make_column(ColumnKind::kNominal, made.codes, 12);
  CHECK(made.from_rows<SquaredError<false>::Scan>().valid());
  made.rules.min_category_rows = 2;
  CHECK(!made.from_rows<SquaredError<false>::Scan>().valid());
  CHECK(!made.from_table<SquaredError<false>::Scan>().valid());
}

TEST("a test pays for its categories but gains the same") {
  for_each_criterion([&](auto criterion, auto scanned, unsigned levels) {
    using Scan = typename decltype(scanned)::Scan;
    Random random(13);
    for (const Code n_codes : {3, 5, 6, 11}) {
      auto made = random_case(criterion, ColumnKind::kNominal, random, 50, n_codes, 0.0, levels);
      const Candidate plain = made.template from_rows<Scan>();
      made.rules.category_price = 0.5;
      const Candidate found = made.template from_rows<Scan>();
      CHECK(found.right == plain.right && found.gain == plain.gain && plain.rank == plain.gain);
      const auto present = static_cast<double>(made.present().size());
      const double paid = present > 5 ? 0.5 * (present - 5) * made.summary().loss / 50 : 0;
      CHECK(near(found.rank, found.gain - paid));
    }
  });
}

// The gain that chance gives: what the price is meant to take back.
TEST("the price is about what chance gains with more categories") {
  const SquaredError<false> criterion{};
  Random random(14);
  const auto mean_gain = [&](Code n_codes) {
    double sum = 0;
    for (int round = 0; round < 200; ++round) {
      auto made = random_case(criterion, ColumnKind::kNominal, random, 400, n_codes, 0.0, 1000);
      sum += made.from_table<SquaredError<false>::Scan>().gain / made.summary().loss * 400 / 200;
    }
    return sum;  // in units of loss / rows
  };
  // Along the best order of means that are mere noise a cut explains 2/π of their spread.
  const double per_category = (mean_gain(45) - mean_gain(5)) / 40;
  CHECK(per_category > 0.5 && per_category < 0.8);
}

// --- random tests
// ----------------------------------------------------------------------------------------------------------

// Three categories whose means are 0, 1 and 10.
struct RandomSubsetCase {
  SquaredError<false> criterion{};
  Dataset data;
  std::vector<RowId> rows;
  std::vector<WeightedMean<false>::Sample> samples;
  OpenNode<WeightedMean<false>::Sample> node;

  explicit RandomSubsetCase(const std::vector<double>& means) {
    std::vector<Code> codes;
    for (std::size_t i = 0; i < 12 * means.size(); ++i) {
      const std::size_t category = i % means.size();
      codes.push_back(static_cast<Code>(category + 1));
      samples.push_back({means[category]});
      rows.push_back(static_cast<RowId>(i));
    }
    data.n_rows = rows.size();
    data.columns.push_back(make_column(ColumnKind::kNominal, codes, static_cast<Code>(means.size())));
    node.rows = rows.data();
    node.samples = samples.data();
    node.size = rows.size();
    node.summary = criterion.summarise(samples.data(), samples.size());
  }
};

TEST("categories are cut uniformly between their means") {
  RandomSubsetCase made({1, 0, 10});
  const SplitRules rules;
  RandomSubset<SquaredError<false>, SquaredError<false>::Scan> subset(made.data, made.criterion, rules);
  Random random(15);
  int alone = 0;
  for (int round = 0; round < 2000; ++round) {
    CHECK(subset.read(made.data.columns[0], made.node));
    Candidate test;
    subset.draw(made.node, random, test);
    const bool high_alone = test.right == std::vector<Code>{3};
    CHECK(high_alone || (test.right == std::vector<Code>{1, 3}));
    alone += high_alone;
    const std::vector<double>& left = subset.left(false);
    CHECK(near(left[0], high_alone ? 12 : 0) && near(left[1], high_alone ? 24 : 12));
  }
  CHECK(alone > 1740 && alone < 1860);  // nine tenths
}

TEST("categories with equal means are divided in every way") {
  RandomSubsetCase made({2, 2, 2});
  const SplitRules rules;
  RandomSubset<SquaredError<false>, SquaredError<false>::Scan> subset(made.data, made.criterion, rules);
  Random random(16);
  std::vector<int> seen(8, 0);
  for (int round = 0; round < 3000; ++round) {
    subset.read(made.data.columns[0], made.node);
    Candidate test;
    subset.draw(made.node, random, test);
    std::size_t mask = 0;
    for (const Code code : test.right) mask |= std::size_t{1} << (code - 1);
    ++seen[mask];
  }
  CHECK(seen[0] == 0 && seen[7] == 0);
  for (std::size_t mask = 1; mask < 7; ++mask) CHECK(seen[mask] > 400 && seen[mask] < 600);
}

}  // namespace

}  // namespace treewright::test
