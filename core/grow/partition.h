// Rows of a node → rows of its children, order kept. Binary splits move rows inside the node's slice;
// multiway and fractional ones give each child a list of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/dataset.h"
#include "grow/node_split.h"
#include "grow/open_node.h"
#include "grow/surrogates.h"
#include "tree/code_route.h"

namespace treewright {

template <class Sample>
struct PartitionScratch {
  std::vector<RowId> rows;
  std::vector<Sample> samples;
  RowBranches branches;  // with surrogates only
};

// The branches of all codes of a column, so that a test of categories costs one look-up per row, where there
// are more rows than codes.
class BranchLookup {
 public:
  BranchLookup(const NodeSplit& split, Code n_codes, std::size_t rows) : split_(split) {
    if (split.kind() == NodeKind::kThreshold || n_codes > rows) return;
    table_.resize(static_cast<std::size_t>(n_codes) + 1);
    for (Code code = 1; code <= n_codes; ++code) table_[code] = split.branch(code);
  }
  std::uint32_t operator()(Code code) const { return table_.empty() ? split_.branch(code) : table_[code]; }

 private:
  const NodeSplit& split_;
  std::vector<std::uint32_t> table_;
};

// Rows of a node without a value of the tested feature.
struct MissingRows {
  std::size_t rows = 0;
  double weight = 0;

  void add(double row_weight) {
    ++rows;
    weight += row_weight;
  }
  void write(Tree& tree, NodeId node) const {
    tree.missing_rows[static_cast<std::size_t>(node)] = static_cast<std::int64_t>(rows);
    tree.missing_weight[static_cast<std::size_t>(node)] = weight;
  }
};

struct BranchSizes {
  std::size_t left = 0, right = 0;  // rows with a known value
  double left_weight = 0, right_weight = 0;
  MissingRows missing;
};

template <class Sample>
BranchSizes count_known(const Column& column, const OpenNode<Sample>& node, const NodeSplit& split) {
  BranchSizes sizes;
  const BranchLookup branch(split, column.n_codes, node.size);
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t i = 0; i < node.size; ++i) {
      const Code code = codes[node.rows[i]];
      if (code == kMissing) {
        sizes.missing.add(node.samples[i].weight());
      } else if (branch(code) == 0) {
        ++sizes.left;
        sizes.left_weight += node.samples[i].weight();
      } else {
        ++sizes.right;
        sizes.right_weight += node.samples[i].weight();
      }
    }
  });
  return sizes;
}

// goes_right(i, row) for the i-th row of the node. Returns the number of rows on the left.
template <class Sample, class GoesRight>
std::size_t partition_by_row(const OpenNode<Sample>& node, PartitionScratch<Sample>& scratch,
                             GoesRight goes_right) {
  scratch.rows.resize(std::max(scratch.rows.size(), node.size));
  scratch.samples.resize(std::max(scratch.samples.size(), node.size));
  RowId* right_rows = scratch.rows.data();
  Sample* right_samples = scratch.samples.data();
  RowId* rows = node.rows;
  Sample* samples = node.samples;
  const std::size_t size = node.size;
  std::size_t left = 0, right = 0;
  for (std::size_t i = 0; i < size; ++i) {
    // Both sides are written, one of them advances: no branch to mispredict.
    const RowId row = rows[i];
    const Sample sample = samples[i];
    const bool to_right = goes_right(i, row);
    rows[left] = row;
    samples[left] = sample;
    right_rows[right] = row;
    right_samples[right] = sample;
    left += !to_right;
    right += to_right;
  }
  std::copy_n(right_rows, right, rows + left);
  std::copy_n(right_samples, right, samples + left);
  return left;
}

// goes_right(i, code) for the i-th row of the node.
template <class Sample, class GoesRight>
std::size_t partition_rows(const Column& column, const OpenNode<Sample>& node,
                           PartitionScratch<Sample>& scratch, GoesRight goes_right) {
  return visit_codes(column, [&](const auto* codes) {
    return partition_by_row(node, scratch, [&goes_right, codes](std::size_t i, RowId row) {
      return goes_right(i, static_cast<Code>(codes[row]));
    });
  });
}

