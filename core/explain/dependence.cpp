#include "explain/dependence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "explain/grid_walk.h"
#include "explain/row_block.h"

namespace treewright {

namespace {

constexpr std::size_t kMostRows = 1024;
constexpr std::size_t kCurveBytes = std::size_t{1} << 20;

struct Shape {
  std::size_t n_first;   // values of the first axis
  std::size_t n_second;  // of the second; 1 where there is none
};

Shape shape_of(const DependenceGrid& grid) {
  return {grid.axes[0].values.size(), grid.axes.size() > 1 ? grid.axes[1].values.size() : 1};
}

// Calls corner(cell, sign) for the corners of every rectangle of runs: sums along both axes make the
// rectangles of them.
template <class Corner>
void for_each_corner(const Shape& shape, const GridWalk::Arrival& from, Corner&& corner) {
  for (const GridRun& first : from.runs[0]) {
    for (const GridRun& second : from.runs[1]) {
      corner(first.begin * shape.n_second + second.begin, 1.0);
      const bool first_ends = first.end < shape.n_first, second_ends = second.end < shape.n_second;
      if (first_ends) corner(first.end * shape.n_second + second.begin, -1.0);
      if (second_ends) corner(first.begin * shape.n_second + second.end, -1.0);
      if (first_ends && second_ends) corner(first.end * shape.n_second + second.end, 1.0);
    }
  }
}

// From corners to rectangles; every cell is `width` numbers.
void add_along(const Shape& shape, std::size_t width, double* cells) {
  const auto add = [&](std::size_t to, std::size_t from) {
    double* sum = cells + to * width;
    const double* before = cells + from * width;
    for (std::size_t i = 0; i < width; ++i) sum[i] += before[i];
  };
  for (std::size_t a = 0; a < shape.n_first; ++a) {
    for (std::size_t b = 1; b < shape.n_second; ++b) add(a * shape.n_second + b, a * shape.n_second + b - 1);
  }
  for (std::size_t a = 1; a < shape.n_first; ++a) {
    for (std::size_t b = 0; b < shape.n_second; ++b)
      add(a * shape.n_second + b, (a - 1) * shape.n_second + b);
  }
}

template <class T>
void check_columns(const Attributions& sum, const DependenceGrid& grid, const MatrixView<T>& matrix) {
  check_grid(grid, sum.n_features());
  if (matrix.n_columns == sum.n_features()) return;
  throw std::invalid_argument("The matrix has " + std::to_string(matrix.n_columns) + " columns, expected " +
                              std::to_string(sum.n_features()) + ".");
}

// The weight of the rows that arrive together.
double weight_of(const GridWalk::Arrival& from, const double* weights) {
  const std::size_t n = from.rows.size();
  if (weights == nullptr && from.shares == nullptr) return static_cast<double>(n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double share = from.shares == nullptr ? 1.0 : from.shares[i];
    total += share * (weights == nullptr ? 1.0 : weights[from.rows[i]]);
  }
  return total;
}

}  // namespace

void check_grid(const DependenceGrid& grid, std::size_t n_features) {
  if (grid.axes.empty() || grid.axes.size() > 2) throw std::invalid_argument("A grid has one or two axes.");
  for (const DependenceGrid::Axis& axis : grid.axes) {
    if (axis.feature < 0 || static_cast<std::size_t>(axis.feature) >= n_features) {
      throw std::invalid_argument("A grid has a feature that there is not.");
    }
    if (axis.values.empty()) throw std::invalid_argument("A grid has a feature without values.");
    for (std::size_t i = 1; i < axis.values.size(); ++i) {
      if (!(axis.values[i - 1] < axis.values[i]) &&
          !(i + 1 == axis.values.size() && std::isnan(axis.values[i]) && !std::isnan(axis.values[i - 1]))) {
        throw std::invalid_argument("The values of a grid must ascend, a missing one at the end.");
      }
    }
  }
  if (grid.axes.size() == 2 && grid.axes[0].feature == grid.axes[1].feature) {
    throw std::invalid_argument("The two features of a grid must differ.");
  }
}

template <class T>
void dependence_curves(const Attributions& sum, const DependenceGrid& grid, const MatrixView<T>& matrix,
                       Team& team, double* out) {
  check_columns(sum, grid, matrix);
  const Shape shape = shape_of(grid);
  const std::size_t n_cells = grid.n_cells(), n_outputs = sum.n_outputs(), width = n_cells * n_outputs;
  const std::size_t block_rows =
      std::clamp(kCurveBytes / (sizeof(double) * width), std::size_t{16}, kMostRows);
  const std::size_t n_blocks = (matrix.n_rows + block_rows - 1) / block_rows;
  team.parallel_for(n_blocks, matrix.n_rows * (sum.n_edges() + width), [&](std::size_t block, int) {
    RowBlock<T> rows(matrix, sum.used(), block_rows);
    const std::size_t begin = block * block_rows;
    rows.read(begin, std::min(begin + block_rows, matrix.n_rows));
    const std::size_t n = rows.n_rows();
    GridWalk walk(grid, sum.n_features());
    // By cell, output and row: rows of a list are near each other.
    std::vector<double> cells(width * n, 0.0);
    for (std::size_t t = 0; t < sum.n_trees(); ++t) {
      team.stop().throw_if_requested();
      const std::size_t first_output = sum.first_output(t), n_own = sum.tree(t).n_outputs();
      walk.run(sum.tree(t), rows, [&](const GridWalk::Arrival& from) {
        for_each_corner(shape, from, [&](std::size_t cell, double sign) {
          for (std::size_t k = 0; k < n_own; ++k) {
            double* to = cells.data() + (cell * n_outputs + first_output + k) * n;
            const double value = sign * from.value[k];
            if (from.shares == nullptr) {
              for (const GridWalk::RowId row : from.rows) to[row] += value;
            } else {
              for (std::size_t i = 0; i < from.rows.size(); ++i) to[from.rows[i]] += from.shares[i] * value;
            }
          }
        });
      });
    }
    add_along(shape, n_outputs * n, cells.data());
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < width; ++c) out[(begin + r) * width + c] = cells[c * n + r];
    }
  });
}

