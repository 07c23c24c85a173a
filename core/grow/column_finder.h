// ColumnFinder: the best test of a node, found column by column. Nothing is kept between nodes, so it serves
// exact ranks and bins, any subset of features, every grouping and fractional rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "grow/choice.h"
#include "grow/column_rows.h"
#include "grow/feature_draw.h"
#include "grow/node_rules.h"
#include "grow/plan.h"
#include "grow/search_result.h"

namespace treewright {

template <class Criterion, class Scan>
class ColumnFinder {
 public:
  using Sample = typename Criterion::Sample;
  using Node = OpenNode<Sample>;

  // Scratch memory of one thread.
  struct Worker {
    ColumnScratch<Criterion> columns;
    std::vector<FeatureId> features;
    std::vector<Candidate> candidates;
  };

  ColumnFinder(const Dataset& data, const GrowPlan& plan, const Criterion& criterion, const NodeRules& rules,
               Team& team)
      : data_(data),
        rules_(rules),
        team_(team),
        columns_(data, criterion, plan),
        choice_(data, plan),
        runner_ups_(plan, data.n_rows),
        feature_draw_(data.n_features(), plan),
        workers_(static_cast<std::size_t>(team.size()) + 1) {}

  // The winners of several nodes; (node, feature) pairs are shared out among the threads.
  std::vector<SearchResult> find(std::span<Node> nodes) {
    std::vector<SearchResult> winners(nodes.size());
    if (!feature_draw_.all()) {
      for_each_node(nodes, [&](std::size_t i, int worker) { winners[i] = find_alone(nodes[i], worker); });
      return winners;
    }
    const auto n_features = static_cast<std::size_t>(data_.n_features());
    std::vector<Candidate> candidates(nodes.size() * n_features);
    std::size_t work = 0;
    for (const Node& node : nodes) work += kStepsPerCode * node.size * n_features;
    const TieOrder& order = feature_draw_.order();
    team_.parallel_for(candidates.size(), work, [&](std::size_t index, int worker) {
      const Node& node = nodes[index / n_features];
      const FeatureId feature = order.columns()[(order.first(node.key) + index) % n_features];
      candidates[index] = search(node, feature, workers_[static_cast<std::size_t>(worker)]);
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      winners[i] = choose(nodes[i], std::span(candidates).subspan(i * n_features, n_features));
    }
    return winners;
  }

  // All drawn features of one node, by one thread of the team.
  SearchResult find_alone(const Node& node, int thread) {
    Worker& worker = workers_[static_cast<std::size_t>(thread)];
    feature_draw_.draw(node.key, worker.features);
    worker.candidates.clear();
    bool any_valid = false;
    for (std::size_t i = 0; i < worker.features.size(); ++i) {
      // Columns beyond the drawn ones are looked at only until one offers a test.
      if (i >= feature_draw_.per_node() && any_valid) break;
      Candidate candidate = search(node, worker.features[i], worker);
      any_valid = any_valid || candidate.valid();
      worker.candidates.push_back(std::move(candidate));
    }
    return choose(node, worker.candidates);
  }

  // Whether nodes look at some of the features only.
  bool draws_features() const { return !feature_draw_.all(); }
  // In which order those that look at all of them compare their tests.
  const TieOrder& order() const { return feature_draw_.order(); }

  // body(i, thread) for each node, each by one thread.
  template <class Body>
  void for_each_node(std::span<Node> nodes, Body body) {
    std::size_t work = 0;
    // A whole subtree: about one level per bit of its size.
    for (const Node& node : nodes) {
      work += kStepsPerCode * node.size * feature_draw_.per_node() *
              static_cast<std::size_t>(std::bit_width(node.size));
    }
    team_.parallel_for(nodes.size(), work, body);
  }

  void free_scratch() {
    for (Worker& worker : workers_) worker = Worker{};
  }

 private:
  static constexpr std::size_t kStepsPerCode =
      8;  // a code read, sorted and scanned, in steps of Team::parallel_for

  Candidate search(const Node& node, FeatureId feature, Worker& worker) const {
    Limits limits = rules_.limits(node.summary, node.bounds);
    limits.monotone = rules_.monotone(feature);
    return columns_.best(node, feature, limits, worker.columns);
  }

  SearchResult choose(const Node& node, std::span<Candidate> candidates) const {
    const std::size_t winner = choice_.winner(node.summary, candidates);
    if (winner == kNoCandidate) return SearchResult{};
    SearchResult result;
    if (runner_ups_.kept_at(node.size)) {
      result.kept = true;
      if (choice_.filters()) result.least_gain = choice_.average(candidates);
      for (const std::size_t i : runner_ups_.order(candidates, winner, choice_.tie(node.summary))) {
        result.next.push_back(std::move(candidates[i]));
      }
    }
    result.winner = std::move(candidates[winner]);
    return result;
  }

  const Dataset& data_;
  const NodeRules& rules_;
  Team& team_;
  ColumnRows<Criterion, Scan> columns_;
  Choice choice_;
  RunnerUps runner_ups_;
  FeatureDraw feature_draw_;
  std::vector<Worker> workers_;  // one per thread, and one for the owner's serial steps
};

}  // namespace treewright
