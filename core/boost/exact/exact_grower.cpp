#include "boost/exact/exact_grower.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "boost/exact/exact_tree.h"
#include "boost/exact/float_threshold.h"
#include "grow/feature_draw.h"

namespace treewright {

namespace {

// Smaller gains are rounding.
constexpr float kLeastGain = 1e-6F;

void check(const Dataset& data, const BoostPlan& plan) {
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    const Column& column = data.columns[i];
    if (column.kind == ColumnKind::kNominal) {
      throw std::invalid_argument("Column " + std::to_string(i) +
                                  " is nominal, and the exact method cuts ordered values only. Use the "
                                  "histogram method (tree_method=\"hist\"), or encode the categories as "
                                  "numbers.");
    }
    if (!column.upper.empty()) {
      throw std::invalid_argument("The exact method needs columns in exact ranks, but column " +
                                  std::to_string(i) + " is in bins.");
    }
  }
  if (plan.max_leaves < std::numeric_limits<std::int64_t>::max()) {
    throw std::invalid_argument(
        "The exact method grows level by level and has no limit of leaves. Limit the depth, or use the "
        "histogram method (tree_method=\"hist\").");
  }
  if (!plan.monotone.empty() && plan.monotone.size() != data.columns.size()) {
    throw std::invalid_argument("The plan must name a monotone direction for every column.");
  }
  for (const std::vector<FeatureId>& group : plan.interactions) {
    for (const FeatureId feature : group) {
      if (feature >= 0 && feature < data.n_features()) continue;
      throw std::invalid_argument("The interaction constraints name column " + std::to_string(feature) +
                                  ", which does not exist.");
    }
  }
}

// A column that no group names meets no other, as in the package.
BoostPlan with_all_columns(BoostPlan plan, FeatureId n_features) {
  if (plan.interactions.empty()) return plan;
  std::vector<char> named(static_cast<std::size_t>(n_features), 0);
  for (const std::vector<FeatureId>& group : plan.interactions) {
    for (const FeatureId feature : group) named[static_cast<std::size_t>(feature)] = 1;
  }
  for (FeatureId feature = 0; feature < n_features; ++feature) {
    if (named[static_cast<std::size_t>(feature)] == 0) plan.interactions.push_back({feature});
  }
  return plan;
}

BoostPlan checked(const Dataset& data, const BoostPlan& plan) {
  check(data, plan);
  return with_all_columns(plan, data.n_features());
}

}  // namespace

ExactGrower::ExactGrower(const Dataset& data, const BoostPlan& plan, Team& team)
    : data_(data),
      plan_(checked(data, plan)),
      team_(team),
      newton_(plan_),
      columns_(data.columns.size()),
      draws_(plan_, data.n_features()),
      rows_(data, team),
      orders_(data.columns.size()),
      leaf_(data.n_rows) {
  team_.parallel_for(columns_.size(), 8 * columns_.size() * data.n_rows, [&](std::size_t i, int) {
    columns_[i] = SortedColumn::of(data_.columns[i], data_.n_rows, team_.stop());
  });
  const auto min_rows = static_cast<std::size_t>(std::max<std::int64_t>(plan.min_rows_leaf, 1));
  workers_.assign(static_cast<std::size_t>(team.size()), Worker(CutScan(newton_, min_rows)));
}

BoostedTree ExactGrower::grow(const Gradients& gradients, std::uint64_t round, std::size_t output) {
  if (gradients.gradient.size() != data_.n_rows || gradients.hessian.size() != data_.n_rows) {
    throw std::invalid_argument("Every row needs a gradient and a hessian.");
  }
  draws_.begin_tree(mix_bits(plan_.seed + mix_bits(round * 0x9E3779B97F4A7C15U + output)));
  start(gradients);
  for (std::int64_t depth = 0; depth < plan_.max_depth && !open_.empty(); ++depth) {
    find_cuts(depth);
    apply_cuts();
    divide(depth);
  }
  mark_leaves(open_);
  prune_small_gains(nodes_, static_cast<float>(std::max(plan_.min_gain, gradients.chance_gain)));
  BoostedTree grown = exact_tree(nodes_, leaf_, rows_, data_, team_);
  leaf_ = grown.leaf;
  n_final_ = grown.tree.size();
  return grown;
}

std::vector<ExactNode> ExactGrower::candidates(const Gradients& gradients, const FloatBounds& bounds) {
  start(gradients, bounds);
  std::vector<ExactNode> found(columns_.size());
  if (!may_split(open_.front())) return found;
  std::vector<FoundCut>& best = workers_.front().best;
  for (std::size_t f = 0; f < found.size(); ++f) {
    best.assign(1, FoundCut());
    search_column(static_cast<FeatureId>(f), 0, 0);
    if (best.front().gain > kLeastGain) set_test(found[f], best.front());
  }
  return found;
}

