// Datasets for the tests of growing, and what every grown tree must fulfil.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/dataset.h"
#include "grow/grow.h"
#include "split_data.h"
#include "tree/check.h"
#include "tree/table.h"
#include "tree/tree.h"

namespace treewright::test {

struct GrowData {
  Dataset dataset;
  std::vector<std::int32_t> labels;  // three classes
  std::vector<double> y;             // not negative
  std::vector<double> weights;

  std::vector<Code> categories() const {
    std::vector<Code> n_codes;
    for (const Column& column : dataset.columns) {
      n_codes.push_back(column.kind == ColumnKind::kNumeric ? 0 : column.n_codes);
    }
    return n_codes;
  }
};

// Columns: fine and coarse numbers, numbers with gaps, an order, a few categories, many categories.
inline GrowData random_grow_data(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  GrowData data;
  data.dataset.n_rows = n;
  const auto add = [&](ColumnKind kind, Code n_codes, double missing) {
    data.dataset.columns.push_back(make_column(kind, random_codes(random, n, n_codes, missing), n_codes));
  };
  add(ColumnKind::kNumeric, 200, 0);
  add(ColumnKind::kNumeric, 7, 0);
  add(ColumnKind::kNumeric, 90, 0.15);
  add(ColumnKind::kOrdinal, 5, 0.05);
  add(ColumnKind::kNominal, 6, 0.1);
  add(ColumnKind::kNominal, 100, 0);
  const auto code = [&](std::size_t column, std::size_t row) {
    return static_cast<double>(
        data.dataset.columns[column].bytes[row]);  // all columns have one byte per code
  };
  for (std::size_t i = 0; i < n; ++i) {
    const double signal = code(0, i) / 40 + (code(4, i) > 3 ? 2 : 0) + (code(2, i) == 0 ? 3 : 0) +
                          std::fmod(code(5, i), 3) + 2 * random.uniform01();
    data.y.push_back(std::floor(signal * 8) / 8);
    data.labels.push_back(signal < 3 ? 0 : (signal < 5.5 ? 1 : 2));
    data.weights.push_back(0.25 * static_cast<double>(1 + random.uniform(8)));
  }
  return data;
}

// A task: one criterion with or without weights.
struct GrowTask {
  CriterionName criterion;
  bool weighted;
};

inline std::vector<GrowTask> all_grow_tasks() {
  std::vector<GrowTask> tasks;
  for (const CriterionEntry& entry : kCriteria) {
    for (const bool weighted : {false, true}) tasks.push_back({entry.criterion, weighted});
  }
  return tasks;
}

inline Tree grow_task(const GrowData& data, const GrowTask& task, GrowPlan plan, int n_threads = 1) {
  Team team(n_threads);
  plan.criterion = task.criterion;
  const std::vector<double> weights = task.weighted ? data.weights : std::vector<double>{};
  if (is_for_classes(task.criterion)) {
    return grow_classes(data.dataset, data.labels, 3, weights, plan, team);
  }
  return grow_means(data.dataset, data.y, weights, plan, team);
}

inline bool same_numbers(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return false;
    if (a[i] != b[i] && !std::isnan(a[i]) && !near(a[i], b[i], tolerance)) return false;
  }
  return true;
}

// Tests equal bit for bit, numbers up to the tolerance (0: bit for bit).
inline bool same_tree(const Tree& a, const Tree& b, double tolerance = 0) {
  return a.kind == b.kind && a.feature == b.feature && a.first_child == b.first_child &&
         a.n_children == b.n_children && same_numbers(a.threshold, b.threshold, 0) && a.table == b.table &&
         a.missing == b.missing && a.rows == b.rows && a.missing_rows == b.missing_rows &&
         same_numbers(a.missing_weight, b.missing_weight, tolerance) && a.tables == b.tables &&
         same_numbers(a.value, b.value, tolerance) && same_numbers(a.weight, b.weight, tolerance) &&
         same_numbers(a.loss, b.loss, tolerance) && same_numbers(a.gain, b.gain, tolerance);
}

// The branch that a training row takes; kEveryBranch where it goes down all of them.
inline std::uint32_t branch_of_row(const Tree& tree, std::size_t node, const Dataset& data, RowId row) {
  const Column& column = data.column(tree.feature[node]);
  const Code code = visit_codes(column, [&](const auto* codes) { return static_cast<Code>(codes[row]); });
  if (code == kMissing) return tree.missing[node];
  if (tree.kind[node] != NodeKind::kThreshold) return branch_of(tree.tables.data() + tree.table[node], code);
  const double value = column.kind == ColumnKind::kNumeric ? column.highest(code) : static_cast<double>(code);
  return value <= tree.threshold[node] ? 0 : 1;
}

// Empty if the arrays are valid and every node holds as many rows as reach it; otherwise what is wrong.
inline std::string fault_of(const Tree& tree, const GrowData& data) {
  try {
    check_tree(tree, data.categories());
  } catch (const std::exception& error) {
    return error.what();
  }
  std::vector<std::int64_t> rows(tree.size(), 0);
  for (RowId row = 0; row < data.dataset.n_rows; ++row) {
    std::vector<std::size_t> at{0};
    while (!at.empty()) {
      const std::size_t node = at.back();
      at.pop_back();
      ++rows[node];
      if (tree.kind[node] == NodeKind::kLeaf) continue;
      const std::uint32_t branch = branch_of_row(tree, node, data.dataset, row);
      for (std::uint32_t b = 0; b < tree.n_children[node]; ++b) {
        const std::size_t child = static_cast<std::size_t>(tree.first_child[node]) + b;
        // Fractions go to the children that hold known rows, which are those with rows.
        if (b == branch || (branch == kEveryBranch && tree.rows[child] > 0)) at.push_back(child);
      }
    }
  }
  return rows == tree.rows ? "" : "the rows of a node do not reach it";
}

}  // namespace treewright::test
