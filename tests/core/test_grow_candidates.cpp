#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "check.h"
#include "grow/candidates/candidates.h"
#include "grow_data.h"

namespace treewright::test {

namespace {

struct Asked {
  GrowData data;
  std::vector<RowId> rows;
  std::vector<FeatureId> features;
};

Asked asked(std::size_t n, std::uint64_t seed) {
  Asked all{random_grow_data(n, seed), std::vector<RowId>(n), {}};
  std::iota(all.rows.begin(), all.rows.end(), RowId{0});
  all.features.resize(all.data.dataset.columns.size());
  std::iota(all.features.begin(), all.features.end(), FeatureId{0});
  return all;
}

NodeCandidates ask(const Asked& all, const GrowTask& task, GrowPlan plan, bool cuts, int n_threads = 1) {
  Team team(n_threads);
  plan.criterion = task.criterion;
  NodeQuery query;
  query.rows = all.rows;
  if (task.weighted) query.weights = all.data.weights;
  query.total_weight = task.weighted ? std::accumulate(all.data.weights.begin(), all.data.weights.end(), 0.0)
                                     : static_cast<double>(all.rows.size());
  query.features = all.features;
  query.cuts = cuts;
  const bool classes = is_for_classes(task.criterion);
  return classes ? class_candidates(all.data.dataset, all.data.labels, 3, query, plan, team)
                 : mean_candidates(all.data.dataset, all.data.y, query, plan, team);
}

std::vector<GrowPlan> plans() {
  std::vector<GrowPlan> found(3);
  found[1].missing = MissingRule::kMajority;
  found[1].min_rows_leaf = 20;
  found[2].max_features = 2;
  found[2].seed = 5;
  for (GrowPlan& plan : found) plan.max_depth = 1;
  return found;
}

TEST("the winner is the root of the tree") {
  const Asked all = asked(400, 3);
  for (const GrowTask& task : all_grow_tasks()) {
    for (const GrowPlan& plan : plans()) {
      const NodeCandidates found = ask(all, task, plan, false);
      const Tree tree = grow_task(all.data, task, plan);
      CHECK(found.accepted && found.winner < found.features.size());
      const FeatureFacts& winner = found.features[found.winner];
      CHECK(winner.best.feature == tree.feature[0] && winner.best.kind == tree.kind[0]);
      CHECK(near(winner.decrease, tree.gain[0], 1e-12));
      CHECK(near(found.node.loss, tree.loss[0], 1e-12));
      if (tree.kind[0] == NodeKind::kThreshold) CHECK(winner.threshold == tree.threshold[0]);
    }
  }
}

TEST("branches hold the rows of the children") {
  const Asked all = asked(300, 4);
  GrowPlan plan;
  plan.max_depth = 1;
  for (const GrowTask& task : all_grow_tasks()) {
    const NodeCandidates found = ask(all, task, plan, false);
    const Tree tree = grow_task(all.data, task, plan);
    const FeatureFacts& winner = found.features[found.winner];
    CHECK(winner.branches.size() == 2);
    for (std::size_t b = 0; b < 2; ++b) {
      CHECK(static_cast<std::int64_t>(winner.branches[b].rows) == tree.rows[1 + b]);
      CHECK(near(winner.branches[b].weight, tree.weight[1 + b], 1e-12));
      CHECK(near(winner.branches[b].loss, tree.loss[1 + b], 1e-9));
    }
  }
}

TEST("the curve rises to the best cut and not above") {
  const Asked all = asked(250, 5);
  GrowPlan plan;
  plan.min_rows_leaf = 10;
  for (const GrowTask& task : all_grow_tasks()) {
    for (const FeatureFacts& facts : ask(all, task, plan, true).features) {
      const CutCurve& curve = facts.curve;
      if (facts.best.kind != NodeKind::kThreshold || facts.best.next == 0) continue;
      double highest = -std::numeric_limits<double>::infinity();
      std::size_t tries = 0;
      for (std::size_t i = 0; i < curve.gain.size(); ++i) {
        tries += curve.admissible[i];
        if (curve.admissible[i]) highest = std::max(highest, curve.gain[i]);
      }
      CHECK(tries == facts.best.tries && tries > 0);
      CHECK(near(highest, facts.best.gain, 1e-9));
    }
  }
}

TEST("a column without a test says how many values it has") {
  Asked all = asked(50, 6);
  all.data.dataset.columns[1].bytes.assign(50, 3);
  const NodeCandidates found = ask(all, {CriterionName::kGini, false}, GrowPlan{}, false);
  CHECK(!found.features[1].best.valid());
  CHECK(found.features[1].n_values == 1 && found.features[1].branches.empty());
}

// The candidates of the root, as a growing tree and as a search of its own write them.
TEST("the tree remembers what the search finds") {
  const Asked all = asked(400, 9);
  for (const GrowTask& task : all_grow_tasks()) {
    for (GrowPlan plan : plans()) {
      plan.n_candidates = 3;
      const Tree found = ask(all, task, plan, false).memory;
      const Tree tree = grow_task(all.data, task, plan);
      const std::size_t n = tree.candidate_node.size();
      CHECK(n >= 2 && n <= 4 && found.candidate_node.size() >= n);
      CHECK(tree.candidate_feature[0] == tree.feature[0] && tree.candidate_kind[0] == tree.kind[0]);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(tree.candidate_node[i] == 0);
        CHECK(tree.candidate_feature[i] == found.candidate_feature[i]);
        CHECK(near(tree.candidate_gain[i], found.candidate_gain[i], 1e-12));
        CHECK(near(tree.candidate_left[i], found.candidate_left[i], 1e-12));
        CHECK(near(tree.candidate_right[i], found.candidate_right[i], 1e-12));
        CHECK(i < 2 || tree.candidate_gain[i] <= tree.candidate_gain[i - 1]);
        if (tree.candidate_kind[i] == NodeKind::kThreshold) {
          CHECK(tree.candidate_threshold[i] == found.candidate_threshold[i]);
        }
      }
    }
  }
}

TEST("small and large nodes remember alike") {
  // So many rows that the upper nodes are searched column by column and the lower ones from sorted columns.
  const GrowData data = random_grow_data(5000, 10);
  for (const GrowTask& task : all_grow_tasks()) {
    if (task.criterion == CriterionName::kAbsoluteError) continue;
    GrowPlan plan;
    plan.max_depth = 8;
    const Tree without = grow_task(data, task, plan);
    plan.n_candidates = 2;
    const Tree tree = grow_task(data, task, plan);
    CHECK(without.candidate_node.empty() && tree.feature == without.feature && tree.gain == without.gain);
    std::size_t remembering = 0;
    for (std::size_t i = 0; i < tree.candidate_node.size(); ++i) {
      const auto node = static_cast<std::size_t>(tree.candidate_node[i]);
      if (i > 0 && tree.candidate_node[i - 1] == tree.candidate_node[i]) continue;
      ++remembering;
      CHECK(tree.candidate_feature[i] == tree.feature[node] && tree.candidate_kind[i] == tree.kind[node]);
      CHECK(near(tree.candidate_gain[i] * tree.weight[node], tree.gain[node], 1e-6 * tree.loss[0]));
      if (tree.kind[node] == NodeKind::kThreshold) {
        CHECK(tree.candidate_threshold[i] == tree.threshold[node]);
      }
    }
    std::size_t large = 0;
    for (std::size_t node = 0; node < tree.size(); ++node) {
      large += tree.kind[node] != NodeKind::kLeaf && tree.rows[node] >= 25;
    }
    CHECK(remembering == large);
  }
}

TEST("threads change nothing about candidates") {
  const Asked all = asked(20000, 7);
  for (const GrowTask& task : all_grow_tasks()) {
    if (task.criterion == CriterionName::kAbsoluteError) continue;
    const NodeCandidates one = ask(all, task, GrowPlan{}, false, 1),
                         two = ask(all, task, GrowPlan{}, false, 2);
    CHECK(one.winner == two.winner);
    for (std::size_t i = 0; i < one.features.size(); ++i) {
      CHECK(one.features[i].best.gain == two.features[i].best.gain);
      CHECK(one.features[i].decrease == two.features[i].decrease);
    }
  }
}

TEST("rows and features outside the table are refused") {
  Asked all = asked(20, 8);
  const GrowTask task{CriterionName::kGini, false};
  all.rows[3] = 20;
  CHECK(throws<std::invalid_argument>([&] { ask(all, task, GrowPlan{}, false); }));
  all.rows[3] = 3;
  all.features.push_back(6);
  CHECK(throws<std::invalid_argument>([&] { ask(all, task, GrowPlan{}, false); }));
  all.features.pop_back();
  all.rows.clear();
  CHECK(throws<std::invalid_argument>([&] { ask(all, task, GrowPlan{}, false); }));
}

}  // namespace

}  // namespace treewright::test
