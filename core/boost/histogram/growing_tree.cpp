#include "boost/histogram/growing_tree.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "data/sparse_entries.h"
#include "grow/node_split.h"

namespace treewright {

namespace {

// 0 or 1 for each row of a block of a sparse column: the side that a test sends it to.
std::vector<std::uint8_t> sides_of_block(const Column& column, const std::vector<std::uint8_t>& goes_right,
                                         std::size_t first, std::size_t end) {
  std::vector<std::uint8_t> sides(end - first, goes_right[column.rest]);
  for_entries(column, first, end, [&](std::size_t row, Code code) { sides[row - first] = goes_right[code]; });
  return sides;
}

constexpr std::uint8_t kSides[] = {0, 1};

// visit(codes) with the codes of a block's rows.
template <class Visit>
decltype(auto) visit_block(const Column& column, std::size_t first, std::size_t end, Visit&& visit) {
  if (!column.is_sparse) return visit_codes(column, [&](const auto* codes) { return visit(codes + first); });
  std::vector<Code> codes(end - first, column.rest);
  for_entries(column, first, end, [&](std::size_t row, Code code) { codes[row - first] = code; });
  return visit(static_cast<const Code*>(codes.data()));
}

}  // namespace

GrowingTree::GrowingTree(const Dataset& data, const RowExchange* others)
    : data_(data),
      n_all_rows_(others == nullptr ? data.n_rows : others->n_rows()),
      first_row_(others == nullptr ? 0 : others->first_row()),
      blocks_(data.n_rows, n_all_rows_),
      ranges_(blocks_.n_blocks()),
      builder_(1) {
  const std::size_t end = first_row_ + data.n_rows;
  if (first_row_ % blocks_.block_rows() != 0 || (end % blocks_.block_rows() != 0 && end != n_all_rows_)) {
    throw std::invalid_argument("The share of a process must begin and end with blocks of rows.");
  }
}

void GrowingTree::begin() {
  builder_ = TreeBuilder(1);
  tests_.assign(1, CodeTest{});
  bounds_.assign(1, ValueBounds{});
  ranges_.clear();
  ranges_.add_nodes(1);
}

NodeId GrowingTree::split(NodeId node, const SplitChoice& choice) {
  const Column& column = data_.column(choice.feature);
  NodeId first;
  if (choice.is_subset) {
    std::vector<std::uint32_t> named(choice.named.begin(), choice.named.end());
    if (!choice.missing_right) named.insert(named.begin(), kMissing);
    first = builder_.split_by_subset(node, choice.feature, TableFormat::kListLeft, named);
  } else {
    const Code next = choice.cut < column.n_codes ? choice.cut + 1 : 0;
    first = builder_.split_at_threshold(node, choice.feature,
                                        threshold_of(column, CutRule::kMidpoint, choice.cut, next));
  }
  tests_[index(node)] = CodeTest(column, choice);
  tests_.resize(tests_.size() + 2);
  bounds_.resize(bounds_.size() + 2);
  ranges_.add_nodes(2);
  builder_.tree().missing[index(node)] = choice.missing_right ? 1 : 0;
  return first;
}

void GrowingTree::set_missing(NodeId node, bool right) {
  builder_.tree().missing[index(node)] = right ? 1 : 0;
  tests_[index(node)].goes_right[kMissing] = right ? 1 : 0;
}

void GrowingTree::divide(NodeId node, std::size_t block, std::uint16_t* spare) {
  const BlockRange range = ranges_.at(node, block);
  const CodeTest& test = tests_[index(node)];
  const Column& column = data_.column(test.feature);
  std::size_t n_left = 0;
  if (column.is_sparse) {
    const std::vector<std::uint8_t> sides =
        sides_of_block(column, test.goes_right, blocks_.first_row(block), blocks_.end_row(block));
    n_left = divide_ids(blocks_.ids(block) + range.begin, range.size(), sides.data(), kSides, spare);
  } else {
    n_left = visit_codes(column, [&](const auto* codes) {
      return blocks_.divide(block, range, codes, test.goes_right.data(), spare);
    });
  }
  const std::uint32_t middle = range.begin + static_cast<std::uint32_t>(n_left);
  const NodeId first = builder_.tree().first_child[index(node)];
  ranges_.at(first, block) = {range.begin, middle};
  ranges_.at(first + 1, block) = {middle, range.end};
}

void GrowingTree::set_rows(NodeId node, std::size_t rows) {
  builder_.tree().rows[index(node)] = static_cast<std::int64_t>(rows);
}

bool GrowingTree::leaves_enough(NodeId node, const CodeTest& test, std::size_t least) const {
  constexpr std::uint32_t kLook = 256;  // rows between two looks at the counts
  std::size_t n_rows = 0, n_right = 0;
  const Column& column = data_.column(test.feature);
  for (std::size_t block = 0; block < blocks_.n_blocks(); ++block) {
    const BlockRange range = ranges_.at(node, block);
    if (range.size() == 0) continue;
    const std::uint16_t* ids = blocks_.ids(block);
    const bool enough =
        visit_block(column, blocks_.first_row(block), blocks_.end_row(block), [&](const auto* own) {
          for (std::uint32_t begin = range.begin; begin < range.end; begin += kLook) {
            const std::uint32_t end = std::min(range.end, begin + kLook);
            for (std::uint32_t i = begin; i < end; ++i) n_right += test.goes_right[own[ids[i]]];
            n_rows += end - begin;
            if (n_right >= least && n_rows - n_right >= least) return true;
          }
          return false;
        });
    if (enough) return true;
  }
  return false;
}

std::vector<std::uint32_t> GrowingTree::count_codes(NodeId node, FeatureId feature) const {
  const Column& column = data_.column(feature);
  std::vector<std::uint32_t> counts(column.n_codes + std::size_t{2}, 0);
  for (std::size_t block = 0; block < blocks_.n_blocks(); ++block) {
    const BlockRange range = ranges_.at(node, block);
    if (range.size() == 0) continue;
    const std::uint16_t* ids = blocks_.ids(block);
    visit_block(column, blocks_.first_row(block), blocks_.end_row(block), [&](const auto* own) {
      for (std::uint32_t i = range.begin; i < range.end; ++i) ++counts[own[ids[i]]];
    });
  }
  return counts;
}

namespace {

// Makes a split of one tree in another.
NodeId copy_split(const Tree& from, std::size_t node, TreeBuilder& to, NodeId place) {
  NodeId first;
  if (from.kind[node] == NodeKind::kSubset) {
    const std::uint32_t* table = from.tables.data() + from.table[node];
    first = to.split_by_subset(place, from.feature[node], static_cast<TableFormat>(table[0]),
                               {table + 2, table[1]});
  } else {
    first = to.split_at_threshold(place, from.feature[node], from.threshold[node]);
  }
  to.tree().missing[static_cast<std::size_t>(place)] = from.missing[node];
  return first;
}

}  // namespace

std::vector<NodeId> GrowingTree::keep_splits(const std::vector<NodeId>& splits, Team& team) {
  const Tree& tree = builder_.tree();
  std::vector<NodeId> from{0}, kept;  // the old id of every node; the new one of every split
  std::vector<NodeId> place(size(), kNoNode);
  place[0] = 0;
  TreeBuilder builder(1);
  for (const NodeId node : splits) {
    const NodeId first = copy_split(tree, index(node), builder, place[index(node)]);
    kept.push_back(place[index(node)]);
    for (NodeId branch = 0; branch < 2; ++branch) {
      from.push_back(tree.first_child[index(node)] + branch);
      place[index(from.back())] = first + branch;
    }
  }
  std::vector<CodeTest> tests(from.size());
  std::vector<ValueBounds> bounds(from.size());
  for (const NodeId node : splits) tests[index(place[index(node)])] = std::move(tests_[index(node)]);
  std::vector<NodeId> undone;
  for (std::size_t node = 0; node < from.size(); ++node) {
    bounds[node] = bounds_[index(from[node])];
    if (tests[node].feature == kNoFeature && !is_leaf(index(from[node])))
      undone.push_back(static_cast<NodeId>(node));
  }
  tests_ = std::move(tests);
  bounds_ = std::move(bounds);
  builder_ = std::move(builder);
  ranges_.pick(from);
  // Sums of leaves are taken in the order of rows, which dividing them has disturbed.
  team.parallel_for(blocks_.n_blocks(), data_.n_rows, [&](std::size_t block, int) {
    for (const NodeId node : undone) blocks_.sort(block, ranges_.at(node, block));
  });
  return kept;
}

void GrowingTree::begin_sums() {
  sums_.assign(2 * n_all_blocks() * size(), 0.0);
}

void GrowingTree::add_sums(std::size_t block, const Gradients& gradients) {
  const std::size_t first = blocks_.first_row(block);
  const std::uint16_t* ids = blocks_.ids(block);
  for (std::size_t node = 0; node < size(); ++node) {
    if (!is_leaf(node)) continue;
    const BlockRange range = ranges_.at(static_cast<NodeId>(node), block);
    double gradient = 0, hessian = 0;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const std::size_t row = first + ids[i];
      const float times = gradients.times(row);
      if (gradients.whole_gradient.empty()) {
        gradient += static_cast<double>(gradients.gradient[row] * times);
        hessian += static_cast<double>(gradients.hessian[row] * times);
      } else {
        gradient += gradients.whole_gradient[row] * static_cast<double>(times);
        hessian += gradients.whole_hessian[row] * static_cast<double>(times);
      }
    }
    double* sums = sums_.data() + 2 * ((first_block() + block) * size() + node);
    sums[0] = gradient;
    sums[1] = hessian;
  }
}

