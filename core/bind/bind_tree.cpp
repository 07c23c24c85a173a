// Python's view of trees: checking the arrays of a tree that came from outside.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bind/bind.h"
#include "bind/tree_arrays.h"
#include "tree/check.h"

namespace treewright {

namespace {

using Codes = nb::ndarray<const std::uint32_t, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_tree_arrays(const nb::dict& arrays, const Codes& n_codes) {
  check_tree(tree_from_arrays(arrays), {n_codes.data(), n_codes.shape(0)});
}

}  // namespace

void bind_tree(nb::module_& m) {
  m.def("check_tree", &check_tree_arrays, nb::arg("arrays"), nb::arg("n_codes"),
        "Raise ValueError with a sentence when the arrays are not a tree that can be walked safely.\n\n"
        "n_codes holds the number of categories of each feature, 0 for a numeric one.");
}

}  // namespace treewright
