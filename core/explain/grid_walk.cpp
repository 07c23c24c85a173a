#include "explain/grid_walk.h"

#include <limits>

namespace treewright {

GridWalk::GridWalk(const DependenceGrid& grid, std::size_t n_features)
    : grid_(grid), probe_(n_features, std::numeric_limits<double>::quiet_NaN()) {}

void GridWalk::start(std::size_t n_rows) {
  waiting_.clear();
  runs_.clear();
  if (rows_.size() < n_rows) rows_.resize(n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) rows_[r] = static_cast<RowId>(r);
  shares_.clear();
  if (tree_->may_share()) shares_.assign(rows_.size(), 1.0);
  top_ = n_rows;
  Frame frame{};
  frame.rows_end = n_rows;
  for (std::size_t a = 0; a < 2; ++a) {
    frame.runs_begin[a] = runs_.size();
    const std::size_t n_values = a < grid_.axes.size() ? grid_.axes[a].values.size() : 1;
    runs_.push_back({0, static_cast<std::uint32_t>(n_values)});
    frame.runs_end[a] = runs_.size();
  }
  push(frame, 0, n_rows);
}

GridWalk::Arrival GridWalk::arrival(const GameEdge& edge, const Frame& frame) const {
  Arrival found{tree_->value(edge),
                {rows_.data() + frame.rows_begin, frame.rows_end - frame.rows_begin},
                shares_.empty() ? nullptr : shares_.data() + frame.rows_begin,
                {}};
  for (std::size_t a = 0; a < 2; ++a) {
    found.runs[a] = {runs_.data() + frame.runs_begin[a], frame.runs_end[a] - frame.runs_begin[a]};
  }
  return found;
}

bool GridWalk::mixes(NodeId node, int axis) const {
  if (axis >= 0) {
    const std::vector<double>& values = grid_.axes[static_cast<std::size_t>(axis)].values;
    if (std::any_of(values.begin(), values.end(), [](double x) { return x != x; })) return true;
    return false;
  }
  return std::any_of(grid_.axes.begin(), grid_.axes.end(), [&](const DependenceGrid::Axis& one) {
    return tree_->asks_surrogate(node, one.feature);
  });
}

void GridWalk::make_room(std::size_t n) {
  if (rows_.size() < top_ + n) rows_.resize(std::max(top_ + n, 2 * rows_.size()));
  if (tree_->may_share() && shares_.size() < rows_.size()) shares_.resize(rows_.size(), 1.0);
}

void GridWalk::push(Frame frame, std::size_t rows_begin, std::size_t rows_end) {
  frame.rows_begin = rows_begin;
  frame.rows_end = rows_end;
  frame.rows_mark = std::max(top_, rows_end);
  frame.runs_mark = runs_.size();
  waiting_.push_back(frame);
}

std::uint32_t GridWalk::split_run(const GridRun& run, std::size_t axis, double threshold) const {
  const double* values = grid_.axes[axis].values.data();
  return static_cast<std::uint32_t>(std::upper_bound(values + run.begin, values + run.end, threshold) -
                                    values);
}

// Gives the child the values of the frame for which belongs(value) holds; false when there are none.
template <class Belongs>
bool GridWalk::select_runs(const Frame& frame, std::size_t axis, Frame& child, Belongs&& belongs) {
  const std::vector<double>& values = grid_.axes[axis].values;
  child.runs_begin[axis] = runs_.size();
  for (std::size_t i = frame.runs_begin[axis]; i < frame.runs_end[axis]; ++i) {
    const GridRun run = runs_[i];
    bool is_open = false;
    for (std::uint32_t p = run.begin; p < run.end; ++p) {
      const bool is_in = belongs(values[p]);
      if (is_in && !is_open) runs_.push_back({p, p});
      if (is_in) runs_.back().end = p + 1;
      is_open = is_in;
    }
  }
  child.runs_end[axis] = runs_.size();
  return child.runs_end[axis] > child.runs_begin[axis];
}

void GridWalk::divide_grid(const Frame& frame, NodeId node, std::size_t axis) {
  const std::span<const GameEdge> edges = tree_->edges();
  const GameTree::PlainTest& test = tree_->test(node);
  const std::vector<double>& values = grid_.axes[axis].values;
  const bool has_missing = values.back() != values.back();
  if (test.is_plain && !has_missing) {
    for_each_child(frame.edge, [&](std::size_t e) {
      if (edges[e].branch > 1) return;
      Frame child = frame;
      child.edge = e;
      child.runs_begin[axis] = runs_.size();
      for (std::size_t i = frame.runs_begin[axis]; i < frame.runs_end[axis]; ++i) {
        const GridRun run = runs_[i];
        const std::uint32_t middle = split_run(run, axis, test.threshold);
        const GridRun part = edges[e].branch == 0 ? GridRun{run.begin, middle} : GridRun{middle, run.end};
        if (part.begin < part.end) runs_.push_back(part);
      }
      child.runs_end[axis] = runs_.size();
      if (child.runs_end[axis] > child.runs_begin[axis]) push(child, frame.rows_begin, frame.rows_end);
    });
    return;
  }
  const auto feature = static_cast<std::size_t>(grid_.axes[axis].feature);
  const auto answer = [&](double value) {
    probe_[feature] = value;
    const std::uint32_t taken = tree_->branch(node, probe_.data());
    probe_[feature] = std::numeric_limits<double>::quiet_NaN();
    return taken;
  };
  for_each_child(frame.edge, [&](std::size_t e) {
    Frame child = frame;
    child.edge = e;
    const GameEdge& edge = edges[e];
    if (select_runs(frame, axis, child, [&](double value) { return answer(value) == edge.branch; })) {
      push(child, frame.rows_begin, frame.rows_end);
    }
    if (edge.branch == kStopHere || shares_.empty()) return;
    // A value for which every branch is taken, each with its share.
    Frame shared = frame;
    shared.edge = e;
    if (select_runs(frame, axis, shared, [&](double value) { return answer(value) == kEveryBranch; })) {
      const std::size_t begin = top_;
      make_room(frame.rows_end - frame.rows_begin);
      for (std::size_t i = frame.rows_begin; i < frame.rows_end; ++i) append(i, edge.z);
      if (top_ > begin) push(shared, begin, top_);
    }
  });
}

std::vector<std::uint32_t> GridWalk::places(const Frame& frame, std::size_t axis) const {
  std::vector<std::uint32_t> found;
  for (std::size_t i = frame.runs_begin[axis]; i < frame.runs_end[axis]; ++i) {
    for (std::uint32_t p = runs_[i].begin; p < runs_[i].end; ++p) found.push_back(p);
  }
  return found;
}

}  // namespace treewright
