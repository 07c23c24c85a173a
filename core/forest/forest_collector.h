// ForestCollector: takes the trees of a forest as they are finished, by several threads and in any order, and
// appends them in the order of their numbers; so no more full trees exist at a time than are being grown.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "forest/grow_forest.h"
#include "tree/forest.h"
#include "tree/tree.h"

namespace treewright {

class ForestCollector {
 public:
  ForestCollector(const ForestTask& task, ForestBuilder::Answer answer, std::size_t n_outputs);

  // `rows` are those of the bag; read only when the plan asks for the rows of the leaves.
  void add(std::size_t number, Tree tree, std::span<const RowId> rows);
  // A tree that is appended already, for its memory: fresh pages for every tree would cost as much as its
  // splits.
  Tree spare();
  GrownForest finish();

 private:
  struct Waiting {
    Tree tree;
    std::vector<std::int64_t> leaf_sizes;
    std::vector<std::uint32_t> leaf_rows;
  };

  void append(Waiting& next);

  const ForestTask& task_;
  ForestBuilder builder_;
  GrownForest grown_;
  std::mutex mutex_;
  std::map<std::size_t, Waiting> waiting_;
  std::vector<Tree> spares_;
  bool wants_spares_ = false;
  std::size_t n_appended_ = 0;
};

}  // namespace treewright
