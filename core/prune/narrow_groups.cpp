#include "prune/narrow_groups.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "prune/class_tree.h"
#include "tree/canonical.h"
#include "tree/check.h"
#include "tree/table.h"

namespace treewright {

namespace {

class Narrowing {
 public:
  Narrowing(Tree& tree, const Dataset& data) : tree_(tree), data_(data), above_(data.columns.size()) {}

  void run() {
    std::vector<Step> steps{{0, Above{}, false}};
    while (!steps.empty()) {
      const Step step = steps.back();
      steps.pop_back();
      if (step.leaving) {
        above_[column_of(step.node)] = step.above;
        continue;
      }
      if (step.above.node != kNoNode) above_[column_of(index(step.above.node))] = step.above;
      if (tree_.kind[step.node] == NodeKind::kLeaf) continue;
      const bool groups = tree_.kind[step.node] == NodeKind::kMultiway;
      if (groups) {
        const Above before = above_[column_of(step.node)];
        if (before.node != kNoNode) narrow(step.node, before);
        steps.push_back({step.node, before, true});
      }
      for (std::uint32_t b = tree_.n_children[step.node]; b > 0; --b) {
        const Above here = groups ? Above{static_cast<NodeId>(step.node), b - 1} : Above{};
        steps.push_back({index(tree_.first_child[step.node]) + b - 1, here, false});
      }
    }
  }

 private:
  // The nearest node above that tests the same column, and the branch taken there: all that is still
  // possible.
  struct Above {
    NodeId node = kNoNode;
    std::uint32_t branch = 0;
  };
  struct Step {
    std::size_t node;
    Above above;  // entering: the parent's branch that leads here; leaving: what was above before
    bool leaving;
  };

  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node); }
  std::size_t column_of(std::size_t node) const { return static_cast<std::size_t>(tree_.feature[node]); }
  std::uint32_t* table_of(std::size_t node) { return tree_.tables.data() + tree_.table[node]; }

  void narrow(std::size_t node, const Above& above) {
    std::uint32_t* table = table_of(node);
    if (table[0] != static_cast<std::uint32_t>(TableFormat::kBranches)) return;
    const Code n_codes = data_.column(tree_.feature[node]).n_codes;
    const std::uint32_t unseen = branch_of(table, n_codes + 1);
    const std::uint32_t last = tree_.n_children[node] - 1;
    if (is_branch(unseen) || tree_.missing[node] == last || table[1] <= n_codes) return;
    std::size_t left = 0;
    for (Code code = 1; code <= n_codes; ++code) {
      std::uint32_t& branch = table[2 + code];
      if (branch != last) continue;
      if (branch_of(table_of(index(above.node)), code) != above.branch) branch = unseen;
      left += branch == last;
    }
    if (left == 0 && last > 0) --tree_.n_children[node];
  }

  Tree& tree_;
  const Dataset& data_;
  std::vector<Above> above_;  // per column, on the way from the root to the present node
};

}  // namespace

Tree narrow_groups(Tree tree, const Dataset& data) {
  check_tree(tree, category_counts(data));
  Narrowing(tree, data).run();
  return canonical(std::move(tree));
}

}  // namespace treewright