BoostedTree GrowingTree::finish(const NodeScores& scores, double min_gain) {
  const std::size_t n = size();
  std::vector<double> gradient(n, 0.0);
  Tree& tree = builder_.tree();
  for (std::size_t node = n; node-- > 0;) {
    double& g = gradient[node];
    double& h = tree.weight[node];
    if (!is_leaf(node)) {
      const std::size_t child = index(tree.first_child[node]);
      g = gradient[child] + gradient[child + 1];
      h = tree.weight[child] + tree.weight[child + 1];
    } else {
      for (std::size_t block = 0; block < n_all_blocks(); ++block) {  // in order: the same sum every time
        g += sums_[2 * (block * n + node)];
        h += sums_[2 * (block * n + node) + 1];
      }
    }
    tree.value[node] = scores.value(g, h, bounds_[node]);
    tree.loss[node] = -0.5 * scores.score(g, h, bounds_[node]);
    if (is_leaf(node)) continue;
    const std::size_t child = index(tree.first_child[node]);
    tree.gain[node] = tree.loss[node] - tree.loss[child] - tree.loss[child + 1];
    if (is_leaf(child) && is_leaf(child + 1) && 2 * tree.gain[node] < min_gain) tests_[node] = CodeTest{};
  }
  BoostedTree grown;
  grown.tree = compacted();
  grown.gradient.resize(grown.tree.size());
  for (std::size_t node = 0; node < n; ++node) {
    if (final_[node] != kNoNode) grown.gradient[index(final_[node])] = gradient[node];
  }
  return grown;
}

