// Information in single precision: near the double-precision value, rounded where the program rounds.
#include <cmath>
#include <vector>

#include "check.h"
#include "criterion/single_precision.h"

namespace treewright::test {

namespace {

TEST("information is that of the formula up to rounding") {
  SingleInfo info;
  info.add(9);
  info.add(0);
  info.add(5);
  const double exact = 14 * std::log2(14.0) - 9 * std::log2(9.0) - 5 * std::log2(5.0);
  CHECK(std::abs(info.total() - exact) < 1e-5);
  CHECK(SingleInfo{}.total() == 0);
}

TEST("a sum is rounded after every amount") {
  // 2^24 + 1 has no single-precision number: the second amount is lost in the total.
  SingleInfo info;
  info.add(16777216);
  info.add(1);
  CHECK(info.total() == 0);
}

TEST("a scan in single precision agrees with the one in double precision") {
  const std::vector<double> totals{7, 0, 6, 3};
  const Entropy<false> criterion{{4}, PhiTable(20), nullptr};
  Entropy<false>::ScanBuffer single_buffer, double_buffer;
  SingleScan<false> single(criterion, totals.data(), 16, single_buffer);
  Entropy<false>::Scan exact(criterion, totals.data(), 16, double_buffer);
  const double before = Entropy<false>::loss(totals.data(), 4, 16);
  CHECK(std::abs(single.info_before() - before) < 1e-5);
  for (const std::uint16_t label : {std::uint16_t{0}, std::uint16_t{2}, std::uint16_t{0}, std::uint16_t{3}}) {
    single.move({label});
    exact.move({label});
    CHECK(std::abs(before - single.info_after() - exact.gain()) < 1e-5);
  }
  CHECK(single.left_weight() == 4);
}

}  // namespace

}  // namespace treewright::test
