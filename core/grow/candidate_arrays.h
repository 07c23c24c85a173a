// The candidates that a growing tree remembers, written into its arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "data/dataset.h"
#include "grow/node_split.h"
#include "grow/plan.h"
#include "grow/search_result.h"
#include "tree/builder.h"
#include "tree/table.h"

namespace treewright {

// What the candidates of a node have in common.
struct CandidateContext {
  NodeId node;
  double weight;      // of the node
  double least_gain;  // see SearchResult
  bool pays;          // cuts pay for their number
};

inline CandidateContext candidate_context(NodeId node, double weight, double least_gain,
                                          const GrowPlan& plan) {
  return {node, weight, least_gain, plan.cut_penalty || plan.arithmetic == Arithmetic::kSingle};
}

// Where the categories go; -1 when each has a branch of its own.
inline std::int64_t append_candidate_table(TreeBuilder& builder, const Candidate& candidate) {
  if (candidate.kind == NodeKind::kSubset) {
    if (candidate.one != 0) return builder.append_table(TableFormat::kListLeft, {&candidate.one, 1});
    return builder.append_table(TableFormat::kList, candidate.right);
  }
  if (candidate.kind != NodeKind::kMultiway || candidate.groups.empty()) return -1;
  std::vector<std::uint32_t> branches{kEveryBranch};  // of a missing value
  branches.insert(branches.end(), candidate.groups.begin(), candidate.groups.end());
  branches.push_back(kEveryBranch);  // of a category that training did not see
  return builder.append_table(TableFormat::kBranches, branches);
}

// Appends one candidate; `threshold` counts for a threshold test only.
inline void append_candidate(TreeBuilder& builder, const CandidateContext& context,
                             const Candidate& candidate, double threshold, std::uint32_t n_branches) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool binary = candidate.kind != NodeKind::kMultiway;
  const bool cut = candidate.kind == NodeKind::kThreshold;
  Tree& tree = builder.tree();
  tree.candidate_node.push_back(context.node);
  tree.candidate_feature.push_back(candidate.feature);
  tree.candidate_kind.push_back(candidate.kind);
  tree.candidate_threshold.push_back(cut ? threshold : kNone);
  tree.candidate_table.push_back(append_candidate_table(builder, candidate));
  tree.candidate_branches.push_back(n_branches);
  tree.candidate_tries.push_back(cut && context.pays ? static_cast<std::uint32_t>(candidate.tries) : 0);
  tree.candidate_left.push_back(binary ? candidate.left_weight : kNone);
  tree.candidate_right.push_back(binary ? candidate.compared_weight - candidate.left_weight : kNone);
  tree.candidate_gain.push_back(candidate.mean_gain);
  tree.candidate_split_info.push_back(candidate.split_info / context.weight);
  tree.candidate_least_gain.push_back(context.least_gain);
}

// Appends the winner and those after it. Nodes may come in any order, each once; canonical() sorts them.
// `seen(column)` is asked for the categories in the node only where one branch for each declared one would be
// too many.
template <class Seen>
void append_candidates(TreeBuilder& builder, NodeId node, const SearchResult& result, double weight,
                       const Dataset& data, const GrowPlan& plan, Seen&& seen) {
  const CandidateContext context = candidate_context(node, weight, result.least_gain, plan);
  const auto append = [&](const Candidate& candidate) {
    const Column& column = data.column(candidate.feature);
    NodeSplit test(candidate, column, plan);
    if (test.is_sparse()) test.set_branches(column, plan.missing, seen(column));
    append_candidate(builder, context, candidate, test.threshold(), test.n_children());
  };
  append(result.winner);
  for (const Candidate& candidate : result.next) append(candidate);
}

}  // namespace treewright
