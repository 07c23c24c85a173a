// Tables for the tests of the exact method, and a search that works every candidate out from nothing, in the
// words of the xgboost package: x < t, float32 gains, missing values to either side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.h"
#include "boost/boost_plan.h"
#include "data/dataset.h"
#include "split_data.h"

namespace treewright::test {

struct ExactData {
  Dataset dataset;
  std::vector<std::vector<float>> values;  // by column; NaN is missing
  std::vector<float> gradient, hessian;

  // Exact ranks of the values.
  void add_column(const std::vector<float>& column) {
    std::vector<double> different;
    for (const float value : column) {
      if (!std::isnan(value)) different.push_back(static_cast<double>(value));
    }
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    std::vector<Code> codes;
    for (const float value : column) {
      const auto place = std::lower_bound(different.begin(), different.end(), static_cast<double>(value));
      codes.push_back(std::isnan(value) ? kMissing : static_cast<Code>(place - different.begin() + 1));
    }
    const auto n_codes = static_cast<Code>(different.size());
    dataset.n_rows = column.size();
    dataset.columns.push_back(make_column(ColumnKind::kNumeric, codes, n_codes, different));
    values.push_back(column);
  }
};

// `levels`: different values per column; few give ties.
inline ExactData random_exact_data(std::size_t n, std::size_t n_columns, std::uint64_t levels, double missing,
                                   bool equal_hessians, std::uint64_t seed) {
  Random random(seed);
  ExactData data;
  for (std::size_t f = 0; f < n_columns; ++f) {
    std::vector<float> column(n);
    for (float& value : column) {
      const auto level = static_cast<float>(random.uniform(levels)) - static_cast<float>(levels) / 2;
      value = random.uniform01() < missing ? std::numeric_limits<float>::quiet_NaN() : 0.37F * level;
    }
    data.add_column(column);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float x = data.values[0][i];
    const auto noise = static_cast<float>(random.uniform01());
    data.gradient.push_back((std::isnan(x) ? 0.5F : std::sin(x)) + noise - 0.5F);
    data.hessian.push_back(equal_hessians ? 1.0F : 0.1F + static_cast<float>(random.uniform01()));
  }
  return data;
}

// The best candidate of a node, found without sorting, summing up or sharing anything.
struct PlainCut {
  float gain = 0.0F;
  std::size_t feature = 0;
  float condition = 0.0F;  // x < condition goes left
  bool missing_left = true;

  bool sends_left(float x) const { return std::isnan(x) ? missing_left : x < condition; }
};

class PlainSearch {
 public:
  PlainSearch(const ExactData& data, const BoostPlan& plan) : data_(data), plan_(plan) {}

  PlainCut best(const std::vector<std::size_t>& rows) const {
    PlainCut best;
    for (std::size_t f = 0; f < data_.values.size(); ++f) {
      std::vector<float> known;
      for (const std::size_t row : rows) {
        if (!std::isnan(data_.values[f][row])) known.push_back(data_.values[f][row]);
      }
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      std::vector<float> conditions;
      for (std::size_t i = 1; i < known.size(); ++i) conditions.push_back((known[i - 1] + known[i]) * 0.5F);
      if (known.empty()) continue;
      if (data_.dataset.columns[f].has_missing && data_.dataset.columns[f].n_codes > 1) {
        for (const float t : conditions) consider(rows, {0, f, t, false}, &best);
        consider(rows, {0, f, known.back() + (std::abs(known.back()) + 1e-6F), false}, &best);
      }
      std::reverse(conditions.begin(), conditions.end());
      for (const float t : conditions) consider(rows, {0, f, t, true}, &best);
      consider(rows, {0, f, known.front() - (std::abs(known.front()) + 1e-6F), true}, &best);
    }
    return best;
  }

  double sum(const std::vector<float>& numbers, const std::vector<std::size_t>& rows) const {
    double total = 0;
    for (const std::size_t row : rows) total += static_cast<double>(numbers[row]);
    return total;
  }
  float value(const std::vector<std::size_t>& rows) const {
    const double h = sum(data_.hessian, rows);
    if (h < plan_.min_hessian_leaf || h <= 0) return 0.0F;
    return static_cast<float>(-near_zero(sum(data_.gradient, rows)) / (h + plan_.l2));
  }
  std::vector<std::size_t> side(const std::vector<std::size_t>& rows, const PlainCut& cut, bool left) const {
    std::vector<std::size_t> kept;
    for (const std::size_t row : rows) {
      if (cut.sends_left(data_.values[cut.feature][row]) == left) kept.push_back(row);
    }
    return kept;
  }

 private:
  double near_zero(double g) const {
    return g > plan_.l1 ? g - plan_.l1 : g < -plan_.l1 ? g + plan_.l1 : 0.0;
  }
  float score(double g, double h) const {
    if (h <= 0) return 0.0F;
    return static_cast<float>(near_zero(g) * near_zero(g)) / static_cast<float>(h + plan_.l2);
  }
  // The known side of a direction is summed in the order of the values, the other one is the rest.
  void consider(const std::vector<std::size_t>& rows, PlainCut cut, PlainCut* best) const {
    const std::vector<float>& x = data_.values[cut.feature];
    std::vector<std::size_t> passed = side(rows, cut, !cut.missing_left);
    const auto by_value = [&](std::size_t a, std::size_t b) { return x[a] < x[b]; };
    std::stable_sort(passed.begin(), passed.end(), by_value);
    if (cut.missing_left) std::reverse(passed.begin(), passed.end());
    if (passed.empty() || passed.size() == rows.size()) return;
    const double g = sum(data_.gradient, rows), h = sum(data_.hessian, rows);
    const double passed_g = sum(data_.gradient, passed), passed_h = sum(data_.hessian, passed);
    const auto min_rows = static_cast<std::size_t>(plan_.min_rows_leaf);
    if (passed.size() < min_rows || rows.size() - passed.size() < min_rows) return;
    if (passed_h < plan_.min_hessian_leaf || h - passed_h < plan_.min_hessian_leaf) return;
    cut.gain = score(passed_g, passed_h) + score(g - passed_g, h - passed_h) - score(g, h);
    if (cut.gain > best->gain) *best = cut;
  }

  const ExactData& data_;
  const BoostPlan& plan_;
};

}  // namespace treewright::test
