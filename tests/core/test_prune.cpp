// Pessimistic pruning: against its definition, and the cases that the definition does not show.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "grow_data.h"
#include "plain_pruning.h"
#include "prune/collapse.h"
#include "prune/extra_errors.h"
#include "prune/narrow_groups.h"
#include "prune/pessimistic.h"
#include "random_tree.h"
#include "tree/canonical.h"
#include "tree/walk.h"

namespace treewright::test {

namespace {

constexpr PruneProgram kPrograms[] = {PruneProgram::kRelease8, PruneProgram::kJ48};

Tree prune(const Tree& tree, const GrowData& data, const std::vector<double>& weights,
           const PessimisticPlan& plan, int n_threads = 1) {
  Team team(n_threads);
  return prune_pessimistic(tree, data.dataset, data.labels, 3, weights, plan, team);
}

GrowPlan grow_plan(CategoryGrouping categories, MissingRule missing) {
  GrowPlan plan;
  plan.categories = categories;
  plan.missing = missing;
  return plan;
}

TEST("prune: the normal deviate is exact") {
  CHECK(near(upper_deviate(0.25), 0.67448975019608171, 1e-14));
  CHECK(near(upper_deviate(0.1), 1.2815515655446004, 1e-14));
  CHECK(near(upper_deviate(0.001), 3.0902323061678132, 1e-14));
  CHECK(near(upper_deviate(1e-10), 6.3613409024040557, 1e-13));
  CHECK(near(upper_deviate(0.499999), 2.5066282746e-6, 1e-9));
  CHECK(upper_deviate(0.5) == 0.0);
  for (double z = 0.01; z < 30; z *= 1.3) {
    CHECK(near(upper_deviate(0.5 * std::erfc(z / std::sqrt(2.0))), z, 1e-12));
  }
}

TEST("prune: pruning follows its definition with any kind of split") {
  const std::vector<GrowPlan> plans{grow_plan(CategoryGrouping::kSubset, MissingRule::kLearned),
                                    grow_plan(CategoryGrouping::kSubset, MissingRule::kFractional),
                                    grow_plan(CategoryGrouping::kMultiway, MissingRule::kFractional)};
  std::size_t n_smaller = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const GrowData data = random_grow_data(60 + 40 * seed, seed);
    for (const GrowPlan& grow : plans) {
      for (const bool weighted : {false, true}) {
        const Tree grown = grow_task(data, {CriterionName::kEntropy, weighted}, grow);
        for (const PruneProgram program : kPrograms) {
          for (const bool raising : {true, false}) {
            const PessimisticPlan plan{.program = program,
                                       .confidence = seed % 2 == 0 ? 0.25 : 0.45,
                                       .raising = raising,
                                       .criterion = CriterionName::kEntropy};
            const std::vector<double> weights = weighted ? data.weights : std::vector<double>{};
            const Tree pruned = prune(grown, data, weights, plan);
            PlainPruning plain(grown, data, weights, plan);
            CHECK(plain.difference(*plain.run(), pruned) == "");
            CHECK(fault_of(pruned, data) == "");
            n_smaller += pruned.size() < grown.size() && pruned.size() > 1;
          }
        }
      }
    }
  }
  CHECK(n_smaller > 100);
}

TEST("prune: rows that end at a node count there and in no branch") {
  std::size_t n_kept = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const GrowData data = random_grow_data(300, seed);
    Tree grown = grow_task(data, {CriterionName::kGini, false},
                           grow_plan(CategoryGrouping::kSubset, MissingRule::kLearned));
    for (std::size_t node = 0; node < grown.size(); ++node) {
      if (grown.kind[node] != NodeKind::kLeaf) grown.missing[node] = kStopHere;
    }
    const PessimisticPlan plan{.criterion = CriterionName::kGini};
    const Tree pruned = prune(grown, data, {}, plan);
    PlainPruning plain(grown, data, {}, plan);
    CHECK(plain.difference(*plain.run(), pruned) == "");
    n_kept += pruned.size();
  }
  CHECK(n_kept > 100);
}

