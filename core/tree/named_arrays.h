// The arrays of a Tree by name: the one list of the names that Python and model files use. `value` (a row of
// outputs per node), `tables` and `surrogate_begin` are not like the others and stand alone.
#pragma once

#include "tree/tree.h"

namespace treewright {

// Each calls visit(name, vector) in the order of tree.h. One entry per node:
template <class SomeTree, class Visitor>
void for_each_node_array(SomeTree& tree, Visitor&& visit) {
  visit("kind", tree.kind);
  visit("feature", tree.feature);
  visit("first_child", tree.first_child);
  visit("n_children", tree.n_children);
  visit("threshold", tree.threshold);
  visit("table", tree.table);
  visit("missing", tree.missing);
  visit("rows", tree.rows);
  visit("weight", tree.weight);
  visit("loss", tree.loss);
  visit("gain", tree.gain);
}

// One entry per node as well, but a tree from elsewhere need not have them:
template <class SomeTree, class Visitor>
void for_each_missing_array(SomeTree& tree, Visitor&& visit) {
  visit("missing_rows", tree.missing_rows);
  visit("missing_weight", tree.missing_weight);
}

// One entry per surrogate:
template <class SomeTree, class Visitor>
void for_each_surrogate_array(SomeTree& tree, Visitor&& visit) {
  visit("surrogate_feature", tree.surrogate_feature);
  visit("surrogate_kind", tree.surrogate_kind);
  visit("surrogate_threshold", tree.surrogate_threshold);
  visit("surrogate_table", tree.surrogate_table);
  visit("surrogate_flip", tree.surrogate_flip);
  visit("surrogate_agreement", tree.surrogate_agreement);
}

// One entry per candidate:
template <class SomeTree, class Visitor>
void for_each_candidate_array(SomeTree& tree, Visitor&& visit) {
  visit("candidate_node", tree.candidate_node);
  visit("candidate_feature", tree.candidate_feature);
  visit("candidate_kind", tree.candidate_kind);
  visit("candidate_threshold", tree.candidate_threshold);
  visit("candidate_table", tree.candidate_table);
  visit("candidate_branches", tree.candidate_branches);
  visit("candidate_tries", tree.candidate_tries);
  visit("candidate_left", tree.candidate_left);
  visit("candidate_right", tree.candidate_right);
  visit("candidate_gain", tree.candidate_gain);
  visit("candidate_split_info", tree.candidate_split_info);
  visit("candidate_least_gain", tree.candidate_least_gain);
}

// What a tree has or not:
template <class SomeTree, class Visitor>
void for_each_side_array(SomeTree& tree, Visitor&& visit) {
  visit("surrogate_begin", tree.surrogate_begin);
  for_each_surrogate_array(tree, visit);
  for_each_candidate_array(tree, visit);
}

}  // namespace treewright
