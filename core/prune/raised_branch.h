// RaisedBranch: the estimated errors if the largest branch stood in its parent's place and all of the
// parent's rows went down it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "prune/estimates.h"
#include "prune/row_pile.h"
#include "prune/row_router.h"
#include "tree/tree.h"

namespace treewright {

class RaisedBranch {
 public:
  RaisedBranch(const Tree& tree, const RowRouter& router, const Estimates& estimates,
               std::span<const std::int32_t> labels, RowPile& pile, Team& team)
      : tree_(tree),
        router_(router),
        estimates_(estimates),
        labels_(labels),
        pile_(pile),
        team_(team),
        counts_(estimates.n_classes()) {}

  // The parent's rows, sorted by its own test.
  struct Parent {
    RowRange rows;
    RowRange branch;   // those that the test sends to the branch
    RowRange shared;   // those that go down all branches
    double share = 0;  // what the branch gets of them
  };

  // Ends early when decided(sum so far) says that a larger sum would not change anything: no term is
  // negative. The pile is left as it was, up to the order of rows on top of it.
  double errors(std::size_t branch, const Parent& parent, const std::function<bool(double)>& decided);

 private:
  struct Item {
    std::size_t node;
    RowRange rows;
  };

  std::optional<double> with_additional(std::size_t branch, std::size_t from,
                                        const std::function<bool(double)>& decided);
  double with_all(std::size_t branch, std::size_t from, const std::function<bool(double)>& decided);
  double leaf_errors(std::size_t node, RowRange rows, bool additional);

  const Tree& tree_;
  const RowRouter& router_;
  const Estimates& estimates_;
  const std::span<const std::int32_t> labels_;
  RowPile& pile_;
  Team& team_;
  std::vector<double> counts_;
  std::vector<Item> open_;
  std::vector<std::size_t> bounds_;
  std::vector<double> known_;
};

}  // namespace treewright