template <class T>
std::vector<double> dependence_sums(const Attributions& sum, const DependenceGrid& grid,
                                    const MatrixView<T>& matrix, std::span<const double> weights,
                                    Team& team) {
  check_columns(sum, grid, matrix);
  const Shape shape = shape_of(grid);
  const std::size_t n_outputs = sum.n_outputs(), width = grid.n_cells() * n_outputs;
  std::vector<double> total(width, 0.0);
  // Blocks are added in their order, some at a time: the sums do not depend on the number of threads.
  constexpr std::size_t kBlocksAtOnce = 64;
  const std::size_t n_blocks = (matrix.n_rows + kMostRows - 1) / kMostRows;
  std::vector<std::vector<double>> parts(std::min(n_blocks, kBlocksAtOnce));
  for (std::size_t first = 0; first < n_blocks; first += kBlocksAtOnce) {
    const std::size_t n_now = std::min(kBlocksAtOnce, n_blocks - first);
    team.parallel_for(n_now, n_now * kMostRows * sum.n_edges(), [&](std::size_t part, int) {
      const std::size_t begin = (first + part) * kMostRows;
      RowBlock<T> rows(matrix, sum.used(), kMostRows);
      rows.read(begin, std::min(begin + kMostRows, matrix.n_rows));
      const double* own_weights = weights.empty() ? nullptr : weights.data() + begin;
      GridWalk walk(grid, sum.n_features());
      std::vector<double>& cells = parts[part];
      cells.assign(width, 0.0);
      for (std::size_t t = 0; t < sum.n_trees(); ++t) {
        team.stop().throw_if_requested();
        const std::size_t first_output = sum.first_output(t), n_own = sum.tree(t).n_outputs();
        walk.run(sum.tree(t), rows, [&](const GridWalk::Arrival& from) {
          const double weight = weight_of(from, own_weights);
          for_each_corner(shape, from, [&](std::size_t cell, double sign) {
            double* to = cells.data() + cell * n_outputs + first_output;
            for (std::size_t k = 0; k < n_own; ++k) to[k] += sign * weight * from.value[k];
          });
        });
      }
    });
    for (std::size_t part = 0; part < n_now; ++part) {
      for (std::size_t c = 0; c < width; ++c) total[c] += parts[part][c];
    }
  }
  add_along(shape, n_outputs, total.data());
  return total;
}

std::vector<double> expected_dependence(const Attributions& sum, const DependenceGrid& grid, Team& team) {
  check_grid(grid, sum.n_features());
  const std::size_t n_outputs = sum.n_outputs(), n_cells = grid.n_cells();
  std::vector<double> out(n_cells * n_outputs, 0.0);
  const Shape shape = shape_of(grid);
  team.parallel_for(n_cells, n_cells * sum.n_edges(), [&](std::size_t cell, int) {
    std::vector<double> row(sum.n_features(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> share;
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
      const std::size_t place = a == 0 ? cell / shape.n_second : cell % shape.n_second;
      row[static_cast<std::size_t>(grid.axes[a].feature)] = grid.axes[a].values[place];
    }
    for (std::size_t t = 0; t < sum.n_trees(); ++t) {
      team.stop().throw_if_requested();
      const GameTree& tree = sum.tree(t);
      const std::span<const GameEdge> edges = tree.edges();
      share.assign(tree.n_levels(), 1.0);
      for (std::size_t e = 0; e < edges.size();) {
        const GameEdge& edge = edges[e];
        const auto level = static_cast<std::size_t>(edge.level);
        if (level > 0) {
          const bool is_given =
              std::any_of(grid.axes.begin(), grid.axes.end(),
                          [&](const DependenceGrid::Axis& axis) { return axis.feature == edge.feature; });
          double z = edge.z;
          if (is_given) {
            const std::uint32_t taken = tree.branch(edge.from, row.data());
            if (taken != kEveryBranch || edge.branch == kStopHere) z = taken == edge.branch ? 1.0 : 0.0;
          }
          share[level] = share[level - 1] * z;
        }
        if (share[level] == 0) {
          e = static_cast<std::size_t>(edge.end);
          continue;
        }
        if (edge.is_leaf) {
          double* to = out.data() + cell * n_outputs + sum.first_output(t);
          for (std::size_t k = 0; k < tree.n_outputs(); ++k) to[k] += share[level] * tree.value(edge)[k];
        }
        ++e;
      }
    }
  });
  return out;
}

template void dependence_curves(const Attributions&, const DependenceGrid&, const MatrixView<float>&, Team&,
                                double*);
template void dependence_curves(const Attributions&, const DependenceGrid&, const MatrixView<double>&, Team&,
                                double*);
template std::vector<double> dependence_sums(const Attributions&, const DependenceGrid&,
                                             const MatrixView<float>&, std::span<const double>, Team&);
template std::vector<double> dependence_sums(const Attributions&, const DependenceGrid&,
                                             const MatrixView<double>&, std::span<const double>, Team&);

}  // namespace treewright
