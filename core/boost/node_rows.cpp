#include "boost/node_rows.h"

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

// Flags the rows that go right; returns the number of the others.
std::size_t flag_rows(const Column& column, const ExactNode& node, std::span<const RowId> rows,
                      std::uint8_t* goes_right) {
  // A missing value is code 0: as it stands it goes left; with 1 taken off every code it is the largest.
  const Code shift = node.missing_left ? 0 : 1;
  const Code last_left = node.last_left - shift;
  std::size_t n_right = 0;
  visit_codes(column, [&](const auto* codes) {
    for (const RowId row : rows) {
      const bool right = static_cast<Code>(codes[row]) - shift > last_left;
      goes_right[row] = static_cast<std::uint8_t>(right);
      n_right += right;
    }
  });
  return rows.size() - n_right;
}

}  // namespace

NodeRows::NodeRows(const Dataset& data, Team& team)
    : data_(data), team_(team), rows_(data.n_rows), next_rows_(data.n_rows), goes_right_(data.n_rows) {}

std::size_t NodeRows::start(std::span<const RowGradient> gradients) {
  std::size_t n = 0;
  for (std::size_t row = 0; row < gradients.size(); ++row) {
    rows_[n] = static_cast<RowId>(row);
    n += gradients[row].in_sample() ? 1U : 0U;
  }
  in_sample_.clear();
  if (n == gradients.size()) return n;
  in_sample_.resize(gradients.size());
  for (std::size_t row = 0; row < gradients.size(); ++row) {
    in_sample_[row] = gradients[row].in_sample() ? 1 : 0;
  }
  return n;
}

GradientSum NodeRows::sum(std::span<const RowGradient> gradients, std::size_t begin, std::size_t end) const {
  GradientSum sum;
  for (std::size_t i = begin; i < end; ++i) sum.add(gradients[rows_[i]]);
  return sum;
}

std::vector<std::size_t> NodeRows::divide(std::span<const OpenExactNode> open,
                                          std::span<const ExactNode> nodes) {
  std::vector<RowPart> parts = parts_of(open, nodes);
  std::size_t work = 0;
  for (const RowPart& part : parts) work += 8 * (part.end - part.begin);
  team_.parallel_for(parts.size(), work, [&](std::size_t i, int) {
    RowPart& part = parts[i];
    const ExactNode& node = nodes[static_cast<std::size_t>(open[part.place].node)];
    part.n_left = flag_rows(data_.column(node.feature), node,
                            {rows_.data() + part.begin, part.end - part.begin}, goes_right_.data());
  });
  std::vector<std::size_t> n_left(open.size(), 0);
  for (const RowPart& part : parts) n_left[part.place] += part.n_left;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RowPart& part = parts[i];
    const bool first = i == 0 || parts[i - 1].place != part.place;
    const std::size_t begin = open[part.place].begin;
    const RowPart* before = first ? nullptr : &parts[i - 1];
    part.left_to = first ? begin : before->left_to + before->n_left;
    part.right_to = first ? begin + n_left[part.place]
                          : before->right_to + (before->end - before->begin - before->n_left);
  }
  team_.parallel_for(parts.size(), work, [&](std::size_t i, int) {
    const RowPart& part = parts[i];
    std::size_t to[2] = {part.left_to, part.right_to};
    for (std::size_t k = part.begin; k < part.end; ++k) {
      const RowId row = rows_[k];
      next_rows_[to[goes_right_[row]]++] = row;
    }
  });
  rows_.swap(next_rows_);
  return n_left;
}

void NodeRows::mark(std::size_t begin, std::size_t end, NodeId node, std::vector<NodeId>& leaf) const {
  for (std::size_t i = begin; i < end; ++i) leaf[rows_[i]] = node;
}

}  // namespace treewright
