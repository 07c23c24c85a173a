// Mean losses: of held-out rows, and of some training rows, because looking at all of them after each round
// would cost as much as growing the tree.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "objective/objective.h"

namespace treewright {

inline double mean_loss(const Objective& objective, const Targets& rows, const std::vector<double>& raw) {
  double weight = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) weight += rows.weight(i);
  return weight > 0 ? objective.total(rows, raw.data(), 0, rows.size()) / weight : 0.0;
}

class ScoreSample {
 public:
  // At most `most` rows, drawn without replacement, the same in every round; all rows when there are no more.
  ScoreSample(const Targets& rows, std::size_t outputs, std::size_t most) : outputs_(outputs) {
    std::size_t left = rows.size(), wanted = most < left ? most : left;
    Random random(0);
    for (std::size_t row = 0; wanted > 0 && row < rows.size(); ++row, --left) {
      if (random.uniform(left) >= wanted) continue;
      --wanted;
      rows_.push_back(row);
      y_.push_back(rows.y[row]);
      if (!rows.weights.empty()) weights_.push_back(rows.weights[row]);
    }
    raw_.resize(rows_.size() * outputs);
  }

  double score(const Objective& objective, const std::vector<double>& raw, std::size_t n_rows) {
    for (std::size_t k = 0; k < outputs_; ++k) {
      for (std::size_t i = 0; i < rows_.size(); ++i) raw_[k * rows_.size() + i] = raw[k * n_rows + rows_[i]];
    }
    return mean_loss(objective, Targets{y_, weights_}, raw_);
  }

 private:
  std::size_t outputs_;
  std::vector<std::size_t> rows_;
  std::vector<double> y_, weights_, raw_;
};

}  // namespace treewright
