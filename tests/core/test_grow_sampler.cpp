#include <algorithm>
#include <set>
#include <vector>

#include "check.h"
#include "grow/sampler.h"
#include "tests.h"

namespace treewright::test {

namespace {

void drawn_features_are_sorted_and_not_repeated() {
  const FeatureSampler sampler(20, 6, 3);
  CHECK(!sampler.all() && sampler.per_node() == 6);
  std::vector<FeatureId> features;
  std::vector<int> counts(20, 0);
  for (std::uint64_t key = 0; key < 2000; ++key) {
    sampler.draw(key, features);
    CHECK(features.size() == 20);
    CHECK(std::set<FeatureId>(features.begin(), features.end()).size() == 20);
    CHECK(std::is_sorted(features.begin(), features.begin() + 6));
    for (int i = 0; i < 6; ++i) ++counts[static_cast<std::size_t>(features[static_cast<std::size_t>(i)])];
  }
  // 600 expected with a standard deviation of 20.5.
  for (const int count : counts) CHECK(count > 500 && count < 700);
}

void a_draw_depends_on_the_seed_and_the_place_only() {
  std::vector<FeatureId> a, b;
  FeatureSampler(50, 5, 1).draw(9, a);
  FeatureSampler(50, 5, 1).draw(9, b);
  CHECK(a == b);
  FeatureSampler(50, 5, 1).draw(10, b);
  CHECK(a != b);
  FeatureSampler(50, 5, 2).draw(9, b);
  CHECK(a != b);
}

void all_features_are_taken_in_their_order() {
  for (const std::int64_t per_node : {0, 4, 9}) {
    const FeatureSampler sampler(4, per_node, 1);
    std::vector<FeatureId> features;
    sampler.draw(1, features);
    CHECK(sampler.all() && sampler.per_node() == 4);
    CHECK((features == std::vector<FeatureId>{0, 1, 2, 3}));
  }
}

void places_in_a_tree_have_keys_of_their_own() {
  std::set<std::uint64_t> keys{0};
  std::vector<std::uint64_t> level{0};
  for (int depth = 0; depth < 14; ++depth) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t key : level) {
      for (const std::uint32_t branch : {0U, 1U}) next.push_back(child_key(key, branch));
    }
    keys.insert(next.begin(), next.end());
    level = std::move(next);
  }
  CHECK(keys.size() == (1U << 15) - 1);
}

}  // namespace

std::vector<Test> grow_sampler_tests() {
  return {
      {"drawn features are sorted and not repeated", drawn_features_are_sorted_and_not_repeated},
      {"a draw depends on the seed and the place only", a_draw_depends_on_the_seed_and_the_place_only},
      {"all features are taken in their order", all_features_are_taken_in_their_order},
      {"places in a tree have keys of their own", places_in_a_tree_have_keys_of_their_own},
  };
}

}  // namespace treewright::test