TEST("prune: the numbers of a kept node are those it was grown with") {
  const GrowData data = random_grow_data(400, 5);
  const Tree grown = grow_task(data, {CriterionName::kGini, true},
                               grow_plan(CategoryGrouping::kMultiway, MissingRule::kFractional));
  const Tree pruned =
      prune(grown, data, data.weights, {.confidence = 1.0, .criterion = CriterionName::kGini});
  CHECK(near(pruned.loss[0], grown.loss[0]) && near(pruned.weight[0], grown.weight[0]));
  for (std::size_t node = 0; node < pruned.size(); ++node) {
    double below = 0;
    for_each_child(pruned, node, [&](std::size_t child, std::uint32_t) { below += pruned.loss[child]; });
    if (pruned.is_leaf(static_cast<NodeId>(node))) {
      CHECK(pruned.gain[node] == 0);
    } else {
      CHECK(pruned.gain[node] >= 0 &&
            std::abs(pruned.gain[node] - std::max(0.0, pruned.loss[node] - below)) < 1e-12);
    }
  }
}

// A useless cut above a good test of categories, of which the third has no row.
TEST("prune: an empty leaf answers like its parent after raising in J48 and as before in Release 8") {
  std::vector<Code> x(41, 2), category(41, 1);
  std::vector<std::int32_t> labels(41, 0);
  x[0] = 1;
  for (std::size_t i = 21; i < 41; ++i) {
    category[i] = 2;
    labels[i] = 1;
  }
  Dataset data;
  data.n_rows = x.size();
  data.columns.push_back(make_column(ColumnKind::kNumeric, x, 2));
  data.columns.push_back(make_column(ColumnKind::kNominal, category, 3));
  TreeBuilder builder(2);
  builder.split_at_threshold(0, 0, 1.0);
  builder.split_by_branch(2, 1, 3, std::vector<std::uint32_t>{kEveryBranch, 0, 1, 2, kEveryBranch});
  builder.tree().missing[0] = builder.tree().missing[2] = kEveryBranch;
  builder.tree().value = {0.5, 0.5, 1, 0, 0.5, 0.5, 1, 0, 0, 1, 0.25, 0.75};
  const Tree tree = builder.finish();
  for (const PruneProgram program : kPrograms) {
    Team team(1);
    const Tree pruned = prune_pessimistic(tree, data, labels, 2, {}, {.program = program}, team);
    check_tree(pruned, std::vector<Code>{0, 3});
    CHECK(pruned.feature == (std::vector<FeatureId>{1, -1, -1, -1}));
    CHECK(pruned.rows == (std::vector<std::int64_t>{41, 21, 20, 0}));
    CHECK(pruned.weight == (std::vector<double>{41, 21, 20, 0}));
    CHECK(pruned.loss[3] == 0 && near(pruned.gain[0], pruned.loss[0]));
    CHECK(near(pruned.value[6], program == PruneProgram::kJ48 ? 21.0 / 41 : 0.25));
  }
}

TEST("prune: a weight of two equals the row twice") {
  const GrowData once = random_grow_data(150, 3);
  GrowData twice = once;
  twice.dataset.n_rows = 300;
  twice.labels.insert(twice.labels.end(), once.labels.begin(), once.labels.end());
  for (Column& column : twice.dataset.columns) {
    const std::vector<std::uint8_t> bytes = column.bytes;
    column.bytes.insert(column.bytes.end(), bytes.begin(), bytes.end());
  }
  const Tree grown = grow_task(once, {CriterionName::kEntropy, false},
                               grow_plan(CategoryGrouping::kMultiway, MissingRule::kFractional));
  for (const PruneProgram program : kPrograms) {
    const PessimisticPlan plan{.program = program};
    const Tree weighted = prune(grown, once, std::vector<double>(150, 2.0), plan);
    Tree repeated = prune(grown, twice, {}, plan);
    for (std::int64_t& rows : repeated.rows) rows /= 2;
    CHECK(weighted.size() > 1 && weighted.size() < grown.size());
    CHECK(same_tree(weighted, repeated, 1e-9));
  }
}

TEST("prune: the number of threads changes nothing") {
  const GrowData data = random_grow_data(5000, 8);
  const Tree grown = grow_task(data, {CriterionName::kEntropy, true},
                               grow_plan(CategoryGrouping::kMultiway, MissingRule::kFractional));
  for (const PruneProgram program : kPrograms) {
    const Tree serial = prune(grown, data, data.weights, {.program = program}, 1);
    CHECK(same_tree(serial, prune(grown, data, data.weights, {.program = program}, 4)));
    CHECK(serial.size() > 1);
  }
}

