#include <numeric>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "data/quantile_bins.h"

namespace treewright::test {

namespace {

using Counts = std::vector<std::uint32_t>;

TEST("quantile bins: few values keep their own") {
  CHECK(quantile_bins({}, 5).empty());
  CHECK((quantile_bins({4, 1, 9}, 3) == Counts{0, 1, 2}));
  CHECK((quantile_bins({4, 1, 9}, 255) == Counts{0, 1, 2}));
}

TEST("quantile bins: equal counts are shared out evenly") {
  CHECK((quantile_bins(Counts(12, 5), 4) == Counts{0, 3, 6, 9}));
  CHECK((quantile_bins(Counts(1000, 1), 2) == Counts{0, 500}));
}

TEST("quantile bins: a frequent value does not shorten the others") {
  Counts counts(101, 1);
  counts[50] = 10'000;
  const Counts begins = quantile_bins(counts, 11);
  CHECK(begins.size() == 11);
  Counts sizes;
  for (std::size_t bin = 0; bin < begins.size(); ++bin) {
    const std::size_t end = bin + 1 < begins.size() ? begins[bin + 1] : counts.size();
    sizes.push_back(static_cast<std::uint32_t>(end - begins[bin]));
  }
  CHECK(sizes.back() <= 10);  // those after the frequent value are cut finely
}

TEST("quantile bins: all are used and ascend") {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    Counts counts(1 + random.uniform(40));
    for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(1 + random.uniform(50));
    const std::size_t max_bins = 1 + random.uniform(30);
    const Counts begins = quantile_bins(counts, max_bins);
    CHECK(begins.size() == std::min(max_bins, counts.size()));
    CHECK(begins[0] == 0);
    for (std::size_t bin = 1; bin < begins.size(); ++bin) CHECK(begins[bin - 1] < begins[bin]);
    CHECK(begins.back() < counts.size());
  }
}

}  // namespace

}  // namespace treewright::test
