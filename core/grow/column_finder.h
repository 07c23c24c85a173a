// ColumnFinder: finds splits column by column and keeps nothing between nodes. Serves single trees and
// forests: exact ranks or bins, any subset of features, every grouping, fractional rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "grow/choice.h"
#include "grow/column_rows.h"
#include "grow/compact_subtree.h"
#include "grow/found.h"
#include "grow/node_rules.h"
#include "grow/plan.h"
#include "grow/runner_ups.h"
#include "grow/sampler.h"
#include "split/select.h"

namespace treewright {

template <class CriterionType, class Scan>
class ColumnFinder {
 public:
  using Criterion = CriterionType;
  using Sample = typename Criterion::Sample;
  using Node = OpenNode<Sample>;

  // Scratch memory of one thread.
  struct Worker {
    ColumnScratch<Criterion> columns;
    std::vector<FeatureId> features;
    std::vector<Candidate> candidates;
    std::unique_ptr<CompactSubtree<Criterion, Scan>> compact;
  };

  ColumnFinder(const Dataset& data, const GrowPlan& plan, const Criterion& criterion, Team& team)
      : data_(data),
        plan_(plan),
        criterion_(criterion),
        team_(team),
        columns_(data, criterion, plan),
        choice_(data, plan),
        runner_ups_(plan, data.n_rows),
        sampler_(data.n_features(), plan.max_features, plan.seed),
        // From here on a node is finished by one thread. Depends on the data alone, never on the threads.
        small_rows_(std::clamp<std::size_t>(data.n_rows / 16, 2048, 32768)),
        workers_(static_cast<std::size_t>(team.size()) + 1) {}

  const Criterion& criterion() const { return criterion_; }

  // Called once, when the root and with it the total weight is known.
  void begin(const NodeRules& rules) { rules_ = &rules; }

  // Nothing is kept, so there is nothing to hand down.
  void descend(const Node&, std::span<Node>, std::span<const char>) {}

  bool is_small(const Node& node) const { return node.size <= small_rows_; }

  // The winners of several nodes; (node, feature) pairs are shared out among the threads.
  std::vector<Found> find(std::span<Node> nodes) {
    std::vector<Found> winners(nodes.size());
    if (!sampler_.all()) {
      for_each_node(nodes, [&](std::size_t i, Worker& worker) { winners[i] = find_alone(nodes[i], worker); });
      return winners;
    }
    const auto n_features = static_cast<std::size_t>(data_.n_features());
    std::vector<Candidate> candidates(nodes.size() * n_features);
    std::size_t work = 0;
    for (const Node& node : nodes) work += kStepsPerCode * node.size * n_features;
    team_.parallel_for(candidates.size(), work, [&](std::size_t index, int worker) {
      candidates[index] = search(nodes[index / n_features], static_cast<FeatureId>(index % n_features),
                                 workers_[static_cast<std::size_t>(worker)]);
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      winners[i] = choose(nodes[i], std::span(candidates).subspan(i * n_features, n_features));
    }
    return winners;
  }

  // All drawn features of one node, by one thread.
  Found find_alone(const Node& node, Worker& worker) const {
    sampler_.draw(node.key, worker.features);
    worker.candidates.clear();
    bool found = false;
    for (std::size_t i = 0; i < worker.features.size(); ++i) {
      // Columns beyond the drawn ones are looked at only until one offers a test.
      if (i >= sampler_.per_node() && found) break;
      Candidate candidate = search(node, worker.features[i], worker);
      found = found || candidate.valid();
      worker.candidates.push_back(std::move(candidate));
    }
    return choose(node, worker.candidates);
  }

  // body(i, worker) for each node, each by one thread.
  template <class Body>
  void for_each_node(std::span<Node> nodes, Body body) {
    std::size_t work = 0;
    // A whole subtree: about one level per bit of its size.
    for (const Node& node : nodes) {
      work += kStepsPerCode * node.size * sampler_.per_node() *
              static_cast<std::size_t>(std::bit_width(node.size));
    }
    team_.parallel_for(nodes.size(), work, [&](std::size_t index, int worker) {
      body(index, workers_[static_cast<std::size_t>(worker)]);
    });
  }

  void free_scratch() {
    for (Worker& worker : workers_) worker = Worker{};
  }

  // Whether a whole small subtree can be grown from columns that are sorted once.
  bool compact_fits() const {
    const bool whole_rows = plan_.missing == MissingRule::kLearned || plan_.missing == MissingRule::kMajority;
    return !Criterion::kOrdered && whole_rows && sampler_.all() &&
           plan_.categories == CategoryGrouping::kSubset && plan_.ranking == Ranking::kGain &&
           plan_.selection == Selection::kBest && plan_.min_value_gap <= 0 && !plan_.cut_penalty &&
           plan_.arithmetic == Arithmetic::kExact;
  }
  Tree grow_compact(const Node& root, Worker& worker) const {
    if constexpr (!Criterion::kOrdered) {
      if (!worker.compact) {
        worker.compact = std::make_unique<CompactSubtree<Criterion, Scan>>(data_, criterion_, plan_, *rules_);
      }
      return worker.compact->grow(root, team_.stop());
    } else {
      return Tree{};
    }
  }

 private:
  static constexpr std::size_t kStepsPerCode =
      8;  // a code read, sorted and scanned, in steps of Team::parallel_for

  Candidate search(const Node& node, FeatureId feature, Worker& worker) const {
    Limits limits = rules_->limits(node.summary, {node.lower, node.upper});
    limits.monotone = rules_->monotone(feature);
    return columns_.best(node, feature, limits, worker.columns);
  }

  Found choose(const Node& node, std::span<Candidate> candidates) const {
    const std::size_t winner = choice_.winner(node.summary, candidates);
    if (winner == kNoCandidate) return Found{};
    Found found;
    if (runner_ups_.kept_at(node.size)) {
      found.kept = true;
      if (choice_.filters()) found.least_gain = choice_.average(candidates);
      for (const std::size_t i : runner_ups_.order(candidates, winner, choice_.tie(node.summary))) {
        found.next.push_back(std::move(candidates[i]));
      }
    }
    found.winner = std::move(candidates[winner]);
    return found;
  }

  const Dataset& data_;
  const GrowPlan& plan_;
  const Criterion& criterion_;
  Team& team_;
  ColumnRows<Criterion, Scan> columns_;
  Choice choice_;
  RunnerUps runner_ups_;
  FeatureSampler sampler_;
  std::size_t small_rows_;
  std::vector<Worker> workers_;  // one per thread, and one for the owner's serial steps
  const NodeRules* rules_ = nullptr;
};

}  // namespace treewright
