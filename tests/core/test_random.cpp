#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/bitset.h"
#include "base/random.h"
#include "check.h"

namespace treewright::test {

namespace {

TEST("random: a seed gives the same numbers everywhere") {
  static_assert(mix_bits(0x9E3779B97F4A7C15U) == 0xE220A8397B1DCDAFU);  // first output of SplitMix64(0)
  Random a(7), b(7), c(8);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = a.next();
    CHECK(number == b.next());
    CHECK(number != c.next());
  }
}

TEST("random: split streams differ") {
  const Random parent(1);
  std::set<std::uint64_t> firsts;
  for (std::uint64_t key = 0; key < 10'000; ++key) firsts.insert(parent.split(key).next());
  CHECK(firsts.size() == 10'000);
  CHECK(parent.split(3).next() == parent.split(3).next());
  CHECK(parent.split(3).split(4).next() != parent.split(4).split(3).next());
}

TEST("random: bounded numbers are uniform") {
  Random random(3);
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 37U}) {
    std::vector<int> counts(n, 0);
    constexpr int kDraws = 100'000;
    for (int i = 0; i < kDraws; ++i) ++counts.at(random.uniform(n));
    const double expected = kDraws / static_cast<double>(n);
    double chi_square = 0;
    for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    CHECK(chi_square < static_cast<double>(n) + 6 * std::sqrt(2.0 * static_cast<double>(n)) + 10);
  }
  const std::uint64_t huge = (std::uint64_t{1} << 63) + 1;  // a modulus would favour the lower half
  int upper = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t number = random.uniform(huge);
    CHECK(number < huge);
    upper += number > huge / 2;
  }
  CHECK(upper > 4700 && upper < 5300);
}

TEST("random: unit numbers fill the unit interval") {
  Random random(4);
  double sum = 0, smallest = 1, largest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double number = random.uniform01();
    sum += number;
    smallest = std::min(smallest, number);
    largest = std::max(largest, number);
  }
  CHECK(smallest >= 0 && smallest < 0.001 && largest < 1 && largest > 0.999);
  CHECK(std::abs(sum / 100'000 - 0.5) < 0.005);
}

TEST("bit set: it holds what was inserted") {
  BitSet set(70);
  for (const std::uint32_t bit : {0U, 31U, 32U, 69U}) set.insert(bit);
  set.erase(31);
  CHECK(set.count() == 3);
  CHECK(set.contains(0) && set.contains(32) && set.contains(69));
  CHECK(!set.contains(31) && !set.contains(1) && !set.contains(1000));
  CHECK(set.words().size() == 3);
}

}  // namespace

}  // namespace treewright::test
