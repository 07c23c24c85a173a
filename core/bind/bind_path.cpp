// Python's view of cost-complexity pruning: the weakest links of a tree and sums over its subtrees.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "prune/subtree_sums.h"
#include "prune/weakest_link.h"

namespace treewright {

namespace {

using Sums = nb::ndarray<const double, nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Refuses links that a pass over the nodes could follow out of the arrays or forever.
Links checked_links(const Vector<NodeId>& first_child, const Vector<std::uint32_t>& n_children) {
  const Links links{span_of(first_child), span_of(n_children)};
  if (first_child.shape(0) != n_children.shape(0)) {
    throw std::invalid_argument("first_child and n_children must have the same length.");
  }
  const auto n_nodes = static_cast<std::int64_t>(links.size());
  std::vector<bool> has_parent(links.size(), false);
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    const std::int64_t first = links.first_child[static_cast<std::size_t>(node)];
    const std::int64_t count = links.n_children[static_cast<std::size_t>(node)];
    if (count > 0 && (first <= node || first + count > n_nodes)) {
      throw std::invalid_argument("a node must stand before its children.");
    }
    for (std::int64_t child = first; child < first + count; ++child) {
      if (has_parent[static_cast<std::size_t>(child)]) {
        throw std::invalid_argument("a node must not have two parents.");
      }
      has_parent[static_cast<std::size_t>(child)] = true;
    }
  }
  return links;
}

void check_length(std::size_t found, const Links& links, const char* sentence) {
  if (found != links.size()) throw std::invalid_argument(sentence);
}

nb::dict find_weakest_links(const Vector<NodeId>& first_child, const Vector<std::uint32_t>& n_children,
                            const Vector<double>& risk) {
  const Links links = checked_links(first_child, n_children);
  check_length(risk.shape(0), links, "risk must have one entry per node.");
  for (const double one : span_of(risk)) {
    if (!std::isfinite(one))
      throw std::invalid_argument(
          "The risk of a node is not a finite number, so there is no order in which the tree could shrink.");
  }
  WeakestLinks found;
  {
    const nb::gil_scoped_release release;
    found = weakest_links(links, span_of(risk));
  }
  nb::dict result;
  result["alpha"] = own_array(std::move(found.alpha));
  result["step_node"] = own_array(std::move(found.step_node));
  result["step_alpha"] = own_array(std::move(found.step_alpha));
  result["step_risk"] = own_array(std::move(found.step_risk));
  result["step_leaves"] = own_array(std::move(found.step_leaves));
  return result;
}

// Copies the sums, calls add(links, copy) without the GIL and returns the copy.
template <class Add>
NumpyArray<double> summed(const Links& links, const Sums& sums, Add&& add) {
  check_length(sums.shape(0), links, "sums must have one row per node.");
  std::vector<double> copy(sums.data(), sums.data() + sums.size());
  {
    const nb::gil_scoped_release release;
    add(std::span<double>(copy));
  }
  return own_numpy(std::move(copy), {sums.shape(0), sums.shape(1)});
}

NumpyArray<double> sums_of_subtrees(const Vector<NodeId>& first_child,
                                    const Vector<std::uint32_t>& n_children, const Sums& sums) {
  const Links links = checked_links(first_child, n_children);
  return summed(links, sums, [&](std::span<double> copy) { sum_subtrees(links, sums.shape(1), copy); });
}

NumpyArray<double> powers_of_subtrees(const Vector<NodeId>& first_child,
                                      const Vector<std::uint32_t>& n_children, const Vector<double>& value,
                                      const Sums& sums) {
  const Links links = checked_links(first_child, n_children);
  check_length(value.shape(0), links, "value must have one entry per node.");
  return summed(links, sums,
                [&](std::span<double> copy) { sum_powers(links, span_of(value), sums.shape(1), copy); });
}

}  // namespace

void bind_path(nb::module_& m) {
  m.def("weakest_links", &find_weakest_links, nb::arg("first_child"), nb::arg("n_children"), nb::arg("risk"),
        "Minimal cost-complexity pruning: alpha, the price of a leaf from which on each node is not split (0 "
        "for a\nleaf), and the steps: step_node, step_alpha (ascending), step_risk, step_leaves.");
  m.def("sum_subtrees", &sums_of_subtrees, nb::arg("first_child"), nb::arg("n_children"), nb::arg("sums"),
        "Add to the row of each node the rows of all nodes below it.");
  m.def("sum_powers", &powers_of_subtrees, nb::arg("first_child"), nb::arg("n_children"), nb::arg("value"),
        nb::arg("sums"), "The same for sums of (y - value of the node)^p, one column per p = 0, 1, ...");
}

}  // namespace treewright
