// HistogramFinder: keeps a histogram of all columns for every open node. The smaller child's is filled from
// its rows, the larger one's is its parent's minus that. Sums are whole numbers: the same for any number of
// threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "criterion/newton.h"
#include "grow/histogram_pool.h"
#include "grow/node_rules.h"
#include "grow/open_node.h"
#include "grow/plan.h"
#include "grow/row_codes.h"
#include "split/column_search.h"
#include "split/select.h"

namespace treewright {

class HistogramFinder {
 public:
  using Criterion = Newton;
  using Sample = Newton::Sample;
  using Node = OpenNode<Sample>;
  struct Worker {
    SearchScratch<Newton> search;
  };

  HistogramFinder(const Dataset& data, const GrowPlan& plan, const Newton& criterion, Team& team)
      : data_(data),
        plan_(plan),
        criterion_(criterion),
        team_(team),
        codes_(data, team),
        pool_(codes_.cells()),
        search_(criterion, plan),
        workers_(static_cast<std::size_t>(team.size()) + 1) {}

  const Newton& criterion() const { return criterion_; }
  void begin(const NodeRules& rules) { rules_ = &rules; }

  // Every node is searched from its histogram, so none is finished apart.
  static bool is_small(const Node&) { return false; }

  // Histograms for the children that will be split: at most one of them is filled from rows.
  void descend(const Node& parent, std::span<Node> children, std::span<const char> open) {
    const std::size_t small = children[0].size <= children[1].size ? 0 : 1;
    const std::size_t large = 1 - small;
    if (!open[0] && !open[1]) return;
    std::shared_ptr<Histogram> filled = pool_.acquire();
    fill(children[small], *filled);
    if (open[large]) {
      subtract_from(*parent.histogram, *filled);
      children[large].histogram = parent.histogram;
    }
    if (open[small]) children[small].histogram = std::move(filled);
  }

  std::vector<Candidate> find(std::span<Node> nodes) {
    for (Node& node : nodes) {
      if (node.histogram) continue;
      node.histogram = pool_.acquire();  // the root
      fill(node, *node.histogram);
    }
    const std::size_t n_features = data_.columns.size();
    std::vector<Candidate> candidates(nodes.size() * n_features);
    constexpr std::size_t kStepsPerCell = 8;
    team_.parallel_for(
        candidates.size(), kStepsPerCell * nodes.size() * codes_.cells(), [&](std::size_t i, int worker) {
          candidates[i] =
              search(nodes[i / n_features], i % n_features, workers_[static_cast<std::size_t>(worker)]);
        });
    std::vector<Candidate> winners(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto own = std::span(candidates).subspan(i * n_features, n_features);
      const std::size_t winner = best_candidate(own, plan_.tie(nodes[i].summary.loss));
      if (winner != kNoCandidate) winners[i] = std::move(own[winner]);
    }
    return winners;
  }

 private:
  Candidate search(const Node& node, std::size_t f, Worker& worker) const {
    const Column& column = data_.columns[f];
    Limits limits = rules_->limits(node.summary, {node.lower, node.upper});
    limits.monotone = rules_->monotone(static_cast<FeatureId>(f));
    const Buckets<GradientPair> table{&criterion_.target, node.histogram->data() + codes_.offsets()[f],
                                      column.n_codes};
    Candidate best = search_.search(column, table, node.summary, limits, worker.search);
    best.feature = static_cast<FeatureId>(f);
    return best;
  }

  void fill(const Node& node, Histogram& histogram) {
    constexpr std::size_t kBlock = 16384;
    const std::size_t n_blocks = (node.size + kBlock - 1) / kBlock;
    if (n_blocks < 2 || team_.size() < 2) {
      fill_rows(node, 0, node.size, histogram);
      return;
    }
    std::vector<std::shared_ptr<Histogram>> parts(static_cast<std::size_t>(team_.size()));
    team_.parallel_for(n_blocks, node.size * data_.columns.size(), [&](std::size_t block, int worker) {
      auto& part = parts[static_cast<std::size_t>(worker)];
      if (!part) part = pool_.acquire();
      fill_rows(node, block * kBlock, std::min(node.size, (block + 1) * kBlock), *part);
    });
    for (const auto& part : parts) {
      if (part) add_to(histogram, *part);
    }
  }

  void fill_rows(const Node& node, std::size_t begin, std::size_t end, Histogram& histogram) const {
    const std::size_t n_features = data_.columns.size();
    const std::uint32_t* offsets = codes_.offsets().data();
    std::int64_t* cells = histogram.data();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t* codes = codes_.row(node.rows[i]);
      const std::int64_t pair = node.samples[i].pair;
      for (std::size_t f = 0; f < n_features; ++f) cells[offsets[f] + codes[f]] += pair;
    }
  }

  const Dataset& data_;
  const GrowPlan& plan_;
  const Newton& criterion_;
  Team& team_;
  RowCodes codes_;
  HistogramPool pool_;
  ColumnSearch<Newton, Newton::Scan> search_;
  std::vector<Worker> workers_;
  const NodeRules* rules_ = nullptr;
};

}  // namespace treewright
