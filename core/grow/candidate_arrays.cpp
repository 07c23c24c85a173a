#include "grow/candidate_arrays.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "tree/table.h"

namespace treewright {

namespace {

// Where the categories go; -1 when each has a branch of its own.
std::int64_t append_table(TreeBuilder& builder, const Candidate& candidate) {
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

}  // namespace

void append_candidate(TreeBuilder& builder, const CandidateContext& context, const Candidate& candidate,
                      double threshold, std::uint32_t n_branches) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool binary = candidate.kind != NodeKind::kMultiway;
  const bool cut = candidate.kind == NodeKind::kThreshold;
  Tree& tree = builder.tree();
  tree.candidate_node.push_back(context.node);
  tree.candidate_feature.push_back(candidate.feature);
  tree.candidate_kind.push_back(candidate.kind);
  tree.candidate_threshold.push_back(cut ? threshold : kNone);
  tree.candidate_table.push_back(append_table(builder, candidate));
  tree.candidate_branches.push_back(n_branches);
  tree.candidate_tries.push_back(cut && context.pays ? static_cast<std::uint32_t>(candidate.tries) : 0);
  tree.candidate_left.push_back(binary ? candidate.left_weight : kNone);
  tree.candidate_right.push_back(binary ? candidate.compared_weight - candidate.left_weight : kNone);
  tree.candidate_gain.push_back(candidate.mean_gain);
  tree.candidate_split_info.push_back(candidate.split_info / context.weight);
  tree.candidate_least_gain.push_back(context.least_gain);
}

}  // namespace treewright