template <class Sample>
std::size_t partition_binary(const Column& column, const OpenNode<Sample>& node, const NodeSplit& split,
                             PartitionScratch<Sample>& scratch) {
  const bool missing_right = split.missing() == 1;
  if (split.kind() == NodeKind::kThreshold) {
    const CutTest test(split.cut(), missing_right);
    return partition_rows(column, node, scratch,
                          [test](std::size_t, Code code) { return test.goes_right(code); });
  }
  const BranchLookup branch(split, column.n_codes, node.size);
  return partition_rows(column, node, scratch, [&](std::size_t, Code code) {
    return code == kMissing ? missing_right : branch(code) == 1;
  });
}

// Where the node's own test sends each row.
template <class Sample>
void read_branches(const Column& column, const OpenNode<Sample>& node, const NodeSplit& split,
                   RowBranches& out) {
  out.rows = node.rows;
  out.branch.resize(node.size);
  out.weight.resize(node.size);
  out.branch_weight[0] = out.branch_weight[1] = 0;
  const BranchLookup branch(split, column.n_codes, node.size);
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t i = 0; i < node.size; ++i) {
      const Code code = codes[node.rows[i]];
      out.weight[i] = node.samples[i].weight();
      out.branch[i] = code == kMissing ? RowBranches::kUnknown : static_cast<std::uint8_t>(branch(code));
      if (code != kMissing) out.branch_weight[out.branch[i]] += out.weight[i];
    }
  });
}

// By branches that are decided already, those in the scratch memory.
template <class Sample>
std::size_t partition_by_branches(const Column& column, const OpenNode<Sample>& node,
                                  PartitionScratch<Sample>& scratch) {
  const std::uint8_t* branch = scratch.branches.branch.data();
  return partition_rows(column, node, scratch, [branch](std::size_t i, Code) { return branch[i] == 1; });
}

inline double share_of(double amount, double part, Arithmetic arithmetic) {
  if (arithmetic != Arithmetic::kSingle) return amount * part;
  return static_cast<double>(static_cast<float>(amount) * static_cast<float>(part));
}

// One list per child. With fractions, a row whose value is missing joins every child that holds known rows,
// with its weight times the child's share of the known weight. Counts those rows in `missing`.
template <class Sample>
std::vector<std::shared_ptr<RowList<Sample>>> partition_lists(const Column& column,
                                                              const OpenNode<Sample>& node,
                                                              const NodeSplit& split, bool fractional,
                                                              Arithmetic arithmetic, MissingRows& missing) {
  const std::uint32_t n_children = split.n_children();
  std::vector<std::shared_ptr<RowList<Sample>>> children(n_children);
  for (auto& child : children) child = std::make_shared<RowList<Sample>>();
  std::vector<double> weights(n_children, 0.0);
  std::vector<std::size_t> sizes(n_children, 0);
  const BranchLookup branch(split, column.n_codes, node.size);
  const auto put = [](RowList<Sample>& list, RowId row, Sample sample) {
    list.rows.push_back(row);
    list.samples.push_back(sample);
  };
  visit_codes(column, [&](const auto* codes) {
    double known = 0;
    for (std::size_t i = 0; i < node.size; ++i) {
      const Code code = codes[node.rows[i]];
      if (code == kMissing) {
        missing.add(node.samples[i].weight());
        continue;
      }
      const std::uint32_t b = branch(code);
      weights[b] += node.samples[i].weight();
      ++sizes[b];
      known += node.samples[i].weight();
    }
    for (std::uint32_t b = 0; b < n_children; ++b) {
      const bool joined = fractional ? weights[b] > 0 : b == split.missing();
      const std::size_t size = sizes[b] + (joined ? missing.rows : 0);
      children[b]->rows.reserve(size);
      children[b]->samples.reserve(size);
    }
    // Rows stay in their order, so that the sums below do not depend on how the tree was grown.
    for (std::size_t i = 0; i < node.size; ++i) {
      const Code code = codes[node.rows[i]];
      if (code != kMissing) {
        put(*children[branch(code)], node.rows[i], node.samples[i]);
      } else if (!fractional) {
        put(*children[split.missing()], node.rows[i], node.samples[i]);
      } else {
        for (std::uint32_t b = 0; b < n_children; ++b) {
          if (!(weights[b] > 0)) continue;
          Sample share = node.samples[i];
          if constexpr (requires { share.amount; }) {
            share.amount = share_of(share.amount, weights[b] / known, arithmetic);
          }
          put(*children[b], node.rows[i], share);
        }
      }
    }
  });
  return children;
}

}  // namespace treewright
