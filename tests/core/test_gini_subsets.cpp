// All subsets of a few categories at once: the same numbers as one scan each, and a search that leaves out
// only what nobody asks for.
#include <cstddef>
#include <limits>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "column_case.h"
#include "criterion/gini.h"
#include "criterion/gini_subsets.h"

namespace treewright::test {

namespace {

TEST("the gains of all subsets are those of a scan each, to the last bit") {
  Random random(23);
  for (int turn = 0; turn < 100; ++turn) {
    const std::size_t n = 2 + random.uniform(7);
    const int classes = 3 + static_cast<int>(random.uniform(5));
    const Gini<false, CountedClasses> criterion{{classes}};
    std::vector<std::vector<CountedClasses::Cell>> cells(n);
    std::vector<double> totals(static_cast<std::size_t>(classes), 0.0);
    double weight = 0, squares = 0;
    for (auto& own : cells) {
      for (double& total : totals) {
        own.push_back(random.uniform(turn % 2 == 0 ? 4 : 100000) + 1);
        total += static_cast<double>(own.back());
      }
    }
    for (const double total : totals) {
      weight += total;
      squares += total * total;
    }
    SubsetGains gains;
    gains.start(n, weight, squares);
    std::vector<double> counts(n);
    for (std::size_t k = 0; k < totals.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) counts[i] = static_cast<double>(cells[i][k]);
      gains.add_class(counts.data(), totals[k]);
    }
    gains.finish();
    CHECK(gains.n_subsets() == std::size_t{1} << (n - 1));
    double highest = 0;
    for (std::size_t subset = 1; subset < gains.n_subsets(); ++subset) {
      Gini<false, CountedClasses>::ScanBuffer buffer;
      Gini<false, CountedClasses>::ManyClassScan scan(criterion, totals.data(), weight, buffer);
      for (std::size_t i = 0; i < n; ++i) {
        if ((subset >> i & 1U) != 0) scan.move_bucket(cells[i].data());
      }
      CHECK(gains.weight(subset) == scan.left_weight());
      CHECK(gains.gain(subset) == scan.gain());
      const double other = random.uniform01() * scan.gain() * 2;
      CHECK(gains.exceeds(subset, other) == scan.exceeds(other));
      highest = std::max(highest, scan.gain());
    }
    CHECK(gains.any_exceeds(highest * 0.999) || highest == 0);
    CHECK(!gains.any_exceeds(highest + 1e-6 * weight));
  }
}

template <class Criterion, class Scan>
void check_to_beat(const Criterion& criterion, unsigned levels) {
  Random random(29);
  for (int round = 0; round < 60; ++round) {
    const double share = round % 3 == 0 ? 0.2 : 0.0;
    auto made = random_case(criterion, ColumnKind::kNominal, random, 60, 2 + static_cast<Code>(round % 20),
                            share, levels);
    made.rules.category_price = round % 2;
    made.rules.min_category_rows = round % 4 == 0 ? 5 : 1;
    made.limits.to_beat = -std::numeric_limits<double>::infinity();
    const Candidate free = made.template from_rows<Scan>();
    if (!free.valid()) continue;
    made.limits.to_beat = free.rank - 1e-6;
    const Candidate same = made.template from_rows<Scan>();
    CHECK(same.valid() && same.gain == free.gain && same.right == free.right && same.missing == free.missing);
    made.limits.to_beat = free.rank + 1e-6;
    const Candidate none = made.template from_rows<Scan>();
    CHECK(!none.valid() || !(none.rank > made.limits.to_beat));
  }
}

TEST("a search that must beat another column finds the same test or none that does") {
  check_to_beat<Gini<false>, Gini<false>::ManyClassScan>(Gini<false>{{4}}, 4);
  check_to_beat<Gini<true>, Gini<true>::ManyClassScan>(Gini<true>{{3}}, 3);
  check_to_beat<Gini<false>, Gini<false>::TwoClassScan>(Gini<false>{{2}}, 2);
  check_to_beat<SquaredError<true>, SquaredError<true>::Scan>({}, 9);
}

}  // namespace

}  // namespace treewright::test