// The tree without nodes below those that became leaves again. Ids keep their order, so children stay
// adjacent.
Tree GrowingTree::compacted() {
  Tree& tree = builder_.tree();
  first_child_ = tree.first_child;
  final_.assign(size(), kNoNode);
  NodeId n_kept = 0;
  std::vector<char> kept(size(), 0);
  kept[0] = 1;
  for (std::size_t node = 0; node < size(); ++node) {
    if (kept[node] == 0) continue;
    final_[node] = n_kept++;
    if (is_leaf(node)) continue;
    kept[index(tree.first_child[node])] = kept[index(tree.first_child[node]) + 1] = 1;
  }
  const bool all_kept = index(n_kept) == size();
  if (all_kept) return builder_.finish();
  TreeBuilder pruned(1);
  Tree& out = pruned.tree();
  for (std::size_t node = 0; node < size(); ++node) {
    if (final_[node] == kNoNode) continue;
    const std::size_t to = index(final_[node]);
    if (!is_leaf(node)) {
      copy_split(tree, node, pruned, final_[node]);
      // Leaves are split in the order of their gains, so children need not stand in the order of parents.
      out.first_child[to] = final_[index(tree.first_child[node])];
      out.gain[to] = tree.gain[node];
    }
    out.rows[to] = tree.rows[node];
    out.weight[to] = tree.weight[node];
    out.value[to] = tree.value[node];
    out.loss[to] = tree.loss[node];
  }
  return pruned.finish();
}

