// Python's view of trees: the constants of their arrays, and the check of arrays that came from outside.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/forest_arrays.h"
#include "bind/tree_arrays.h"
#include "tree/check.h"
#include "tree/fault.h"
#include "tree/table.h"

namespace treewright {

namespace {

using Codes = Vector<std::uint32_t>;

void check_tree_arrays(const nb::dict& arrays, const Codes& n_codes) {
  check_tree(tree_from_arrays(arrays), span_of(n_codes));
}

// Calls the check; a fault is told as the rule that a reader of a model file understands.
template <class Check>
void check_stored(Check&& check) {
  try {
    check();
  } catch (const TreeFault& fault) {
    throw std::invalid_argument(fault.rule());
  }
}

void check_stored_trees(const std::vector<nb::dict>& trees, const Codes& n_codes) {
  check_stored([&] {
    for (const nb::dict& arrays : trees) check_stored_tree(tree_from_arrays(arrays), span_of(n_codes));
  });
}

void check_stored_forest_arrays(const nb::dict& arrays, const Codes& n_codes) {
  BorrowedForest forest(arrays);
  const std::span<const double> gradient = forest.borrow_gradient(arrays);
  check_stored([&] { check_stored_forest(forest.view(), gradient, span_of(n_codes)); });
}

NumpyArray<std::uint32_t> branches_of_codes(const Codes& tables, std::size_t offset, const Codes& codes) {
  const std::size_t size = tables.shape(0);
  if (size < 2 || offset > size - 2 || tables.data()[offset + 1] > size - 2 - offset) {
    throw std::invalid_argument("There is no table at this place.");
  }
  const std::uint32_t* table = tables.data() + offset;
  const auto format = static_cast<TableFormat>(table[0]);
  if (table[1] == 0 && (format == TableFormat::kBranches || format == TableFormat::kPairs)) {
    throw std::invalid_argument("The table is empty.");
  }
  std::vector<std::uint32_t> branches(codes.shape(0));
  for (std::size_t i = 0; i < branches.size(); ++i) branches[i] = branch_of(table, codes.data()[i]);
  const std::size_t n = branches.size();
  return own_numpy(std::move(branches), {n});
}

}  // namespace

void bind_tree(nb::module_& m) {
  m.attr("KIND_LEAF") = static_cast<std::int64_t>(NodeKind::kLeaf);
  m.attr("KIND_THRESHOLD") = static_cast<std::int64_t>(NodeKind::kThreshold);
  m.attr("KIND_SUBSET") = static_cast<std::int64_t>(NodeKind::kSubset);
  m.attr("KIND_MULTIWAY") = static_cast<std::int64_t>(NodeKind::kMultiway);
  m.attr("EVERY_BRANCH") = static_cast<std::int64_t>(kEveryBranch);
  m.attr("STOP_HERE") = static_cast<std::int64_t>(kStopHere);
  m.attr("FOREST_LEAF") = static_cast<std::int64_t>(kNoFeature);
  m.attr("FOREST_MISSING") = static_cast<std::int64_t>(kMissingGoesRight);
  m.attr("FOREST_SUBSET") = static_cast<std::int64_t>(kSubsetTest);

  m.def("check_tree", &check_tree_arrays, nb::arg("arrays"), nb::arg("n_codes"),
        "Raise ValueError with a sentence when the arrays are not a tree that can be walked safely.\n\n"
        "n_codes holds the number of categories of each feature, 0 for a numeric one.");
  m.def("branches_of_codes", &branches_of_codes, nb::arg("tables"), nb::arg("offset"), nb::arg("codes"),
        "Return the branch that each code takes by the table at `offset`.");
  m.def("check_stored_trees", &check_stored_trees, nb::arg("trees"), nb::arg("n_codes"),
        "Raise ValueError unless the arrays of every tree are those that a fit makes; the message names the "
        "rule\nthat is broken.");
  m.def("check_stored_forest", &check_stored_forest_arrays, nb::arg("arrays"), nb::arg("n_codes"),
        "The same for the arrays of a forest.");
}

}  // namespace treewright
