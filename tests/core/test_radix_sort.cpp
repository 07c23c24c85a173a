#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/radix_sort.h"
#include "base/random.h"
#include "check.h"

namespace treewright::test {

namespace {

// Sorts random keys by bits [low, high) and compares with the standard library's stable sort.
template <class Key>
void compare(Random* random, std::size_t n, int low, int high, Key spread) {
  std::vector<Key> keys(n), scratch(n);
  for (Key& key : keys) key = static_cast<Key>(random->next()) & spread;
  std::vector<Key> expected = keys;
  const Key mask =
      static_cast<Key>(static_cast<Key>(~Key{0}) >> (static_cast<int>(sizeof(Key) * 8) - (high - low)));
  std::stable_sort(expected.begin(), expected.end(),
                   [&](Key a, Key b) { return ((a >> low) & mask) < ((b >> low) & mask); });
  const Key* sorted = radix_sort(keys.data(), scratch.data(), n, low, high);
  CHECK(sorted == keys.data() || sorted == scratch.data());
  CHECK(std::equal(expected.begin(), expected.end(), sorted));
}

TEST("radix sort: it equals a stable sort") {
  Random random(1);
  for (const std::size_t n : {0U, 1U, 2U, 31U, 32U, 33U, 64U, 100U, 255U, 1000U, 5000U, 70'000U}) {
    for (int round = 0; round < 10; ++round) {
      const int low = static_cast<int>(random.uniform(40));
      const int high = low + 1 + static_cast<int>(random.uniform(static_cast<std::uint64_t>(64 - low)));
      compare<std::uint64_t>(&random, n, low, high, ~std::uint64_t{0});
      compare<std::uint64_t>(&random, n, 32, 49, ~std::uint64_t{0});
      compare<std::uint64_t>(&random, n, 0, 64, 0xFF00FF00FF00FF00U);  // digits in which all keys agree
      compare<std::uint32_t>(&random, n, 0, 32, ~std::uint32_t{0});
      compare<std::uint32_t>(&random, n, 3, 9, ~std::uint32_t{0});
    }
  }
}

TEST("radix sort: no bits leave the order") {
  std::vector<std::uint64_t> keys{3, 1, 2}, scratch(3);
  CHECK(radix_sort(keys.data(), scratch.data(), 3, 5, 5) == keys.data());
  CHECK((keys == std::vector<std::uint64_t>{3, 1, 2}));
}

}  // namespace

}  // namespace treewright::test
