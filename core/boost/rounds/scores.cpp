#include "boost/rounds/scores.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace treewright {

namespace {

constexpr std::size_t kBlock = 4096;

double sum_of(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace

double mean_loss(const Objective& objective, const Targets& rows, const std::vector<double>& raw) {
  double weight = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) weight += rows.weight(i);
  return weight > 0 ? objective.total(rows, raw.data(), 0, rows.size()) / weight : 0.0;
}

SampleScore::SampleScore(const Objective& objective, const Targets& rows, std::size_t most,
                         RowExchange* others)
    : objective_(objective), n_rows_(rows.size()) {
  const std::size_t n_all = others == nullptr ? n_rows_ : others->n_rows();
  const std::size_t begin = others == nullptr ? 0 : others->first_row();
  std::size_t left = n_all, wanted = most < left ? most : left;
  const std::size_t n_drawn = wanted;
  y_.assign(n_drawn, 0.0);
  if (!rows.weights.empty()) weights_.assign(n_drawn, 0.0);
  Random random(0);
  for (std::size_t number = 0; wanted > 0 && number < n_all; ++number, --left) {
    if (random.uniform(left) >= wanted) continue;
    const std::size_t place = n_drawn - wanted--;
    if (number < begin || number - begin >= n_rows_) continue;
    if (rows_.empty()) first_ = place;
    rows_.push_back(number - begin);
    y_[place] = rows.y[number - begin];
    if (!rows.weights.empty()) weights_[place] = rows.weights[number - begin];
  }
  if (others != nullptr) {
    others->gather(y_);
    others->gather(weights_);
  }
  raw_.resize(n_drawn * objective.outputs());
}

std::span<double> SampleScore::look_at(const std::vector<double>& raw) {
  std::fill(raw_.begin(), raw_.end(), 0.0);
  for (std::size_t k = 0; k < objective_.outputs(); ++k) {
    double* of_output = raw_.data() + k * y_.size() + first_;
    for (std::size_t i = 0; i < rows_.size(); ++i) of_output[i] = raw[k * n_rows_ + rows_[i]];
  }
  return raw_;
}

double SampleScore::score() {
  return mean_loss(objective_, Targets{y_, weights_}, raw_);
}

WholeScore::WholeScore(const Objective& objective, const Targets& rows, Team& team)
    : objective_(objective),
      rows_(rows),
      team_(team),
      weight_(rows.weights.empty() ? static_cast<double>(rows.size()) : sum_of(rows.weights)) {}

std::span<double> WholeScore::look_at(const std::vector<double>& raw) {
  const std::size_t n = rows_.size(), n_blocks = (n + kBlock - 1) / kBlock;
  std::vector<double> parts(n_blocks);
  team_.parallel_for(n_blocks, n * objective_.outputs() * 4, [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, end = std::min(n, begin + kBlock);
    parts[block] = objective_.total(rows_, raw.data(), begin, end);
  });
  score_ = sum_of(parts) / weight_;
  return {};
}

double left_out_score(const Objective& objective, const Targets& rows, const std::vector<double>& raw,
                      std::span<const std::uint8_t> flags, Team& team) {
  std::vector<RowId> left_out;
  for (std::size_t row = 0; row < flags.size(); ++row) {
    if (flags[row] == 0) left_out.push_back(static_cast<RowId>(row));
  }
  if (left_out.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t n = left_out.size(), n_blocks = (n + kBlock - 1) / kBlock;
  std::vector<double> losses(n_blocks), weights(n_blocks);
  team.parallel_for(n_blocks, n * objective.outputs() * 4, [&](std::size_t block, int) {
    const std::span<const RowId> own(left_out.data() + block * kBlock, std::min(kBlock, n - block * kBlock));
    std::vector<double> y, weight, scores;
    for (const RowId row : own) {
      y.push_back(rows.y[row]);
      weight.push_back(rows.weight(row));
    }
    for (std::size_t k = 0; k < objective.outputs(); ++k) {
      for (const RowId row : own) scores.push_back(raw[k * rows.size() + row]);
    }
    losses[block] = objective.total({y, weight}, scores.data(), 0, own.size());
    weights[block] = sum_of(weight);
  });
  return sum_of(losses) / sum_of(weights);
}

}  // namespace treewright
