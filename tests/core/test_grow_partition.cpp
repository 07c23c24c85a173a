#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "check.h"
#include "grow/partition.h"
#include "grow_data.h"

namespace treewright::test {

namespace {

using Sample = WeightedMean<true>::Sample;

struct Rows {
  std::vector<RowId> rows;
  std::vector<Sample> samples;
  OpenNode<Sample> node;

  explicit Rows(std::size_t n) : rows(n), samples(n) {
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = static_cast<RowId>(n - 1 - i);  // any order is kept
      samples[i] = {static_cast<double>(rows[i]), 1.0 + static_cast<double>(i % 3)};
    }
    node.rows = rows.data();
    node.samples = samples.data();
    node.size = n;
  }
};

Candidate threshold(Code cut, Code next, std::uint32_t missing) {
  Candidate candidate;
  candidate.kind = NodeKind::kThreshold;
  candidate.feature = 0;
  candidate.cut = cut;
  candidate.next = next;
  candidate.missing_known = true;
  candidate.missing = missing;
  return candidate;
}

Candidate subset(std::vector<Code> right, std::uint32_t missing) {
  Candidate candidate = threshold(0, 0, missing);
  candidate.kind = NodeKind::kSubset;
  candidate.right = std::move(right);
  return candidate;
}

void check_binary(const Candidate& candidate, Code n_codes) {
  Random random(1);
  constexpr std::size_t kRows = 60;
  const std::vector<Code> codes = random_codes(random, kRows, n_codes, 0.2);
  const Column column = make_column(ColumnKind::kNominal, codes, n_codes);
  Rows rows(kRows);
  const std::vector<RowId> before = rows.rows;
  const NodeSplit split(candidate, column, GrowPlan{});
  PartitionScratch<Sample> scratch;
  const std::size_t left = partition_binary(column, rows.node, split, scratch);
  std::vector<RowId> expected[2];
  for (const RowId row : before) {
    const std::uint32_t branch = codes[row] == kMissing ? candidate.missing : split.branch(codes[row]);
    expected[branch].push_back(row);
  }
  CHECK(left == expected[0].size());
  expected[0].insert(expected[0].end(), expected[1].begin(), expected[1].end());
  CHECK(rows.rows == expected[0]);  // the order is kept on both sides
  for (std::size_t i = 0; i < kRows; ++i) CHECK(rows.samples[i].y == static_cast<double>(rows.rows[i]));
}

TEST("a binary split keeps the order of rows") {
  for (const std::uint32_t missing : {0U, 1U}) {
    check_binary(threshold(3, 4, missing), 8);
    check_binary(threshold(8, 0, missing), 8);  // all known rows left
    check_binary(threshold(200, 201, missing), 400);
    check_binary(subset({1, 3, 8}, missing), 8);
    check_binary(subset({1, 3, 800}, missing), 800);  // more codes than a look-up table would pay for
    check_binary(threshold(40'000, 40'001, missing), 70'000);
  }
}

TEST("known rows are counted by branch") {
  const std::vector<Code> codes{1, 2, 0, 3, 1, 0};
  const Column column = make_column(ColumnKind::kNumeric, codes, 3);
  const Rows rows(codes.size());
  const NodeSplit split(threshold(1, 2, 1), column, GrowPlan{});
  const BranchSizes sizes = count_known(column, rows.node, split);
  CHECK(sizes.left == 2 && sizes.right == 2);
  double left = 0, right = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Code code = codes[rows.rows[i]];
    if (code != kMissing) (code == 1 ? left : right) += rows.samples[i].amount;
  }
  CHECK(sizes.left_weight == left && sizes.right_weight == right);
}

TEST("rows with a missing value are shared out") {
  const std::vector<Code> codes{1, 1, 3, 0};
  const Column column = make_column(ColumnKind::kNominal, codes, 3);
  std::vector<RowId> rows{0, 1, 2, 3};
  std::vector<Sample> samples{{10, 1}, {11, 2}, {12, 1}, {13, 2}};
  OpenNode<Sample> node;
  node.rows = rows.data();
  node.samples = samples.data();
  node.size = 4;
  Candidate candidate;
  candidate.kind = NodeKind::kMultiway;
  GrowPlan plan;
  plan.missing = MissingRule::kFractional;
  MissingRows missing;
  const auto shared =
      partition_lists(column, node, NodeSplit(candidate, column, plan), true, Arithmetic::kExact, missing);
  CHECK(missing.rows == 1 && missing.weight == 2);
  CHECK(shared.size() == 3);
  CHECK((shared[0]->rows == std::vector<RowId>{0, 1, 3}));
  CHECK(shared[1]->rows.empty());
  CHECK((shared[2]->rows == std::vector<RowId>{2, 3}));
  CHECK(shared[0]->samples[2].amount == 1.5 && shared[2]->samples[1].amount == 0.5);
  plan.missing = MissingRule::kOwnBranch;
  const auto own =
      partition_lists(column, node, NodeSplit(candidate, column, plan), false, Arithmetic::kExact, missing);
  CHECK(own.size() == 4);
  CHECK((own[3]->rows == std::vector<RowId>{3}));
  CHECK(own[3]->samples[0].amount == 2);
}

TEST("of many categories those without rows share a branch") {
  const std::vector<Code> codes{70, 7, 70, 0, 1000};
  const Column column = make_column(ColumnKind::kNominal, codes, 1000);
  Rows rows(codes.size());
  Candidate candidate;
  candidate.kind = NodeKind::kMultiway;
  candidate.feature = 0;
  GrowPlan plan;
  plan.missing = MissingRule::kOwnBranch;
  NodeSplit split(candidate, column, plan);
  CHECK(split.is_sparse());
  split.set_branches(column, plan.missing, std::vector<Code>{7, 70, 1000});
  CHECK(split.n_children() == 5);  // three categories, missing, all others
  MissingRows missing;
  const auto lists = partition_lists(column, rows.node, split, false, Arithmetic::kExact, missing);
  CHECK(missing.rows == 1);
  CHECK((lists[0]->rows == std::vector<RowId>{1}));
  CHECK((lists[1]->rows == std::vector<RowId>{2, 0}));
  CHECK((lists[2]->rows == std::vector<RowId>{4}));
  CHECK((lists[3]->rows == std::vector<RowId>{3}));
  CHECK(lists[4]->rows.empty());
  TreeBuilder builder(1);
  split.write(builder, 0, 0, {});
  const std::uint32_t* table = builder.tree().tables.data();
  const std::vector<std::uint32_t> expected{3, 0, 1, 2, 4, 4, kStopHere};
  const std::vector<Code> asked{0, 7, 70, 1000, 1, 999, 1001};
  for (std::size_t i = 0; i < asked.size(); ++i) CHECK(branch_of(table, asked[i]) == expected[i]);
}

TEST("a threshold stands between its values") {
  CHECK(midpoint(1, 2) == 1.5);
  CHECK(midpoint(-1.7e308, 1.7e308) == 0);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CHECK(midpoint(-kInf, 3) == -kInf);
  CHECK(midpoint(3, kInf) == 3);
  CHECK(midpoint(-kInf, kInf) == -kInf);
  CHECK(midpoint(1.0, std::nextafter(1.0, 2.0)) == 1.0);
  CHECK(midpoint(5e-324, 1e-323) == 5e-324);
  CHECK(midpoint(0.0, 5e-324) == 0.0);
  CHECK(midpoint(-5e-324, 0.0) == -5e-324);
  const Column column = make_column(ColumnKind::kNumeric, {1, 2, 3, 4}, 4, {1, 2, 3, 10});
  CHECK(threshold_of(column, CutRule::kMidpoint, 1, 4) == 5.5);
  CHECK(threshold_of(column, CutRule::kValueBelow, 1, 4) == 3);
  CHECK(threshold_of(column, CutRule::kMidpoint, 4, 0) == kInf);
  // As single-precision numbers 0.1 and the next double are one value; the threshold is the larger double.
  const double tenth = 0.1, above = std::nextafter(0.1, 1.0);
  const Column close = make_column(ColumnKind::kNumeric, {1, 2, 3}, 3, {tenth, above, 0.3});
  CHECK(threshold_of(close, CutRule::kValueBelow, 1, 3, Arithmetic::kSingle) == above);
  const Column large = make_column(ColumnKind::kNumeric, {1, 2, 3}, 3, {16777214, 16777215, 16777216});
  CHECK(threshold_of(large, CutRule::kValueBelow, 1, 3, Arithmetic::kSingle) == 16777215);
  CHECK(threshold_of(large, CutRule::kValueBelow, 1, 2, Arithmetic::kSingle) == 16777214);
}

}  // namespace

}  // namespace treewright::test
