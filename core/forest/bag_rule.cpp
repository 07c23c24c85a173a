#include "forest/bag_rule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace treewright {

BagDraw::BagDraw(const BagRule& rule, std::size_t n_rows) : rule_(rule), n_rows_(n_rows) {
  if (rule.draws < 0 || rule.features < 0)
    throw std::invalid_argument("A bag cannot draw fewer than no rows.");
  if (!rule.replace && static_cast<std::uint64_t>(rule.draws) > n_rows) {
    throw std::invalid_argument("More rows are to be drawn without replacement than there are.");
  }
  if (rule.probabilities.empty()) return;
  if (rule.probabilities.size() != n_rows) {
    throw std::invalid_argument("A bag needs the probability of every row.");
  }
  double total = 0;
  std::size_t positive = 0;
  for (const double p : rule.probabilities) {
    if (!(p >= 0) || !std::isfinite(p))
      throw std::invalid_argument("A probability of a bag is no number >= 0.");
    total += p;
    positive += p > 0;
  }
  if (!(total > 0) || !std::isfinite(total)) throw std::invalid_argument("No row of the bag can be drawn.");
  if (!rule.replace) {
    if (static_cast<std::uint64_t>(rule.draws) > positive) {
      throw std::invalid_argument("More rows are to be drawn without replacement than have a weight.");
    }
    return;
  }
  // Every column of the table has the height of the mean; tall rows lend to short ones (Vose 1991).
  accept_.resize(n_rows);
  other_.resize(n_rows);
  std::vector<std::uint32_t> low, high;
  for (std::size_t i = 0; i < n_rows; ++i) {
    accept_[i] = rule.probabilities[i] / total * static_cast<double>(n_rows);
    other_[i] = static_cast<std::uint32_t>(i);
    (accept_[i] < 1 ? low : high).push_back(static_cast<std::uint32_t>(i));
  }
  while (!low.empty() && !high.empty()) {
    const std::uint32_t small = low.back(), large = high.back();
    low.pop_back();
    other_[small] = large;
    accept_[large] -= 1 - accept_[small];
    if (accept_[large] < 1) {
      high.pop_back();
      low.push_back(large);
    }
  }
  // What is left differs from 1 by rounding only; a row of weight 0 is never among the high ones.
  for (const std::uint32_t i : high) accept_[i] = 1;
  for (const std::uint32_t i : low) {
    if (rule.probabilities[i] > 0) accept_[i] = 1;
  }
}

std::vector<std::uint32_t> BagDraw::counts(std::uint64_t tree) const {
  if (rule_.draws == 0) return std::vector<std::uint32_t>(n_rows_, 1);
  std::vector<std::uint32_t> counts(n_rows_, 0);
  Random random = stream(rule_.tree(tree), TreeStream::kRows);
  rule_.replace ? draw_with_replacement(random, counts) : draw_without_replacement(random, counts);
  return counts;
}

void BagDraw::draw_with_replacement(Random& random, std::vector<std::uint32_t>& counts) const {
  if (accept_.empty()) {
    for (std::int64_t i = 0; i < rule_.draws; ++i)
      ++counts[static_cast<std::size_t>(random.uniform(n_rows_))];
    return;
  }
  for (std::int64_t i = 0; i < rule_.draws; ++i) {
    const auto column = static_cast<std::size_t>(random.uniform(n_rows_));
    ++counts[random.uniform01() < accept_[column] ? column : other_[column]];
  }
}

void BagDraw::draw_without_replacement(Random& random, std::vector<std::uint32_t>& counts) const {
  const auto wanted = static_cast<std::size_t>(rule_.draws);
  if (rule_.probabilities.empty()) {
    // Selection sampling (Knuth, algorithm S): one pass, no table.
    std::size_t left = wanted;
    for (std::size_t i = 0; i < n_rows_ && left > 0; ++i) {
      if (random.uniform(n_rows_ - i) >= left) continue;
      counts[i] = 1;
      --left;
    }
    return;
  }
  // The rows with the largest u^(1/p) (Efraimidis, Spirakis 2006), compared as logarithms.
  std::vector<std::pair<double, std::uint32_t>> keys;
  keys.reserve(n_rows_);
  for (std::size_t i = 0; i < n_rows_; ++i) {
    const double u = random.uniform01();
    if (rule_.probabilities[i] > 0) {
      keys.emplace_back(-std::log1p(-u) / rule_.probabilities[i], static_cast<std::uint32_t>(i));
    }
  }
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(wanted) - 1, keys.end());
  for (std::size_t i = 0; i < wanted; ++i) counts[keys[i].second] = 1;
}

std::vector<FeatureId> draw_columns(const BagRule& rule, FeatureId n_features, std::uint64_t tree) {
  std::vector<FeatureId> columns(static_cast<std::size_t>(n_features));
  std::iota(columns.begin(), columns.end(), FeatureId{0});
  if (rule.features == 0) return columns;
  Random random = stream(rule.tree(tree), TreeStream::kColumns);
  const auto wanted = static_cast<std::size_t>(rule.features);
  if (rule.replace_features) {
    std::vector<FeatureId> drawn(wanted);
    for (FeatureId& column : drawn)
      column = columns[static_cast<std::size_t>(random.uniform(columns.size()))];
    columns = std::move(drawn);
  } else {
    if (wanted > columns.size()) throw std::invalid_argument("More columns are to be drawn than there are.");
    for (std::size_t i = 0; i < wanted; ++i) {
      std::swap(columns[i], columns[i + static_cast<std::size_t>(random.uniform(columns.size() - i))]);
    }
    columns.resize(wanted);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace treewright
