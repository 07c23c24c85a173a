#include "predict/forest_nodes.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/assert.h"
#include "predict/forest_walk.h"
#include "tree/table.h"

namespace treewright {

namespace {

// The codes of branch 1 as bits; codes are at most 63. Bit 0 follows the node, not the table.
std::uint64_t small_set_bits(const std::uint32_t* table, bool missing_goes_right) {
  const std::uint32_t length = table[1];
  const std::uint32_t* data = table + 2;
  std::uint64_t bits = 0;
  if (table[0] == static_cast<std::uint32_t>(TableFormat::kBits)) {
    if (length > 0) bits = data[0];
    if (length > 1) bits |= std::uint64_t{data[1]} << 32;
  } else {
    for (std::uint32_t i = 0; i < length; ++i) bits |= std::uint64_t{1} << (data[i] & 63U);
    if (table[0] == static_cast<std::uint32_t>(TableFormat::kListLeft)) bits = ~bits;
  }
  return missing_goes_right ? bits | 1U : bits & ~std::uint64_t{1};
}

}  // namespace

ForestNodes::ForestNodes(const ForestView& forest, std::span<const Code> n_codes)
    : forest_(forest), n_codes_(n_codes.begin(), n_codes.end()), slots_(forest, n_codes) {
  std::int64_t most_nodes = 0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    most_nodes = std::max(most_nodes, forest.begin[t + 1] - forest.begin[t]);
  }
  takes_narrow_cells_ = !slots_.has_sets() && slots_.size() <= NarrowNode::kMostSlots &&
                        static_cast<std::size_t>(most_nodes) <= NarrowNode::kMostNodes &&
                        forest.n_distributions() <= NarrowNode::kMostLeafRows;
}

NarrowNode ForestNodes::narrow_split(std::size_t node, std::uint32_t slot) const {
  return NarrowNode::split(forest_.number[node], slot, forest_.child[node]);
}

WideKeyNode ForestNodes::wide_split(std::size_t node, std::uint32_t slot) const {
  const std::uint32_t child = forest_.child[node];
  if ((forest_.flags[node] & kSubsetTest) == 0) return WideKeyNode::split(forest_.number[node], slot, child);
  const std::uint32_t* table = forest_.tables.data() + static_cast<std::size_t>(forest_.number[node]);
  const bool missing_goes_right = (forest_.flags[node] & kMissingGoesRight) != 0;
  const Code n_codes = n_codes_[static_cast<std::size_t>(forest_.feature(node))];
  if (n_codes > WideKeyNode::kMostSmallCodes) {
    return WideKeyNode::large_set(large_sets_.add(table, missing_goes_right, n_codes), slot, child);
  }
  return WideKeyNode::small_set(small_set_bits(table, missing_goes_right), slot, child);
}

template <class Node>
const Node* ForestNodes::made(Form<Node>& form) const {
  std::call_once(form.once, [&] {
    std::vector<Node> nodes;
    nodes.reserve(forest_.n_nodes());
    for (std::size_t t = 0; t < forest_.n_trees(); ++t) {
      const auto first = static_cast<std::size_t>(forest_.begin[t]);
      const auto end = static_cast<std::size_t>(forest_.begin[t + 1]);
      for (std::size_t node = first; node < end; ++node) {
        const auto id = static_cast<std::uint32_t>(node - first);
        const FeatureId feature = forest_.feature(node);
        if (feature == kNoFeature) {
          nodes.push_back(Node::leaf(leaf_row(node, id), id));
          continue;
        }
        const std::uint32_t slot = slots_.slot_of(feature, forest_.flags[node]);
        if constexpr (std::is_same_v<Node, NarrowNode>) {
          nodes.push_back(narrow_split(node, slot));
        } else {
          nodes.push_back(wide_split(node, slot));
        }
      }
    }
    form.nodes = std::move(nodes);
  });
  return form.nodes.data();
}

template <class Cell, class Visit>
void ForestNodes::with_step([[maybe_unused]] bool may_doubt, Visit&& visit) const {
  if constexpr (std::is_same_v<Cell, NarrowNode::Cell>) {
    TW_ASSERT(takes_narrow_cells_);
    if (may_doubt) return visit(DoubtingStep{}, made(narrow_));
    return visit(ThresholdStep<NarrowNode>{}, made(narrow_));
  } else if (slots_.has_large_sets()) {
    visit(SetStep<true>{&large_sets_}, made(wide_));
  } else if (slots_.has_sets()) {
    visit(SetStep<false>{}, made(wide_));
  } else {
    visit(ThresholdStep<WideKeyNode>{}, made(wide_));
  }
}

namespace {

// Calls walk(arrive) with the arrival that writes the wanted name of a leaf.
template <class Walk>
void write_leaves(LeafName name, std::uint32_t* out, std::vector<std::uint32_t>* doubts, Walk&& walk) {
  const auto note = [doubts](std::size_t i, bool doubt) {
    if (doubt) doubts->push_back(static_cast<std::uint32_t>(i));
  };
  if (name == LeafName::kId) {
    walk([out, note](std::size_t i, const auto&, std::uint32_t id, bool doubt) {
      out[i] = id;
      note(i, doubt);
    });
  } else {
    walk([out, note](std::size_t i, const auto& leaf, std::uint32_t, bool doubt) {
      out[i] = leaf.leaf_row();
      note(i, doubt);
    });
  }
}

}  // namespace

template <class Cell>
void ForestNodes::leaves_of_rows(std::size_t tree, const MatrixRows<Cell>& rows,
                                 std::span<const std::uint32_t> which, LeafName name, std::uint32_t* out,
                                 std::vector<std::uint32_t>* doubts) const {
  with_step<Cell>(doubts != nullptr, [&](const auto& step, const auto* nodes) {
    nodes += forest_.begin[tree];
    write_leaves(name, out, doubts, [&](auto&& arrive) {
      if (which.empty()) {
        walk_rows(step, nodes, rows.n_rows, [&rows](std::size_t i) { return rows.row(i); }, arrive);
      } else {
        walk_rows(step, nodes, which.size(), [&](std::size_t i) { return rows.row(which[i]); }, arrive);
      }
    });
  });
}

template <class Cell>
void ForestNodes::leaves_of_row(const Cell* row, LeafName name, std::uint32_t* out,
                                std::vector<std::uint32_t>* doubts) const {
  with_step<Cell>(doubts != nullptr, [&](const auto& step, const auto* nodes) {
    const auto nodes_of = [&](std::size_t tree) { return nodes + forest_.begin[tree]; };
    write_leaves(name, out, doubts,
                 [&](auto&& arrive) { walk_trees(step, row, forest_.n_trees(), nodes_of, arrive); });
  });
}

using Narrow = NarrowNode::Cell;
using Wide = WideKeyNode::Cell;
using Which = std::span<const std::uint32_t>;
using Doubts = std::vector<std::uint32_t>*;
template void ForestNodes::leaves_of_rows(std::size_t, const MatrixRows<Narrow>&, Which, LeafName,
                                          std::uint32_t*, Doubts) const;
template void ForestNodes::leaves_of_rows(std::size_t, const MatrixRows<Wide>&, Which, LeafName,
                                          std::uint32_t*, Doubts) const;
template void ForestNodes::leaves_of_row(const Narrow*, LeafName, std::uint32_t*, Doubts) const;
template void ForestNodes::leaves_of_row(const Wide*, LeafName, std::uint32_t*, Doubts) const;

}  // namespace treewright