void ExactGrower::start(const Gradients& gradients, const FloatBounds& bounds) {
  const std::size_t n = rows_.start(gradients);
  ExactNode root;
  root.rows = n;
  root.sum = rows_.sum(0, n);
  measure(root, bounds);
  nodes_.assign(1, root);
  OpenExactNode open;
  open.end = n;
  open.bounds = bounds;
  open_.assign(1, open);
}

void ExactGrower::add_step(std::span<const double> values, double* raw) {
  constexpr std::size_t kPart = std::size_t{1} << 16;
  const std::size_t n = data_.n_rows;
  team_.parallel_for((n + kPart - 1) / kPart, n, [&](std::size_t part, int) {
    const std::size_t end = std::min(n, (part + 1) * kPart);
    for (std::size_t row = part * kPart; row < end; ++row) {
      const auto step = static_cast<float>(values[static_cast<std::size_t>(leaf_[row])]);
      raw[row] = static_cast<double>(static_cast<float>(raw[row]) + step);
    }
  });
}

LeafRows ExactGrower::rows_by_leaf() const {
  return LeafRows::from(leaf_, n_final_, [&](std::size_t row) { return rows_.takes_part(row); });
}

void ExactGrower::measure(ExactNode& node, const FloatBounds& bounds) const {
  node.value = newton_.value(node.sum, bounds);
  node.gain_as_leaf = newton_.gain_of(node.sum, node.value);
}

void ExactGrower::find_cuts(std::int64_t depth) {
  std::size_t n_rows = 0;
  for (OpenExactNode& open : open_) {
    open.may_cut = draws_.columns(depth, open.key, open.path);
    n_rows += open.end - open.begin;
  }
  for (Worker& worker : workers_) worker.best.assign(open_.size(), FoundCut());
  team_.parallel_for(columns_.size(), 8 * columns_.size() * n_rows, [&](std::size_t i, int worker) {
    if (draws_.tree_has(i)) search_column(static_cast<FeatureId>(i), depth, worker);
  });
  best_ = workers_.front().best;
  for (std::size_t w = 1; w < workers_.size(); ++w) {
    for (std::size_t i = 0; i < best_.size(); ++i) {
      if (workers_[w].best[i].beats(best_[i])) best_[i] = workers_[w].best[i];
    }
  }
}

void ExactGrower::search_column(FeatureId feature, std::int64_t depth, int worker_id) {
  const auto f = static_cast<std::size_t>(feature);
  const SortedColumn& column = columns_[f];
  ColumnOrder& order = orders_[f];
  Worker& worker = workers_[static_cast<std::size_t>(worker_id)];
  if (depth == 0) {
    order.start(column, rows_);
  } else {
    order.divide(divided_, rows_, worker.spare);
  }
  if (column.n_values() == 0) return;
  // A column of one value only separates it from missing ones: one direction is enough.
  const bool up_too = column.has_gaps && column.n_values() > 1;
  const int direction = direction_of(plan_.monotone, feature);
  // No test can send an infinite smallest value right and nothing left.
  const bool none_below = std::isinf(column.values.front());
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const OpenExactNode& open = open_[i];
    if (!open.may_cut.empty() && open.may_cut[f] == 0) continue;
    team_.stop().throw_if_requested();
    const ExactNode& node = nodes_[static_cast<std::size_t>(open.node)];
    FoundCut cut = worker.scan.best(order.rows(i), rows_.gradients(),
                                    {node.sum, node.gain_as_leaf, node.rows, open.bounds}, up_too, direction);
    if (none_below && cut.below == FoundCut::kNoRank) continue;
    cut.feature = feature;
    cut.place = draws_.order().place(open.key, feature);
    if (cut.gain > 0.0F && cut.beats(worker.best[i])) worker.best[i] = cut;
  }
}

void ExactGrower::set_test(ExactNode& node, const FoundCut& cut) const {
  const SortedColumn& column = columns_[static_cast<std::size_t>(cut.feature)];
  node.gain = cut.gain;
  node.feature = cut.feature;
  node.missing_left = cut.missing_left;
  const std::vector<float>& values = column.values;
  const bool none_below = cut.below == FoundCut::kNoRank, none_above = cut.above == FoundCut::kNoRank;
  if (data_.column(cut.feature).kind == ColumnKind::kOrdinal && !none_below) {
    // Between two codes, right above the lower one.
    node.last_left = column.code_of(cut.below);
    node.threshold = static_cast<double>(node.last_left) + 0.5;
    return;
  }
  const float t = none_below   ? cut_below(values[cut.above])
                  : none_above ? cut_above(values[cut.below])
                               : cut_between(values[cut.below], values[cut.above]);
  node.threshold = none_above && std::isinf(values[cut.below]) ? std::numeric_limits<double>::infinity()
                                                               : threshold_below(t);
  // Values that the node does not hold may lie on either side of t.
  const auto n_left =
      static_cast<std::uint32_t>(std::lower_bound(values.begin(), values.end(), t) - values.begin());
  node.last_left = std::isinf(node.threshold) && node.threshold > 0
                       ? column.code_of(static_cast<std::uint32_t>(values.size() - 1))
                       : (n_left == 0 ? 0 : column.code_of(n_left - 1));
}

