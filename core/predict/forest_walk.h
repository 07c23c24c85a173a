// Walks down the trees of a forest, eight ways at a time: eight rows in one tree, or one row in eight trees.
// While one way waits for memory, the others go on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/types.h"
#include "predict/code_sets.h"
#include "predict/key_nodes.h"

namespace treewright {

// How to take a step where every test is a threshold.
template <class NodeType>
struct ThresholdStep {
  using Node = NodeType;
  using Cell = typename Node::Cell;

  std::uint32_t next(const Node& node, const Cell* row) const { return node.next(row); }
};

// The same where rows may be in doubt (key_nodes.h): arrivals tell.
struct DoubtingStep : ThresholdStep<NarrowNode> {
  static std::uint32_t is_in_doubt(const Node& node, const Cell* row) {
    return static_cast<std::uint32_t>(node.key == node.cell(row));
  }
};

// How to take a step where some tests are sets of categories; of many categories only with kLarge.
template <bool kLarge>
struct SetStep {
  using Node = WideKeyNode;
  using Cell = Node::Cell;
  const CodeSets* large = nullptr;

  std::uint32_t next(const Node& node, const Cell* row) const {
    const Cell cell = node.cell(row);
    if constexpr (kLarge) {
      if (node.is_large_set() != 0) return node.child + large->branch(node.key, static_cast<Code>(cell));
    }
    // Both answers are computed and one is masked out: a branch here could not be predicted.
    const auto above = static_cast<std::uint32_t>(node.key < cell);
    const auto in_set = static_cast<std::uint32_t>(node.key >> (cell & 63U)) & 1U;
    return node.child + (above ^ ((above ^ in_set) & (0U - node.is_small_set())));
  }
};

inline constexpr std::size_t kWays = 8;

// Where the ways have come to, and whether they are in doubt.
struct Ways {
  std::array<std::uint32_t, kWays> at{};
  std::array<std::uint32_t, kWays> doubt{};
};

// Goes on until all ways have ended at a leaf. nodes_of(way) is the tree and row_of(way) the row of a way.
template <class Step, class NodesOf, class RowOf>
inline Ways walk_ways(const Step& step, NodesOf&& nodes_of, RowOf&& row_of) {
  constexpr std::size_t kStepsBetweenTests = 4;
  Ways ways;
  for (bool moving = true; moving;) {
    for (std::size_t i = 0; i < kStepsBetweenTests; ++i) {
      for (std::size_t way = 0; way < kWays; ++way) {
        const auto& node = nodes_of(way)[ways.at[way]];
        if constexpr (requires { Step::is_in_doubt; }) ways.doubt[way] |= step.is_in_doubt(node, row_of(way));
        ways.at[way] = step.next(node, row_of(way));
      }
    }
    moving = false;
    for (std::size_t way = 0; way < kWays; ++way) moving |= !nodes_of(way)[ways.at[way]].is_leaf();
  }
  return ways;
}

// Calls arrive(i, leaf, id of the leaf, in doubt) for the rows i in [0, n); row_of(i) is row i.
template <class Step, class RowOf, class Arrive>
void walk_rows(const Step& step, const typename Step::Node* nodes, std::size_t n, RowOf&& row_of,
               Arrive&& arrive) {
  for (std::size_t i = 0; i < n; i += kWays) {
    std::array<const typename Step::Cell*, kWays> row;
    // The last group repeats the last row, which costs no more than waiting for the others.
    for (std::size_t way = 0; way < kWays; ++way) row[way] = row_of(std::min(i + way, n - 1));
    const Ways ways =
        walk_ways(step, [nodes](std::size_t) { return nodes; }, [&row](std::size_t way) { return row[way]; });
    const std::size_t n_ways = std::min(kWays, n - i);
    for (std::size_t way = 0; way < n_ways; ++way) {
      arrive(i + way, nodes[ways.at[way]], ways.at[way], ways.doubt[way] != 0);
    }
  }
}

// Calls arrive(i, leaf, id of the leaf, in doubt) for the trees i in [0, n); nodes_of(i) is tree i.
template <class Step, class NodesOf, class Arrive>
void walk_trees(const Step& step, const typename Step::Cell* row, std::size_t n, NodesOf&& nodes_of,
                Arrive&& arrive) {
  for (std::size_t i = 0; i < n; i += kWays) {
    std::array<const typename Step::Node*, kWays> nodes;
    for (std::size_t way = 0; way < kWays; ++way) nodes[way] = nodes_of(std::min(i + way, n - 1));
    const Ways ways =
        walk_ways(step, [&nodes](std::size_t way) { return nodes[way]; }, [row](std::size_t) { return row; });
    const std::size_t n_ways = std::min(kWays, n - i);
    for (std::size_t way = 0; way < n_ways; ++way) {
      arrive(i + way, nodes[way][ways.at[way]], ways.at[way], ways.doubt[way] != 0);
    }
  }
}

}  // namespace treewright
