#include "prune/subtree_sums.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace treewright {

void sum_subtrees(const Links& links, std::size_t n_columns, std::span<double> sums) {
  for (std::size_t node = links.size(); node-- > 0;) {
    double* own = sums.data() + node * n_columns;
    for (std::uint32_t branch = 0; branch < links.n_children[node]; ++branch) {
      const std::size_t child = static_cast<std::size_t>(links.first_child[node]) + branch;
      const double* below = sums.data() + child * n_columns;
      for (std::size_t k = 0; k < n_columns; ++k) own[k] += below[k];
    }
  }
}

void sum_powers(const Links& links, std::span<const double> value, std::size_t n_powers,
                std::span<double> sums) {
  std::vector<double> moved(n_powers);
  for (std::size_t node = links.size(); node-- > 0;) {
    double* own = sums.data() + node * n_powers;
    for (std::uint32_t branch = 0; branch < links.n_children[node]; ++branch) {
      const std::size_t child = static_cast<std::size_t>(links.first_child[node]) + branch;
      const double distance = value[child] - value[node];
      std::copy_n(sums.data() + child * n_powers, n_powers, moved.begin());
      // (r + d)^p by Pascal's triangle: each round multiplies one more factor (r + d) in.
      for (std::size_t round = 1; round < n_powers; ++round) {
        for (std::size_t p = n_powers - 1; p >= round; --p) moved[p] += distance * moved[p - 1];
      }
      for (std::size_t p = 0; p < n_powers; ++p) own[p] += moved[p];
    }
  }
}

}  // namespace treewright
