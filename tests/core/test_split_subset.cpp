#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "check.h"
#include "column_case.h"

namespace treewright::test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A pass along one order is exact for two classes and for means; for medians and Poisson's zero rates it is a
// guess, as it is for many classes beyond the number of categories for which every subset is tried.
template <class Criterion>
constexpr bool is_exact(const Criterion&) {
  return !Criterion::kOrdered;
}

template <class Case>
void check_best(const Case& made, const Candidate& found, bool exact) {
  const double best = made.best_subset_gain();
  if (exact) CHECK(found.valid() == (best > -kInfinity));
  if (!found.valid()) return;
  CHECK(found.kind == NodeKind::kSubset);
  CHECK(std::is_sorted(found.right.begin(), found.right.end()));
  CHECK(near(made.gain_of(found), found.gain));
  if (exact) CHECK(near(found.gain, best));
}

TEST("the best subset equals trying every subset") {
  for (const auto rule : {MissingRule::kLearned, MissingRule::kMajority}) {
    for_each_criterion([&](auto criterion, auto scanned, unsigned levels) {
      using Scan = typename decltype(scanned)::Scan;
      Random random(5);
      for (int round = 0; round < 8; ++round) {
        const double share = round % 2 == 0 ? 0.0 : 0.2;
        auto made = random_case(criterion, ColumnKind::kNominal, random, 4 + random.uniform(26),
                                1 + static_cast<Code>(round), share, levels);
        made.rules.missing = rule;
        check_best(made, made.template from_rows<Scan>(), is_exact(criterion));
        if constexpr (!decltype(criterion)::kOrdered)
          check_best(made, made.template from_table<Scan>(), true);
      }
    });
  }
}

TEST("many categories of many classes come close to the best subset") {
  const Gini<false> criterion{{4}};
  Random random(6);
  double found = 0, best = 0;
  for (int round = 0; round < 10; ++round) {
    auto made = random_case(criterion, ColumnKind::kNominal, random, 60, 11, 0.0, 4);
    const Candidate candidate = made.from_rows<Gini<false>::ManyClassScan>();
    CHECK(made.present().size() > kExhaustiveCategories);
    CHECK(near(made.gain_of(candidate), candidate.gain));
    found += candidate.gain;
    best += made.best_subset_gain();
  }
  CHECK(found <= best * (1 + 1e-12));
  CHECK(found > 0.9 * best);
}

TEST("limits hold for subsets") {
  const Gini<true> criterion{{2}};
  Random random(8);
  for (int round = 0; round < 20; ++round) {
    auto made = random_case(criterion, ColumnKind::kNominal, random, 12, 5, 0.2, 2);
    made.limits.min_rows = 4;
    made.limits.min_weight = 3;
    const Candidate found = made.from_rows<Gini<true>::TwoClassScan>();
    // Subsets along the order only: a limit can forbid the best of them.
    if (found.valid()) CHECK(near(made.gain_of(found), found.gain));
  }
}

TEST("equal categories keep the order of their codes") {
  ColumnCase<SquaredError<false>> made;
  made.codes = {4, 3, 2, 1};
  made.column = make_column(ColumnKind::kNominal, made.codes, 4);
  made.samples = {{1.0}, {1.0}, {0.0}, {0.0}};
  const Candidate found = made.from_rows<SquaredError<false>::Scan>();
  CHECK((found.right == std::vector<Code>{3, 4}));
  made.samples = {{0.0}, {9.0}, {9.0}, {9.0}};
  CHECK((made.from_table<SquaredError<false>::Scan>().right == std::vector<Code>{1, 2, 3}));
}

TEST("one category and missing rows make a test") {
  ColumnCase<SquaredError<false>> made;
  made.codes = {2, 2, 0};
  made.column = make_column(ColumnKind::kNominal, made.codes, 3);
  made.samples = {{5.0}, {5.0}, {1.0}};
  for (const Candidate& found :
       {made.from_rows<SquaredError<false>::Scan>(), made.from_table<SquaredError<false>::Scan>()}) {
    CHECK(found.kind == NodeKind::kSubset && found.right.empty() && found.missing_known &&
          found.missing == 1);
  }
}

// --- one branch per category
// -------------------------------------------------------------------------------------------

template <class Criterion>
double multiway_gain(const ColumnCase<Criterion>& made, bool with_missing) {
  std::vector<typename Criterion::Sample> all;
  double after = 0;
  for (Code code = with_missing ? 0 : 1; code <= made.column.n_codes; ++code) {
    std::vector<typename Criterion::Sample> branch;
    for (std::size_t i = 0; i < made.codes.size(); ++i) {
      if (made.codes[i] == code) branch.push_back(made.samples[i]);
    }
    all.insert(all.end(), branch.begin(), branch.end());
    after += loss_of(made.criterion, branch);
  }
  return loss_of(made.criterion, all) - after;
}

double bits_of_sizes(std::vector<double> weights) {
  double total = 0, bits = 0;
  for (const double weight : weights) total += weight;
  for (const double weight : weights) bits -= weight > 0 ? weight * std::log2(weight / total) : 0;
  return bits;
}

TEST("a multiway split gains what its branches gain") {
  const Entropy<true> criterion{{3}, PhiTable(0)};
  using Scan = Entropy<true>::Scan;
  Random random(9);
  for (const auto rule : {MissingRule::kOwnBranch, MissingRule::kFractional}) {
    for (int round = 0; round < 20; ++round) {
      auto made = random_case(criterion, ColumnKind::kNominal, random, 20, 4, 0.1 * (round % 3), 3);
      made.rules.categories = CategoryGrouping::kMultiway;
      made.rules.missing = rule;
      made.rules.ranking = Ranking::kGainRatio;
      std::vector<double> weights(5, 0.0);
      for (std::size_t i = 0; i < made.codes.size(); ++i) weights[made.codes[i]] += made.samples[i].amount;
      for (const Candidate& found : {made.from_rows<Scan>(), made.from_table<Scan>()}) {
        CHECK(found.kind == NodeKind::kMultiway);
        CHECK(near(found.gain, multiway_gain(made, rule == MissingRule::kOwnBranch)));
        CHECK(near(found.split_info, bits_of_sizes(weights)));
        CHECK(near(found.rank, found.gain / found.split_info));
      }
    }
  }
}

TEST("a multiway split needs two large branches") {
  ColumnCase<Entropy<false>> made{
      Entropy<false>{{2}, PhiTable(8)}, {}, {1, 1, 2, 3}, {{0}, {0}, {1}, {1}}, {}, {}};
  made.column = make_column(ColumnKind::kNominal, made.codes, 3);
  made.rules.categories = CategoryGrouping::kMultiway;
  CHECK(made.from_rows<Entropy<false>::Scan>().valid());
  made.rules.min_branch_weight = 2;
  CHECK(!made.from_rows<Entropy<false>::Scan>().valid());
  made.codes = {1, 1, 1, 1};
  made.rules.min_branch_weight = 0;
  CHECK(!made.from_rows<Entropy<false>::Scan>().valid());
}

}  // namespace

}  // namespace treewright::test
