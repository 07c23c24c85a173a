#include "boost/exact/node_rows.h"

#include <algorithm>

#include "data/column.h"

namespace treewright {

namespace {

// Part of a node's rows: the unit that threads share. The size is fixed, so results are too.
struct RowPart {
  std::size_t place;  // in `open`
  std::size_t begin, end;
  std::size_t n_left = 0;
  std::size_t left_to = 0, right_to = 0;
};

constexpr std::size_t kPartRows = std::size_t{1} << 16;

std::vector<RowPart> parts_of(std::span<const OpenExactNode> open, std::span<const ExactNode> nodes) {
  std::vector<RowPart> parts;
  for (std::size_t place = 0; place < open.size(); ++place) {
    if (nodes[static_cast<std::size_t>(open[place].node)].is_leaf()) continue;
    for (std::size_t begin = open[place].begin; begin < open[place].end; begin += kPartRows) {
      parts.push_back({place, begin, std::min(begin + kPartRows, open[place].end)});
    }
  }
  return parts;
}

// Calls visit(i, goes_right) for the rows of a node.
template <class Visit>
void for_sides(const Column& column, const ExactNode& node, std::span<const RowId> rows, Visit&& visit) {
  const CutTest test(node.last_left, !node.missing_left);
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t i = 0; i < rows.size(); ++i) visit(i, test.goes_right(codes[rows[i]]));
  });
}

}  // namespace

NodeRows::NodeRows(const Dataset& data, Team& team)
    : data_(data),
      team_(team),
      rows_(data.n_rows),
      next_rows_(data.n_rows),
      gradients_(data.n_rows),
      next_gradients_(data.n_rows),
      new_place_(data.n_rows) {}

std::size_t NodeRows::start(const Gradients& gradients) {
  const std::size_t n_rows = data_.n_rows;
  std::size_t n = 0;
  first_place_.clear();
  for (std::size_t row = 0; row < n_rows; ++row) {
    const float times = gradients.sees(row) ? gradients.times(row) : 0.0F;
    const RowGradient gradient{gradients.gradient[row] * times, gradients.hessian[row] * times};
    const bool stays = gradient.takes_part();
    if (!stays && first_place_.empty()) {
      first_place_.resize(n_rows);
      for (std::size_t before = 0; before < row; ++before) {
        first_place_[before] = static_cast<std::uint32_t>(before);
      }
    }
    if (!first_place_.empty()) first_place_[row] = stays ? static_cast<std::uint32_t>(n) : kNowhere;
    rows_[n] = static_cast<RowId>(row);
    gradients_[n] = gradient;
    n += stays ? 1U : 0U;
  }
  return n;
}

GradientSum NodeRows::sum(std::size_t begin, std::size_t end) const {
  GradientSum sum;
  for (std::size_t i = begin; i < end; ++i) sum.add(gradients_[i]);
  return sum;
}

std::vector<DividedNode> NodeRows::divide(std::span<const OpenExactNode> open,
                                          std::span<const ExactNode> nodes) {
  std::vector<RowPart> parts = parts_of(open, nodes);
  std::size_t work = 0;
  for (const RowPart& part : parts) work += 8 * (part.end - part.begin);
  // First the sides (new_place_ holds them for a moment), then, when it is known how many there are, the
  // places.
  team_.parallel_for(parts.size(), work, [&](std::size_t i, int) {
    RowPart& part = parts[i];
    const ExactNode& node = nodes[static_cast<std::size_t>(open[part.place].node)];
    std::size_t n_right = 0;
    std::uint32_t* sides = new_place_.data() + part.begin;
    for_sides(data_.column(node.feature), node, {rows_.data() + part.begin, part.end - part.begin},
              [&](std::size_t k, bool right) {
                sides[k] = right ? 1 : 0;
                n_right += right ? 1 : 0;
              });
    part.n_left = part.end - part.begin - n_right;
  });
  std::vector<DividedNode> divided(open.size());
  for (std::size_t i = 0; i < open.size(); ++i) divided[i].middle = open[i].begin;
  for (const RowPart& part : parts) divided[part.place].middle += part.n_left;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RowPart& part = parts[i];
    const bool first = i == 0 || parts[i - 1].place != part.place;
    const RowPart* before = first ? nullptr : &parts[i - 1];
    part.left_to = first ? open[part.place].begin : before->left_to + before->n_left;
    part.right_to = first ? divided[part.place].middle
                          : before->right_to + (before->end - before->begin - before->n_left);
  }
  team_.parallel_for(parts.size(), work, [&](std::size_t i, int) {
    const RowPart& part = parts[i];
    std::size_t to[2] = {part.left_to, part.right_to};
    for (std::size_t k = part.begin; k < part.end; ++k) {
      const std::size_t place = to[new_place_[k]]++;
      new_place_[k] = static_cast<std::uint32_t>(place);
      next_rows_[place] = rows_[k];
      next_gradients_[place] = gradients_[k];
    }
  });
  rows_.swap(next_rows_);
  gradients_.swap(next_gradients_);
  return divided;
}

void NodeRows::mark(std::size_t begin, std::size_t end, NodeId node, std::vector<NodeId>& leaf) const {
  for (std::size_t i = begin; i < end; ++i) leaf[rows_[i]] = node;
}

}  // namespace treewright
