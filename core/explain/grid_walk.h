// GridWalk: a list of rows on its way down one tree, together with the part of a grid that still leads there.
// Nothing recurses: what waits is on a stack, and lists and parts of the grid lie on two more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "explain/dependence.h"
#include "explain/game_tree.h"
#include "explain/row_block.h"

namespace treewright {

// Values of a grid axis from begin to before end.
struct GridRun {
  std::uint32_t begin;
  std::uint32_t end;
};

class GridWalk {
 public:
  using RowId = std::uint16_t;

  GridWalk(const DependenceGrid& grid, std::size_t n_features);

  // What arrives at a leaf: rows, their shares (none: 1 each) and runs of both axes.
  struct Arrival {
    const double* value;
    std::span<const RowId> rows;
    const double* shares;
    std::span<const GridRun> runs[2];
  };

  // Calls arrive(Arrival) for every leaf that some row reaches at some cell.
  template <class T, class Arrive>
  void run(const GameTree& tree, const RowBlock<T>& rows, Arrive&& arrive) {
    tree_ = &tree;
    start(rows.n_rows());
    while (!waiting_.empty()) {
      const Frame frame = waiting_.back();
      waiting_.pop_back();
      runs_.resize(frame.runs_mark);
      top_ = frame.rows_mark;
      const GameEdge& edge = tree.edges()[frame.edge];
      if (edge.is_leaf) {
        arrive(arrival(edge, frame));
        continue;
      }
      const FeatureId feature = tree.edges()[frame.edge + 1].feature;
      const int axis = axis_of(feature);
      if (tree.has_surrogates(edge.to) && mixes(edge.to, axis)) {
        divide_both(frame, edge.to, axis < 0 ? feature : kNoFeature, rows);
      } else if (axis >= 0) {
        divide_grid(frame, edge.to, static_cast<std::size_t>(axis));
      } else {
        divide_rows(frame, edge.to, rows);
      }
    }
  }

 private:
  // Rows and runs by their places on the two stacks; what lies above the marks belongs to nobody that waits.
  struct Frame {
    std::size_t edge;
    std::size_t rows_begin, rows_end;
    std::size_t runs_begin[2], runs_end[2];
    std::size_t rows_mark, runs_mark;
  };

  int axis_of(FeatureId feature) const {
    for (std::size_t a = 0; a < grid_.axes.size(); ++a) {
      if (grid_.axes[a].feature == feature) return static_cast<int>(a);
    }
    return -1;
  }

  void start(std::size_t n_rows);
  Arrival arrival(const GameEdge& edge, const Frame& frame) const;
  // Whether the branch at a node with surrogates depends on a row and on the grid at the same time.
  bool mixes(NodeId node, int axis) const;
  void make_room(std::size_t n);
  void push(Frame frame, std::size_t rows_begin, std::size_t rows_end);
  void divide_grid(const Frame& frame, NodeId node, std::size_t axis);
  std::uint32_t split_run(const GridRun& run, std::size_t axis, double threshold) const;
  template <class Belongs>
  bool select_runs(const Frame& frame, std::size_t axis, Frame& child, Belongs&& belongs);

  template <class T>
  void divide_rows(const Frame& frame, NodeId node, const RowBlock<T>& rows) {
    const GameTree::PlainTest& test = tree_->test(node);
    const std::span<const GameEdge> edges = tree_->edges();
    const std::size_t n = frame.rows_end - frame.rows_begin, first = frame.edge + 1;
    const auto second = static_cast<std::size_t>(edges[first].end);
    const bool is_simple =
        test.is_plain && test.missing <= 1 && edges[first].branch == 0 &&
        static_cast<std::size_t>(edges[second].end) == static_cast<std::size_t>(edges[frame.edge].end);
    if (is_simple && shares_.empty()) {
      make_room(2 * n);
      const std::size_t left = top_, right = top_ + n;
      const double* column = rows.column(test.feature);
      const RowId* from = rows_.data() + frame.rows_begin;
      RowId *to_left = rows_.data() + left, *to_right = rows_.data() + right;
      std::size_t n_left = 0, n_right = 0;
      const double threshold = test.threshold;
      if (test.missing == 1) {
        for (std::size_t i = 0; i < n; ++i) {
          const RowId row = from[i];
          const std::size_t goes_left = column[row] <= threshold ? 1 : 0;
          to_left[n_left] = row;
          to_right[n_right] = row;
          n_left += goes_left;
          n_right += 1 - goes_left;
        }
      } else {
        for (std::size_t i = 0; i < n; ++i) {
          const RowId row = from[i];
          const std::size_t goes_right = column[row] > threshold ? 1 : 0;
          to_left[n_left] = row;
          to_right[n_right] = row;
          n_left += 1 - goes_right;
          n_right += goes_right;
        }
      }
      Frame child = frame;
      child.edge = first;
      if (n_left > 0) push(child, left, left + n_left);
      child.edge = second;
      if (n_right > 0) push(child, right, right + n_right);
      return;
    }
    branches_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      branches_[i] = tree_->branch(node, rows.row(rows_[frame.rows_begin + i]));
    }
    for_each_child(frame.edge, [&](std::size_t e) {
      make_room(n);
      const std::size_t begin = top_;
      for (std::size_t i = 0; i < n; ++i) append(frame.rows_begin + i, passing(branches_[i], edges[e]));
      Frame child = frame;
      child.edge = e;
      if (top_ > begin) push(child, begin, top_);
    });
  }

