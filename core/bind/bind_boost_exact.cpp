// Python's view of the exact method: one tree from given gradients.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/tree_arrays.h"
#include "boost/exact/exact_grower.h"

namespace treewright {

namespace {

using Floats = nb::ndarray<const float, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::dict boost_exact_tree(const Dataset& data, const Floats& gradients, const Floats& hessians,
                          const BoostPlan& plan, std::uint64_t round, std::size_t output, int n_threads) {
  BoostedTree grown = run_interruptible(n_threads, [&](Team& team) {
    ExactGrower grower(data, plan, team);
    Gradients given;
    given.gradient = {gradients.data(), gradients.shape(0)};
    given.hessian = {hessians.data(), hessians.shape(0)};
    return grower.grow(given, round, output);
  });
  nb::dict arrays = arrays_from_tree(std::move(grown.tree));
  arrays["gradient"] = own_array(std::move(grown.gradient));
  arrays["leaf"] = own_array(std::move(grown.leaf));
  return arrays;
}

}  // namespace

void bind_boost_exact(nb::module_& m) {
  m.def("boost_exact_tree", &boost_exact_tree, nb::arg("dataset"), nb::arg("gradients"), nb::arg("hessians"),
        nb::arg("plan"), nb::arg("round") = 0, nb::arg("output") = 0, nb::arg("n_threads") = 1,
        "Grow one tree by the exact greedy method from float32 gradients and hessians. Returns the arrays of "
        "the tree, the sum of gradients of every node and the leaf of every row; values are those before the "
        "learning rate.");
}

}  // namespace treewright
