// A tree whose rows are in several processes, which are threads here, is the tree of all rows in one.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/random.h"
#include "boost/histogram/histogram_grower.h"
#include "boost/histogram/row_exchange.h"
#include "boost/histogram/shared_grower.h"
#include "boost/rounds/chance_gain.h"
#include "boost/rounds/shared_round.h"
#include "check.h"
#include "grow_data.h"
#include "meeting.h"

namespace treewright::test {

namespace {

constexpr std::size_t kRows = 24'000;

struct Rows {
  GrowData data = random_grow_data(kRows, 31);
  std::vector<float> gradient, hessian;
  std::vector<std::uint8_t> sample;

  explicit Rows(bool sampled) {
    Random random(32);
    for (std::size_t i = 0; i < kRows; ++i) {
      gradient.push_back(static_cast<float>(3.0 - data.y[i] + random.uniform01()));
      hessian.push_back(static_cast<float>(0.01 + random.uniform01()));
      if (sampled) sample.push_back(static_cast<std::uint8_t>(random.uniform(3)));
    }
  }

  Gradients gradients(std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin;
    Gradients some{std::span(gradient).subspan(begin, n), std::span(hessian).subspan(begin, n)};
    if (!sample.empty()) some.drawn = std::span(sample).subspan(begin, n);
    some.factor = sample.empty() ? 1.0F : 4.0F;
    return some;
  }
};

bool same_tree(const BoostedTree& a, const BoostedTree& b) {
  const auto same_thresholds = [](const Tree& x, const Tree& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x.kind[i] == NodeKind::kThreshold && x.threshold[i] != y.threshold[i]) return false;
    }
    return true;
  };
  return a.tree.kind == b.tree.kind && a.tree.feature == b.tree.feature && a.tree.missing == b.tree.missing &&
         a.tree.first_child == b.tree.first_child && a.tree.tables == b.tree.tables &&
         a.tree.rows == b.tree.rows && a.tree.value == b.tree.value && a.tree.gain == b.tree.gain &&
         a.tree.weight == b.tree.weight && a.gradient == b.gradient && same_thresholds(a.tree, b.tree);
}

// Shares of rows, one of them empty; each process has its own number of threads.
template <class Ticks>
void grow_in_three_processes(const Rows& rows, const BoostPlan& plan) {
  Team team(1);
  HistogramGrower<Ticks> one(rows.data.dataset, plan, team);
  const BoostedTree wanted = one.grow(rows.gradients(0, kRows), 2, 0);
  std::vector<double> wanted_raw(kRows, 0.0), raw(kRows, 0.0);
  one.add_step(wanted.tree.value, wanted_raw.data());
  CHECK(wanted.tree.size() > 5);

  const std::size_t block = RowBlocks::rows_per_block(kRows);
  const std::vector<std::size_t> begin{0, 3 * block, 3 * block, kRows};
  Meeting meeting(3);
  std::vector<BoostedTree> found(3);
  std::vector<std::size_t> n_sums(3);
  std::vector<std::thread> processes;
  for (std::size_t who = 0; who < 3; ++who) {
    processes.emplace_back([&, who] {
      const Dataset own = rows_of(rows.data.dataset, begin[who], begin[who + 1]);
      Share share(meeting, who, kRows, begin[who]);
      Team threads(who == 2 ? 3 : 1);
      SharedGrower<Ticks> grower(own, plan, threads, share);
      Gradients gradients = rows.gradients(begin[who], begin[who + 1]);
      const ChanceGain chance(plan, own, {}, &share);
      const SharedRound round = SharedRound::meet({gradients}, chance, {}, share, threads);
      gradients.sizes = &round.outputs.front().sizes;
      const std::size_t before = share.n_sums;
      found[who] = grower.grow(gradients, 2, 0);
      n_sums[who] = share.n_sums - before;
      grower.add_step(found[who].tree.value, raw.data() + begin[who]);
    });
  }
  for (std::thread& process : processes) process.join();
  for (const BoostedTree& tree : found) CHECK(same_tree(wanted, tree));
  // Several leaves travel together: far fewer exchanges than splits.
  for (const std::size_t n : n_sums) CHECK(n == n_sums[0] && n <= wanted.tree.size() / 3);
  CHECK(raw == wanted_raw);
}

BoostPlan plan_of(BoostOrder order) {
  BoostPlan plan;
  plan.order = order;
  plan.max_leaves = 24;
  plan.max_depth = order == BoostOrder::kDepthWise ? 5 : 40;
  plan.min_rows_leaf = 40;  // hessians do not prove that there are so many: rows are counted
  plan.min_rows_category = 30;
  return plan;
}

TEST("processes that exchange sums grow the tree of all rows") {
  for (const bool sampled : {false, true}) {
    const Rows rows(sampled);
    for (const BoostOrder order : {BoostOrder::kLeafWise, BoostOrder::kDepthWise}) {
      grow_in_three_processes<WideTicks>(rows, plan_of(order));
      grow_in_three_processes<PackedTicks>(rows, plan_of(order));
    }
    BoostPlan bound = plan_of(BoostOrder::kLeafWise);
    bound.monotone = {1, 0, -1, 0, 0, 0};
    bound.max_features_node = 4;
    bound.drop_hopeless = true;
    bound.few_rows = 0;  // columns of small nodes are dropped after their rows were counted
    grow_in_three_processes<PackedTicks>(rows, bound);
  }
}

TEST("a share of rows that cuts a block in two is refused") {
  const GrowData data = random_grow_data(1000, 33);
  Meeting meeting(1);
  Team team(1);
  const BoostPlan plan;
  for (const std::size_t first : {std::size_t{0}, std::size_t{17}}) {
    Share share(meeting, 0, kRows, first);
    CHECK(throws<std::invalid_argument>([&] { SharedGrower<WideTicks>(data.dataset, plan, team, share); }));
  }
}

}  // namespace

}  // namespace treewright::test