// A chain on one numeric column, whatever its rows.
Tree class_chain(std::int32_t depth) {
  Tree tree = chain(depth);
  tree.outputs = 2;
  tree.value.assign(2 * tree.size(), 0.5);
  return tree;
}

TEST("prune: a tree of 100000 levels is pruned") {
  const std::vector<Code> codes{1, 2, 3, 4, 5};
  Dataset data;
  data.n_rows = codes.size();
  data.columns.push_back(make_column(ColumnKind::kNumeric, codes, 5));
  const std::vector<std::int32_t> labels{0, 1, 0, 1, 1};
  const Tree tree = canonical(class_chain(100'000));
  for (const PruneProgram program : kPrograms) {
    for (const double confidence : {0.25, 1.0}) {
      Team team(1);
      const Tree pruned =
          prune_pessimistic(tree, data, labels, 2, {}, {.program = program, .confidence = confidence}, team);
      check_tree(pruned, std::vector<Code>{0});
      CHECK(pruned.size() < 20 && pruned.rows[0] == 5);
    }
  }
  const Tree collapsed = collapse(tree, std::vector<Code>{0});
  CHECK(collapsed.size() == 1);
  CHECK(narrow_groups(tree, data).size() == tree.size());
}

TEST("prune: a tree with surrogates is pruned without raising only") {
  const GrowData data = random_grow_data(500, 11);
  GrowPlan grow = grow_plan(CategoryGrouping::kSubset, MissingRule::kSurrogate);
  grow.surrogates = 3;
  const Tree grown = grow_task(data, {CriterionName::kGini, false}, grow);
  CHECK(!grown.surrogate_feature.empty());
  CHECK(throws<std::invalid_argument>([&] { prune(grown, data, {}, {.raising = true}); }));
  const Tree pruned = prune(grown, data, {}, {.raising = false});
  check_tree(pruned, data.categories());
  CHECK(pruned.size() < grown.size() && pruned.size() > 1 && !pruned.surrogate_feature.empty());
  CHECK(pruned.weight[0] == grown.weight[0] && pruned.loss[0] == grown.loss[0]);
}

TEST("prune: replacement from the arrays equals replacement from the rows") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const GrowData data = random_grow_data(400, seed);
    Tree grown = grow_task(data, {CriterionName::kGini, false},
                           grow_plan(CategoryGrouping::kSubset, MissingRule::kLearned));
    for (const PruneProgram program : kPrograms) {
      const PessimisticPlan plan{.program = program, .raising = false, .criterion = CriterionName::kGini};
      const Tree by_rows = prune(grown, data, {}, plan);
      Tree with_surrogate = grown;  // one at the root is enough for the other way
      with_surrogate.surrogate_begin.assign(grown.size() + 1, 1);
      with_surrogate.surrogate_begin[0] = 0;
      with_surrogate.surrogate_feature = {1};
      with_surrogate.surrogate_kind = {NodeKind::kThreshold};
      with_surrogate.surrogate_threshold = {3.0};
      with_surrogate.surrogate_table = {-1};
      with_surrogate.surrogate_flip = {0};
      with_surrogate.surrogate_agreement = {0.5};
      CHECK(by_rows.size() > 1);
      CHECK(same_tree(by_rows, prune(with_surrogate, data, {}, plan), 1e-9));
    }
  }
}

