#include "prune/pruner.h"

#include <algorithm>
#include <limits>

#include "criterion/criteria.h"
#include "prune/node_edit.h"

namespace treewright {

namespace {

constexpr double kPreference = ErrorRule::kPreference;

}  // namespace

Pruner::Pruner(Tree& tree, const Dataset& data, std::span<const std::int32_t> labels, std::size_t n_classes,
               std::span<const double> weights, const PessimisticPlan& plan, Team& team)
    : tree_(tree),
      labels_(labels),
      plan_(plan),
      team_(team),
      router_(tree, data),
      pile_(data.n_rows, weights, router_.may_share(), team),
      estimates_(tree.size(), n_classes, ErrorRule(plan.program, plan.confidence)),
      raised_branch_(tree, router_, estimates_, labels, pile_, team),
      moved_(tree.size(), 0) {}

void Pruner::run() {
  open(0, pile_.all());
  while (!frames_.empty()) {
    team_.poll();
    Frame& frame = frames_.back();
    if (frame.next < tree_.n_children[frame.node]) {
      open_branch(frame);
    } else {
      close(frame);
    }
  }
  write_numbers();
  if (plan_.program == PruneProgram::kJ48) fill_empty_leaves();
}

void Pruner::open(std::size_t node, RowRange rows) {
  double* counts = estimates_.counts(node);
  std::fill_n(counts, estimates_.n_classes(), 0.0);
  pile_.count(rows, labels_, counts);
  tree_.rows[node] = static_cast<std::int64_t>(rows.size());
  tree_.weight[node] = estimates_.weight(counts);
  const double as_leaf = estimates_.of_leaf(counts);
  frames_.push_back({.node = node, .rows = rows, .as_leaf = as_leaf});
  if (tree_.kind[node] == NodeKind::kLeaf) return finish(as_leaf);
  frames_.back().bounds = bounds_.size();
  frames_.back().weights = branch_weights_.size();
  split(frames_.back());
}

// Sorts the rows of the frame's node by branch and finds the largest branch.
void Pruner::split(Frame& frame) {
  bounds_.resize(frame.bounds);
  branch_weights_.resize(frame.weights);
  pile_.count_missing(router_, tree_, frame.node, frame.rows);
  pile_.sort_by_branch(router_, frame.node, frame.rows, bounds_);
  frame.next = frame.largest = 0;
  frame.as_tree = frame.known = 0;
  double most = 0;
  const ErrorRule& rule = estimates_.rule();
  for (std::uint32_t b = 0; b < tree_.n_children[frame.node]; ++b) {
    const double weight = pile_.weight(bucket(frame, b));
    branch_weights_.push_back(weight);
    frame.known += weight;
    if (weight > 0 && rule.at_most(most, weight)) {
      most = weight;
      frame.largest = b;
    }
  }
  estimates_.set_shares(frame.node, !shared(frame).empty());
  if (frame.known > 0) return;
  // No row can take a branch, which training does not produce: the test says nothing.
  become_leaf(tree_, frame.node);
  finish(frame.as_leaf);
}

double Pruner::share(const Frame& frame, std::uint32_t branch) const {
  const double share = branch_weights_[frame.weights + branch] / frame.known;
  return share > estimates_.rule().smallest_share() ? share : 0.0;
}

void Pruner::open_branch(Frame& frame) {
  const std::uint32_t branch = frame.next++;
  const std::size_t child = static_cast<std::size_t>(tree_.first_child[frame.node]) + branch;
  moved_[child] = moved_[frame.node];
  const RowRange known = bucket(frame, branch);
  if (known.empty()) return leave_empty(child);
  const double part = share(frame, branch);
  const bool copies = !shared(frame).empty() && part > 0;
  const RowRange rows = copies ? pile_.push_merged(known, shared(frame), part) : known;
  open(child, rows);  // the frame may move
}

// A branch that no row takes: it says what it said before and counts for nothing.
void Pruner::leave_empty(std::size_t node) {
  if (tree_.kind[node] != NodeKind::kLeaf) become_leaf(tree_, node);
  tree_.rows[node] = 0;
  tree_.weight[node] = tree_.loss[node] = 0;
  std::fill_n(estimates_.counts(node), estimates_.n_classes(), 0.0);
  estimates_.set_errors(node, 0);
}

void Pruner::close(Frame& frame) {
  const ErrorRule& rule = estimates_.rule();
  const double leaf = frame.as_leaf, tree = frame.as_tree;
  const double raised = plan_.raising ? raised_errors(frame) : std::numeric_limits<double>::infinity();
  if (rule.at_most(leaf, tree + kPreference) && rule.at_most(leaf, raised + kPreference)) {
    become_leaf(tree_, frame.node);
    finish(leaf);
  } else if (rule.at_most(raised, tree + kPreference)) {
    raise(frame);
  } else {
    finish(tree);
  }
}

double Pruner::raised_errors(const Frame& frame) {
  const std::size_t branch = static_cast<std::size_t>(tree_.first_child[frame.node]) + frame.largest;
  if (tree_.kind[branch] == NodeKind::kLeaf) return frame.as_leaf;
  // Above this the branch is not raised. A leaf that is to beat the tree lies below it as well, so the leaf's
  // chances do not depend on how far above the sum is.
  const double limit = frame.as_tree + kPreference;
  const auto decided = [&](double sum) { return !estimates_.rule().at_most(sum, limit); };
  return raised_branch_.errors(
      branch, {frame.rows, bucket(frame, frame.largest), shared(frame), share(frame, frame.largest)},
      decided);
}

// All rows of the node go down the largest branch, and what they change is pruned again.
void Pruner::raise(Frame& frame) {
  const std::size_t branch = static_cast<std::size_t>(tree_.first_child[frame.node]) + frame.largest;
  raise_branch(tree_, frame.node, branch);
  router_.moved(branch, frame.node);
  moved_[frame.node] = 1;
  if (tree_.kind[frame.node] == NodeKind::kLeaf) return finish(frame.as_leaf);
  split(frame);
}

// The last frame's node is done.
void Pruner::finish(double errors) {
  const Frame done = frames_.back();
  estimates_.set_errors(done.node, errors);
  frames_.pop_back();
  if (frames_.empty()) return;
  if (done.bounds > 0) {
    bounds_.resize(done.bounds);
    branch_weights_.resize(done.weights);
  }
  Frame& parent = frames_.back();
  parent.as_tree += errors;
  // Where rows were shared, the child had copies on top of its parent's rows.
  if (done.rows.begin >= parent.rows.end) pile_.truncate(done.rows.begin);
}

void Pruner::write_numbers() {
  const std::size_t n_classes = estimates_.n_classes();
  const int classes = static_cast<int>(n_classes);
  const auto loss_of = visit_criterion<Task::kClasses>(
      plan_.criterion, []<class Types>(Types) { return &Types::Weighted::loss; });
  for (std::size_t node = tree_.size(); node-- > 0;) {
    const double weight = tree_.weight[node];
    const double* counts = estimates_.counts(node);
    if (tree_.rows[node] == 0 || !(weight > 0)) continue;
    double* value = tree_.value.data() + node * n_classes;
    for (std::size_t k = 0; k < n_classes; ++k) value[k] = counts[k] * (1.0 / weight);
    const bool pure = std::count_if(counts, counts + n_classes, [](double c) { return c > 0; }) < 2;
    tree_.loss[node] = pure ? 0.0 : loss_of(counts, classes, weight);
    double below = 0;
    for (std::uint32_t b = 0; b < tree_.n_children[node]; ++b) {
      below += tree_.loss[static_cast<std::size_t>(tree_.first_child[node]) + b];
    }
    tree_.gain[node] = tree_.kind[node] == NodeKind::kLeaf ? 0.0 : std::max(0.0, tree_.loss[node] - below);
  }
}

// J48: a branch without rows answers like its parent, whose rows are others after raising.
void Pruner::fill_empty_leaves() {
  const std::size_t n_classes = estimates_.n_classes();
  for (std::size_t node = 0; node < tree_.size(); ++node) {
    if (!moved_[node] || tree_.rows[node] == 0) continue;
    for (std::uint32_t b = 0; b < tree_.n_children[node]; ++b) {
      const std::size_t child = static_cast<std::size_t>(tree_.first_child[node]) + b;
      if (tree_.rows[child] > 0) continue;
      std::copy_n(tree_.value.begin() + static_cast<std::ptrdiff_t>(node * n_classes), n_classes,
                  tree_.value.begin() + static_cast<std::ptrdiff_t>(child * n_classes));
    }
  }
}

}  // namespace treewright
