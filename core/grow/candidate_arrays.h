// The candidates that a growing tree remembers, written into its arrays.
#pragma once

#include <cstdint>

#include "data/dataset.h"
#include "grow/node_split.h"
#include "grow/plan.h"
#include "grow/search_result.h"
#include "tree/builder.h"

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

// Appends one candidate; `threshold` counts for a threshold test only.
void append_candidate(TreeBuilder& builder, const CandidateContext& context, const Candidate& candidate,
                      double threshold, std::uint32_t n_branches);

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