void GrowingTree::add_step(std::span<const double> values, const Gradients& gradients, Team& team,
                           double* raw) const {
  team.parallel_for(blocks_.n_blocks(), data_.n_rows * 2, [&](std::size_t block, int) {
    const std::size_t first = blocks_.first_row(block);
    const std::uint16_t* ids = blocks_.ids(block);
    for (std::size_t node = 0; node < size(); ++node) {
      if (!is_leaf(node) || final_[node] == kNoNode) continue;
      const BlockRange range = ranges_.at(static_cast<NodeId>(node), block);
      const double value = values[index(final_[node])];
      for (std::uint32_t i = range.begin; i < range.end; ++i) raw[first + ids[i]] += value;
    }
    if (!gradients.drawn.empty()) add_to_unseen(values, gradients, block, raw);
  });
}

// Rows that the round did not see are divided node by node, like those that it did.
void GrowingTree::add_to_unseen(std::span<const double> values, const Gradients& gradients, std::size_t block,
                                double* raw) const {
  const std::size_t first = blocks_.first_row(block), n_rows = blocks_.end_row(block) - first;
  std::vector<std::uint16_t> ids(n_rows + 1), spare(n_rows + kSpareIds);
  std::uint32_t n_unseen = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    ids[n_unseen] = static_cast<std::uint16_t>(i);
    n_unseen += gradients.sees(first + i) ? 0 : 1;
  }
  struct Waiting {
    std::size_t node;
    BlockRange range;
  };
  std::vector<Waiting> waiting{{0, {0, n_unseen}}};
  while (!waiting.empty()) {
    // Two names, because clang 14 lets no lambda capture those of a structured binding.
    const std::size_t node = waiting.back().node;
    const BlockRange range = waiting.back().range;
    waiting.pop_back();
    if (is_leaf(node)) {
      const double value = values[index(final_[node])];
      for (std::uint32_t i = range.begin; i < range.end; ++i) raw[first + ids[i]] += value;
      continue;
    }
    const std::size_t n_left =
        visit_block(data_.column(tests_[node].feature), first, first + n_rows, [&](const auto* codes) {
          return divide_ids(ids.data() + range.begin, range.size(), codes, tests_[node].goes_right.data(),
                            spare.data());
        });
    const std::uint32_t middle = range.begin + static_cast<std::uint32_t>(n_left);
    const std::size_t child = index(first_child_[node]);
    if (middle > range.begin) waiting.push_back({child, {range.begin, middle}});
    if (range.end > middle) waiting.push_back({child + 1, {middle, range.end}});
  }
}

LeafRows GrowingTree::rows_by_leaf() const {
  LeafRows found;
  found.begin.push_back(0);
  for (std::size_t node = 0; node < size(); ++node) {  // final ids rise with the others
    if (final_[node] == kNoNode) continue;
    for (std::size_t block = 0; is_leaf(node) && block < blocks_.n_blocks(); ++block) {
      const BlockRange range = ranges_.at(static_cast<NodeId>(node), block);
      const auto first = static_cast<RowId>(blocks_.first_row(block));
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        found.rows.push_back(first + blocks_.ids(block)[i]);
      }
    }
    found.begin.push_back(found.rows.size());
  }
  return found;
}

}  // namespace treewright
