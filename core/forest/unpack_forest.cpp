#include "forest/unpack_forest.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "criterion/criteria.h"

namespace treewright {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

class Unpacker {
 public:
  Unpacker(const ForestView& forest, std::size_t tree, CriterionName criterion)
      : forest_(forest),
        first_(static_cast<std::size_t>(forest.begin[tree])),
        n_(static_cast<std::size_t>(forest.begin[tree + 1]) - first_),
        n_outputs_(forest.n_outputs),
        criterion_(criterion) {}

  Tree run() {
    resize();
    // Children come after their parent, so they are ready when it is reached from the end.
    for (std::size_t node = n_; node-- > 0;) {
      tree_.rows[node] = forest_.rows[first_ + node];
      tree_.weight[node] = forest_.weight[first_ + node];
      if (forest_.is_leaf(first_ + node)) {
        unpack_leaf(node);
      } else {
        unpack_test(node);
        mix_children(node);
      }
      tree_.loss[node] = loss(node);
      if (tree_.kind[node] != NodeKind::kLeaf) tree_.gain[node] = gain(node);
    }
    unpack_tables();
    tree_.forget_missing_rows();
    return std::move(tree_);
  }

 private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node); }
  double* value(std::size_t node) { return tree_.value.data() + node * n_outputs_; }
  std::size_t child(std::size_t node) const { return index(tree_.first_child[node]); }

  void resize() {
    tree_.outputs = static_cast<std::int32_t>(n_outputs_);
    tree_.kind.assign(n_, NodeKind::kLeaf);
    tree_.feature.assign(n_, kNoFeature);
    tree_.first_child.assign(n_, kNoNode);
    tree_.n_children.assign(n_, 0);
    tree_.threshold.assign(n_, kUnknown);
    tree_.table.assign(n_, -1);
    tree_.missing.assign(n_, 0);
    tree_.value.assign(n_ * n_outputs_, 0.0);
    tree_.rows.assign(n_, 0);
    tree_.weight.assign(n_, 0.0);
    tree_.loss.assign(n_, 0.0);
    tree_.gain.assign(n_, 0.0);
  }

  void unpack_leaf(std::size_t node) {
    if (!forest_.is_classes()) {
      *value(node) = forest_.number[first_ + node];
      return;
    }
    const double* shares = forest_.distributions.data() + forest_.child[first_ + node] * n_outputs_;
    std::copy_n(shares, n_outputs_, value(node));
  }

  void unpack_test(std::size_t node) {
    const std::size_t at = first_ + node;
    const bool is_subset = (forest_.flags[at] & kSubsetTest) != 0;
    tree_.kind[node] = is_subset ? NodeKind::kSubset : NodeKind::kThreshold;
    tree_.feature[node] = forest_.feature(at);
    tree_.first_child[node] = static_cast<NodeId>(forest_.child[at]);
    tree_.n_children[node] = 2;
    tree_.missing[node] = (forest_.flags[at] & kMissingGoesRight) != 0 ? 1 : 0;
    if (!is_subset) tree_.threshold[node] = forest_.number[at];
  }

  // In the order of the nodes, as in a canonical tree.
  void unpack_tables() {
    for (std::size_t node = 0; node < n_; ++node) {
      if (tree_.kind[node] != NodeKind::kSubset) continue;
      const std::uint32_t* table =
          forest_.tables.data() + static_cast<std::size_t>(forest_.number[first_ + node]);
      tree_.table[node] = static_cast<std::int64_t>(tree_.tables.size());
      tree_.tables.insert(tree_.tables.end(), table, table + 2 + table[1]);
    }
  }

  // Weights are rounded in a forest, so a share is of the children's own sum. Without weight both count
  // alike.
  double left_share(std::size_t node) const {
    const double left = tree_.weight[child(node)], both = left + tree_.weight[child(node) + 1];
    return both > 0 ? left / both : 0.5;
  }

  void mix_children(std::size_t node) {
    const double share = left_share(node);
    const double *left = value(child(node)), *right = value(child(node) + 1);
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      value(node)[k] = left[k] == right[k] ? left[k] : share * left[k] + (1 - share) * right[k];
    }
  }

  // A forest keeps the class shares of a leaf, from which its loss follows, but not the loss of numbers.
  double loss(std::size_t node) {
    if (!is_for_classes(criterion_)) return kUnknown;
    const auto n_classes = static_cast<int>(n_outputs_);
    return visit_criterion<Task::kClasses>(criterion_, [&]<class Types>(Types) {
      return tree_.weight[node] * std::max(0.0, Types::Weighted::loss(value(node), n_classes, 1.0));
    });
  }

  double gain(std::size_t node) {
    const std::size_t left = child(node), right = left + 1;
    if (is_for_classes(criterion_)) {
      return std::max(0.0, tree_.loss[node] - tree_.loss[left] - tree_.loss[right]);
    }
    return visit_criterion<Task::kNumbers>(criterion_, [&]<class Types>(Types) {
      if constexpr (HasGainOfValues<typename Types::Weighted>) {
        return Types::Weighted::gain_of(
            {tree_.weight[node], left_share(node), *value(left), *value(right), *value(node)});
      } else {
        return kUnknown;
      }
    });
  }

  const ForestView& forest_;
  const std::size_t first_;  // the tree's first node
  const std::size_t n_;      // and how many it has
  const std::size_t n_outputs_;
  const CriterionName criterion_;
  Tree tree_;
};

}  // namespace

Tree unpack(const ForestView& forest, std::size_t tree, CriterionName criterion) {
  if (tree >= forest.n_trees()) {
    throw std::invalid_argument("The forest has no tree " + std::to_string(tree) + ".");
  }
  if (is_for_classes(criterion) != forest.is_classes()) {
    throw std::invalid_argument("The criterion does not fit what the forest predicts.");
  }
  return Unpacker(forest, tree, criterion).run();
}

Tree unpack_checked(const ForestView& forest, std::size_t tree, CriterionName criterion) {
  if (tree >= forest.n_trees()) {
    throw std::invalid_argument("The forest has no tree " + std::to_string(tree) + ".");
  }
  const std::int64_t first = forest.begin[tree], end = forest.begin[tree + 1];
  const auto n_nodes = static_cast<std::int64_t>(forest.n_nodes());
  if (first < 0 || end <= first || end > n_nodes) {
    throw std::invalid_argument("Not a valid forest: 'begin' is not ascending.");
  }
  const auto part = [&](auto array) {
    const auto skip = static_cast<std::size_t>(first), size = static_cast<std::size_t>(end - first);
    return skip < array.size() ? array.subspan(skip, std::min(size, array.size() - skip)) : array.first(0);
  };
  const std::int64_t begin[] = {0, end - first};
  const ForestView one{forest.n_outputs,       begin,
                       part(forest.number),    part(forest.child),
                       part(forest.feature16), part(forest.feature32),
                       part(forest.flags),     part(forest.weight),
                       part(forest.rows),      forest.distributions,
                       forest.tables};
  check_forest_alone(one);
  return unpack(one, 0, criterion);
}

}  // namespace treewright
