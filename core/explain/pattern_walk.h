// PatternWalk: takes a block of rows through the groups of a tree and tells the state of each row in each.
// Loops run over rows, so that a wide register holds several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/game_tree.h"
#include "explain/pattern_groups.h"
#include "explain/row_block.h"

namespace treewright {

class PatternWalk {
 public:
  // Calls visit(group number, states), states: one per row, n_path + n_tests bits.
  template <class T, class Visitor>
  void run(const GameTree& tree, const PatternGroups& groups, const RowBlock<T>& rows, Visitor&& visit) {
    const std::size_t n = rows.n_rows();
    const std::size_t needed = (tree.n_levels() + 1) * RowBlock<T>::kMostRows;
    if (answers_.size() < needed) {
      answers_.resize(needed);
      patterns_.resize(needed);
      states_.resize(RowBlock<T>::kMostRows);
      one_test_.resize(RowBlock<T>::kMostRows);
    }
    clear(patterns_.data(), n);
    for (const PatternStep& step : groups.steps()) {
      Word* answers = answers_.data() + step.level * RowBlock<T>::kMostRows;
      Word* patterns = patterns_.data() + step.level * RowBlock<T>::kMostRows;
      switch (step.kind) {
        case PatternStep::Kind::kTest:
          answer(tree, static_cast<NodeId>(step.number), rows, 0, n, answers);
          break;
        case PatternStep::Kind::kEdge: {
          const GameEdge& edge = tree.edges()[step.number];
          pass(patterns - RowBlock<T>::kMostRows, answers - RowBlock<T>::kMostRows, edge, n, patterns);
          break;
        }
        case PatternStep::Kind::kGroup: {
          const PatternGroup& group = groups.groups()[step.number];
          const Word* states = patterns;
          if (group.n_tests > 0) {
            std::uint32_t bit = group.n_path;
            for (const NodeId node : groups.tests(group)) {
              answer(tree, node, rows, 0, n, one_test_.data());
              append_bit(bit == group.n_path ? patterns : states_.data(), one_test_.data(), bit, n,
                         states_.data());
              ++bit;
            }
            states = states_.data();
          }
          visit(step.number, states);
          break;
        }
      }
    }
  }

  using Word = std::uint64_t;  // as wide as a number, so that comparisons need no change of width

  // What n rows from begin on answer at a node.
  template <class T>
  static void answer(const GameTree& tree, NodeId node, const RowBlock<T>& rows, std::size_t begin,
                     std::size_t n, Word* out) {
    const GameTree::PlainTest& test = tree.test(node);
    if (test.is_plain)
      return compare(rows.column(test.feature) + begin, test.threshold, test.missing, n, out);
    for (std::size_t i = 0; i < n; ++i) out[i] = tree.branch(node, rows.row(begin + i));
  }

 private:
  static void clear(Word* words, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) words[i] = 0;
  }

  static void compare(const double* x, double threshold, std::uint32_t missing, std::size_t n, Word* out);
  static void pass(const Word* above, const Word* answers, const GameEdge& edge, std::size_t n, Word* out);
  static void append_bit(const Word* patterns, const Word* answers, std::uint32_t bit, std::size_t n,
                         Word* out);

  std::vector<Word> answers_;   // by level
  std::vector<Word> patterns_;  // by level
  std::vector<Word> states_;
  std::vector<Word> one_test_;
};

}  // namespace treewright
