#include "boost/node_tests.h"

#include <algorithm>

#include "boost/exact/exact_grower.h"
#include "boost/histogram/histogram_grower.h"
#include "boost/histogram/ticks.h"
#include "boost/rounds/round_gradients.h"
#include "grow/node_split.h"

namespace treewright {

namespace {

bool has_one_code(const Column& column, std::span<const RowId> rows) {
  return visit_codes(column, [&](const auto* codes) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](RowId row) { return codes[row] == codes[rows.front()]; });
  });
}

NodeTest test_of(const Column& column, const SplitChoice& choice) {
  NodeTest test;
  if (!choice || !(choice.gain > 0)) return test;
  test.kind = choice.is_subset ? NodeKind::kSubset : NodeKind::kThreshold;
  if (!choice.is_subset) {
    const Code next = choice.cut < column.n_codes ? choice.cut + 1 : 0;
    test.threshold = threshold_of(column, CutRule::kMidpoint, choice.cut, next);
  }
  const CodeTest by_code(column, choice);
  test.branches.assign(by_code.goes_right.begin(), by_code.goes_right.end() - 1);
  return test;
}

NodeTest test_of(const Column& column, const ExactNode& node) {
  NodeTest test;
  if (node.is_leaf()) return test;
  test.kind = NodeKind::kThreshold;
  test.threshold = node.threshold;
  const CodeRoute route{node.missing_left ? 0U : 1U, node.last_left};
  for (Code code = kMissing; code <= column.n_codes; ++code) test.branches.push_back(route.branch(code));
  return test;
}

void add_sides(const Column& column, const Gradients& gradients, std::span<const RowId> rows,
               NodeTest& test) {
  visit_codes(column, [&](const auto* codes) {
    for (const RowId row : rows) {
      const std::uint32_t side = test.branches[codes[row]];
      ++test.rows[side];
      test.gradient[side] += static_cast<double>(gradients.gradient[row]);
      test.hessian[side] += static_cast<double>(gradients.hessian[row]);
    }
  });
}

template <class Ticks>
std::vector<NodeTest> histogram_tests(const Dataset& data, const BoostPlan& plan, const Gradients& gradients,
                                      const NodePlace& place, std::span<const RowId> rows, Team& team) {
  const std::vector<SplitChoice> found =
      HistogramGrower<Ticks>(data, plan, team)
          .candidates(gradients, place.round, place.output, rows, place.bounds);
  std::vector<NodeTest> tests;
  for (std::size_t f = 0; f < found.size(); ++f) {
    NodeTest test = test_of(data.columns[f], found[f]);
    if (test.kind != NodeKind::kLeaf) {
      add_sides(data.columns[f], gradients, rows, test);
      // Nothing is known of missing values here: they follow the larger side.
      if (!found[f].missing_known) test.branches[kMissing] = test.rows[1] > test.rows[0] ? 1 : 0;
    }
    tests.push_back(std::move(test));
  }
  return tests;
}

std::vector<NodeTest> exact_tests(const Dataset& data, const BoostPlan& plan, Gradients gradients,
                                  const NodePlace& place, std::span<const RowId> rows, Team& team) {
  std::vector<std::uint8_t> in_node(data.n_rows, 0);
  for (const RowId row : rows) in_node[row] = 1;
  gradients.drawn = in_node;
  const FloatBounds bounds{static_cast<float>(place.bounds.lower), static_cast<float>(place.bounds.upper)};
  const std::vector<ExactNode> found = ExactGrower(data, plan, team).candidates(gradients, bounds);
  std::vector<NodeTest> tests;
  for (std::size_t f = 0; f < found.size(); ++f) {
    NodeTest test = test_of(data.columns[f], found[f]);
    if (test.kind != NodeKind::kLeaf) add_sides(data.columns[f], gradients, rows, test);
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace

std::vector<NodeTest> node_tests(const Dataset& data, const BoostPlan& plan, const Gradients& gradients,
                                 const NodePlace& place, std::span<const RowId> rows, Team& team) {
  if (rows.empty()) return std::vector<NodeTest>(data.columns.size());
  std::vector<NodeTest> tests;
  if (place.exact) {
    tests = exact_tests(data, plan, gradients, place, rows, team);
  } else if (has_wide_ticks(data.n_rows)) {
    tests = histogram_tests<WideTicks>(data, plan, gradients, place, rows, team);
  } else {
    tests = histogram_tests<PackedTicks>(data, plan, gradients, place, rows, team);
  }
  for (std::size_t f = 0; f < tests.size(); ++f) {
    if (tests[f].kind == NodeKind::kLeaf) tests[f].is_constant = has_one_code(data.columns[f], rows);
  }
  return tests;
}

}  // namespace treewright