  // Row by row and cell by cell: a surrogate asks the grid, or a missing value of the grid asks the row.
  // known: a feature whose value, where a row has one, decides alone; kNoFeature: none.
  template <class T>
  void divide_both(const Frame& frame, NodeId node, FeatureId known, const RowBlock<T>& rows) {
    const auto is_settled = [&](RowId row) {
      return known != kNoFeature && rows.column(known)[row] == rows.column(known)[row];
    };
    const std::span<const GameEdge> edges = tree_->edges();
    for_each_child(frame.edge, [&](std::size_t e) {
      make_room(frame.rows_end - frame.rows_begin);
      const std::size_t begin = top_;
      for (std::size_t i = frame.rows_begin; i < frame.rows_end; ++i) {
        if (!is_settled(rows_[i])) continue;
        append(i, passing(tree_->branch(node, rows.row(rows_[i])), edges[e]));
      }
      Frame child = frame;
      child.edge = e;
      if (top_ > begin) push(child, begin, top_);
    });
    std::vector<T> row(rows.n_columns());
    const std::vector<std::uint32_t> own[2] = {places(frame, 0), places(frame, 1)};
    for (std::size_t i = frame.rows_begin; i < frame.rows_end; ++i) {
      if (is_settled(rows_[i])) continue;
      std::copy_n(rows.row(rows_[i]), row.size(), row.begin());
      for (const std::uint32_t b : own[1]) {
        if (grid_.axes.size() > 1) put(row, 1, b);
        for (const std::uint32_t a : own[0]) {
          put(row, 0, a);
          const std::uint32_t taken = tree_->branch(node, row.data());
          for_each_child(frame.edge, [&](std::size_t e) {
            make_room(1);
            if (!append(i, passing(taken, edges[e]))) return;
            Frame child = frame;
            child.edge = e;
            child.runs_begin[0] = runs_.size();
            runs_.push_back({a, a + 1});
            child.runs_end[0] = child.runs_begin[1] = runs_.size();
            runs_.push_back({b, b + 1});
            child.runs_end[1] = runs_.size();
            push(child, top_ - 1, top_);
          });
        }
      }
    }
  }

  template <class T>
  void put(std::vector<T>& row, std::size_t axis, std::uint32_t place) const {
    const DependenceGrid::Axis& own = grid_.axes[axis];
    row[static_cast<std::size_t>(own.feature)] = static_cast<T>(own.values[place]);
  }

  // Puts the row at a place on top, its share times z; false when nothing is left of it.
  bool append(std::size_t place, double z) {
    if (z == 0) return false;
    rows_[top_] = rows_[place];
    if (!shares_.empty()) shares_[top_] = shares_[place] * z;
    ++top_;
    return true;
  }

  std::vector<std::uint32_t> places(const Frame& frame, std::size_t axis) const;

  // How much of a row with this answer takes an edge.
  static double passing(std::uint32_t answer, const GameEdge& edge) {
    if (answer == kEveryBranch && edge.branch != kStopHere) return edge.z;
    return answer == edge.branch ? 1.0 : 0.0;
  }

  template <class Visit>
  void for_each_child(std::size_t edge, Visit&& visit) const {
    const std::span<const GameEdge> edges = tree_->edges();
    const auto end = static_cast<std::size_t>(edges[edge].end);
    for (std::size_t e = edge + 1; e < end; e = static_cast<std::size_t>(edges[e].end)) visit(e);
  }

  const DependenceGrid& grid_;
  const GameTree* tree_ = nullptr;
  std::vector<Frame> waiting_;
  std::vector<RowId> rows_;
  std::vector<double> shares_;  // beside rows_, of trees that share rows; otherwise empty
  std::vector<GridRun> runs_;
  std::size_t top_ = 0;  // of rows_
  std::vector<std::uint32_t> branches_;
  std::vector<double> probe_;  // a row that has nothing but the value of a grid
};

}  // namespace treewright
