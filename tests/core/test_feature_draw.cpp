#include <cstdint>
#include <set>
#include <vector>

#include "check.h"
#include "grow/feature_draw.h"

namespace treewright::test {

namespace {

GrowPlan drawing(std::int64_t per_node, std::uint64_t seed) {
  GrowPlan plan;
  plan.max_features = per_node;
  plan.seed = seed;
  return plan;
}

TEST("drawn features are not repeated, and each is as likely at every place") {
  const FeatureDraw feature_draw(20, drawing(6, 3));
  CHECK(!feature_draw.all() && feature_draw.per_node() == 6);
  std::vector<FeatureId> features;
  std::vector<int> counts(20, 0), first(20, 0);
  for (std::uint64_t key = 0; key < 2000; ++key) {
    feature_draw.draw(key, features);
    CHECK(features.size() == 20);
    CHECK(std::set<FeatureId>(features.begin(), features.end()).size() == 20);
    ++first[static_cast<std::size_t>(features[0])];
    for (int i = 0; i < 6; ++i) ++counts[static_cast<std::size_t>(features[static_cast<std::size_t>(i)])];
  }
  // 600 expected with a standard deviation of 20.5.
  for (const int count : counts) CHECK(count > 500 && count < 700);
  // 100 expected with a standard deviation of 9.7.
  for (const int count : first) CHECK(count > 50 && count < 150);
}

TEST("a draw depends on the seed and the place only") {
  std::vector<FeatureId> a, b;
  FeatureDraw(50, drawing(5, 1)).draw(9, a);
  FeatureDraw(50, drawing(5, 1)).draw(9, b);
  CHECK(a == b);
  FeatureDraw(50, drawing(5, 1)).draw(10, b);
  CHECK(a != b);
  FeatureDraw(50, drawing(5, 2)).draw(9, b);
  CHECK(a != b);
}

TEST("all features are taken in their order") {
  for (const std::int64_t per_node : {0, 4, 9}) {
    const FeatureDraw feature_draw(4, drawing(per_node, 1));
    std::vector<FeatureId> features;
    feature_draw.draw(1, features);
    CHECK(feature_draw.all() && feature_draw.per_node() == 4);
    CHECK((features == std::vector<FeatureId>{0, 1, 2, 3}));
  }
}

TEST("places in a tree have keys of their own") {
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

}  // namespace treewright::test