// The tests of the nodes that are split; the others are leaves from now on.
void ExactGrower::apply_cuts() {
  std::vector<OpenExactNode> ended;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!(best_[i].gain > kLeastGain)) {
      ended.push_back(open_[i]);
      continue;
    }
    ExactNode& node = nodes_[static_cast<std::size_t>(open_[i].node)];
    set_test(node, best_[i]);
    node.first_child = static_cast<NodeId>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
  }
  mark_leaves(ended);
}

void ExactGrower::divide(std::int64_t depth) {
  divided_ = rows_.divide(open_, nodes_);
  std::vector<OpenExactNode> children = add_children();
  std::vector<OpenExactNode> open, ended;
  std::size_t next = 0;
  for (std::size_t parent = 0; parent < open_.size(); ++parent) {
    if (!is_split(open_[parent])) continue;
    for (bool* keeps : {&divided_[parent].keeps_left, &divided_[parent].keeps_right}) {
      OpenExactNode& child = children[next++];
      *keeps = depth + 1 < plan_.max_depth && may_split(child);
      (*keeps ? open : ended).push_back(std::move(child));
    }
  }
  mark_leaves(ended);
  open_ = std::move(open);
}

// The children of all nodes that were split, two by two.
std::vector<OpenExactNode> ExactGrower::add_children() {
  std::vector<OpenExactNode> children;
  std::size_t work = 0;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!is_split(open_[i])) continue;
    const OpenExactNode& parent = open_[i];
    const ExactNode& node = nodes_[static_cast<std::size_t>(parent.node)];
    const std::size_t middle = divided_[i].middle;
    for (std::uint32_t branch = 0; branch < 2; ++branch) {
      OpenExactNode child;
      child.node = node.first_child + static_cast<NodeId>(branch);
      child.begin = branch == 0 ? parent.begin : middle;
      child.end = branch == 0 ? middle : parent.end;
      child.bounds = parent.bounds;
      child.key = child_key(parent.key, branch);
      if (!plan_.interactions.empty()) {
        child.path = parent.path;
        child.path.push_back(node.feature);
      }
      children.push_back(std::move(child));
    }
    work += 4 * (parent.end - parent.begin);
  }
  team_.parallel_for(children.size(), work, [&](std::size_t i, int) {
    const OpenExactNode& child = children[i];
    ExactNode& node = nodes_[static_cast<std::size_t>(child.node)];
    node.rows = child.end - child.begin;
    node.sum = rows_.sum(child.begin, child.end);
    measure(node, child.bounds);
  });
  if (!plan_.monotone.empty()) bound_children(children);
  return children;
}

void ExactGrower::bound_children(std::vector<OpenExactNode>& children) const {
  std::size_t i = 0;
  for (std::size_t parent = 0; parent < open_.size(); ++parent) {
    if (!is_split(open_[parent])) continue;
    OpenExactNode &left = children[i], &right = children[i + 1];
    i += 2;
    const int direction = direction_of(plan_.monotone, best_[parent].feature);
    const float left_value = nodes_[static_cast<std::size_t>(left.node)].value;
    const float right_value = nodes_[static_cast<std::size_t>(right.node)].value;
    left.bounds = child_bounds(left.bounds, direction, left_value, right_value, 0);
    right.bounds = child_bounds(right.bounds, direction, left_value, right_value, 1);
  }
}

// Whether any cut could leave enough on both sides.
bool ExactGrower::may_split(const OpenExactNode& open) const {
  constexpr double kRounding = 1.0 - 1e-9;
  const auto min_rows = static_cast<std::size_t>(std::max<std::int64_t>(plan_.min_rows_leaf, 1));
  return open.end - open.begin >= 2 * min_rows &&
         nodes_[static_cast<std::size_t>(open.node)].sum.hessian >= 2 * newton_.min_hessian() * kRounding;
}

void ExactGrower::mark_leaves(const std::vector<OpenExactNode>& leaves) {
  std::size_t n_rows = 0;
  for (const OpenExactNode& open : leaves) n_rows += open.end - open.begin;
  team_.parallel_for(leaves.size(), 4 * n_rows, [&](std::size_t i, int) {
    rows_.mark(leaves[i].begin, leaves[i].end, leaves[i].node, leaf_);
  });
}

}  // namespace treewright