TEST("prune: what does not fit is refused") {
  const GrowData data = random_grow_data(50, 2);
  const Tree tree = grow_task(data, {CriterionName::kGini, false}, GrowPlan{});
  const auto refuses = [&](auto&& change) {
    GrowData wrong = data;
    std::vector<double> weights;
    Tree other = tree;
    PessimisticPlan plan;
    change(wrong, weights, other, plan);
    return throws<std::invalid_argument>([&] { prune(other, wrong, weights, plan); });
  };
  using Weights = std::vector<double>;
  CHECK(!refuses([](GrowData&, Weights&, Tree&, PessimisticPlan&) {}));
  CHECK(refuses([](GrowData& d, Weights&, Tree&, PessimisticPlan&) { d.labels.pop_back(); }));
  CHECK(refuses([](GrowData& d, Weights&, Tree&, PessimisticPlan&) { d.labels[7] = 3; }));
  CHECK(refuses([](GrowData& d, Weights&, Tree&, PessimisticPlan&) { d.labels[7] = -1; }));
  CHECK(refuses([](GrowData& d, Weights&, Tree&, PessimisticPlan&) { d.dataset.columns.clear(); }));
  CHECK(refuses([](GrowData&, Weights& w, Tree&, PessimisticPlan&) { w.assign(49, 1.0); }));
  CHECK(refuses([](GrowData&, Weights& w, Tree&, PessimisticPlan&) { w.assign(50, 0.0); }));
  CHECK(refuses([](GrowData&, Weights& w, Tree&, PessimisticPlan&) { w.assign(50, kNaN); }));
  CHECK(refuses([](GrowData&, Weights& w, Tree&, PessimisticPlan&) { w.assign(50, kInf); }));
  CHECK(refuses([](GrowData&, Weights&, Tree& t, PessimisticPlan&) { t.kind.pop_back(); }));
  CHECK(refuses([](GrowData&, Weights&, Tree& t, PessimisticPlan&) { t = TreeBuilder(2).finish(); }));
  CHECK(refuses([](GrowData&, Weights&, Tree&, PessimisticPlan& p) { p.confidence = 0; }));
  CHECK(refuses([](GrowData&, Weights&, Tree&, PessimisticPlan& p) { p.confidence = 1.01; }));
  CHECK(refuses([](GrowData&, Weights&, Tree&, PessimisticPlan& p) { p.confidence = kNaN; }));
}

// Any tree on any rows: most nodes get no row at all.
TEST("prune: a tree of other rows is pruned by the same definition") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    GrowData data = random_grow_data(80, seed);
    data.dataset.columns.resize(3);
    data.dataset.columns[2] = make_column(ColumnKind::kNominal, std::vector<Code>(80, 2), 5);
    RandomTree random(seed);
    Shape shape;
    shape.n_codes = {0, 0, 5};
    shape.fractional = true;
    Tree tree = canonical(random.tree(shape));
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] == NodeKind::kThreshold) tree.threshold[node] = random.below(100);
    }
    for (const PruneProgram program : kPrograms) {
      const PessimisticPlan plan{.program = program};
      const Tree pruned = prune(tree, data, {}, plan);
      check_tree(pruned, shape.n_codes);
      PlainPruning plain(tree, data, {}, plan);
      CHECK(plain.difference(*plain.run(), pruned) == "");
    }
  }
}

TEST("prune: values that the tests above rule out leave the last group") {
  Dataset data;
  data.n_rows = 1;
  data.columns.push_back(make_column(ColumnKind::kNominal, std::vector<Code>{1}, 5));
  TreeBuilder builder(2);
  const std::uint32_t every = kEveryBranch;
  // {1, 2}, {3}, {4, 5}; below the first: {1}, {2}, {3, 4, 5}; below the last: {4}, {1, 2, 3, 5}.
  builder.split_by_branch(0, 0, 3, std::vector<std::uint32_t>{every, 0, 0, 1, 2, 2, every});
  builder.split_by_branch(1, 0, 3, std::vector<std::uint32_t>{every, 0, 1, 2, 2, 2, every});
  builder.split_by_branch(3, 0, 2, std::vector<std::uint32_t>{every, 1, 1, 1, 0, 1, every});
  for (const std::size_t node : {0, 1, 3}) builder.tree().missing[node] = every;
  const Tree tree = narrow_groups(canonical(builder.finish()), data);
  check_tree(tree, std::vector<Code>{5});
  CHECK(tree.n_children == (std::vector<std::uint32_t>{3, 2, 0, 2, 0, 0, 0, 0}));
  const auto entries = [&](std::size_t node) {
    const auto begin = tree.tables.begin() + tree.table[node] + 2;
    return std::vector<std::uint32_t>(begin, begin + 7);
  };
  CHECK(entries(0) == (std::vector<std::uint32_t>{every, 0, 0, 1, 2, 2, every}));
  CHECK(entries(1) == (std::vector<std::uint32_t>{every, 0, 1, every, every, every, every}));
  CHECK(entries(3) == (std::vector<std::uint32_t>{every, every, every, every, 0, 1, every}));
}

}  // namespace

}  // namespace treewright::test
