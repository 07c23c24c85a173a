// Python's view of pruning.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/tree_arrays.h"
#include "criterion/criteria.h"
#include "prune/collapse.h"
#include "prune/extra_errors.h"
#include "prune/narrow_groups.h"
#include "prune/pessimistic.h"

namespace treewright {

namespace {

void check_criterion(CriterionName criterion) {
  if (is_for_classes(criterion)) return;
  std::string names;
  for (const CriterionEntry& entry : kCriteria) {
    if (entry.task != Task::kClasses) continue;
    names += (names.empty() ? "" : " or ") + std::string(entry.name);
  }
  throw std::invalid_argument("Pruning by errors needs a criterion on classes: " + names + ".");
}

double py_extra_errors(double weight, double errors, double confidence, PruneProgram program) {
  if (!(weight > 0) || std::isinf(weight) || !(errors >= 0 && errors <= weight)) {
    throw std::invalid_argument("The weight must be positive and the errors between 0 and the weight.");
  }
  return ExtraErrors(program, confidence)(weight, errors);
}

nb::dict py_collapse(nb::dict arrays, const Vector<Code>& n_codes) {
  return arrays_from_tree(collapse(take_tree(arrays), {n_codes.data(), n_codes.shape(0)}));
}

nb::dict py_prune_pessimistic(nb::dict arrays, const Dataset& dataset, const Vector<std::int32_t>& labels,
                              int n_classes, const std::optional<Vector<double>>& weights,
                              CriterionName criterion, PruneProgram program, double confidence, bool raising,
                              int n_threads) {
  check_criterion(criterion);
  const PessimisticPlan plan{
      .program = program, .confidence = confidence, .raising = raising, .criterion = criterion};
  Tree tree = take_tree(arrays);
  std::span<const double> amounts;
  if (weights) amounts = {weights->data(), weights->shape(0)};
  if (weights && amounts.empty()) throw std::invalid_argument("There must be one weight per row.");
  Tree pruned = run_interruptible(n_threads, [&](Team& team) {
    return prune_pessimistic(std::move(tree), dataset, {labels.data(), labels.shape(0)}, n_classes, amounts,
                             plan, team);
  });
  return arrays_from_tree(std::move(pruned));
}

nb::dict py_narrow_groups(const nb::dict& arrays, const Dataset& dataset) {
  return arrays_from_tree(narrow_groups(tree_from_arrays(arrays), dataset));
}

}  // namespace

void bind_prune(nb::module_& m) {
  nb::enum_<PruneProgram>(m, "PruneProgram", "Whose details pruning follows.")
      .value("release_8", PruneProgram::kRelease8)
      .value("j48", PruneProgram::kJ48);
  m.def("extra_errors", &py_extra_errors, nb::arg("weight"), nb::arg("errors"), nb::arg("confidence"),
        nb::arg("program"), "Errors that a node is expected to make beyond those seen among its rows.");
  m.def("collapse", &py_collapse, nb::arg("arrays"), nb::arg("n_codes"),
        "Take back splits that save no training error. Returns the arrays of the smaller tree and empties "
        "`arrays`.");
  m.def("prune_pessimistic", &py_prune_pessimistic, nb::arg("arrays"), nb::arg("dataset"), nb::arg("labels"),
        nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("criterion"), nb::arg("program"),
        nb::arg("confidence"), nb::arg("raising"), nb::arg("n_threads") = 1,
        "Replace nodes by leaves or by their largest branch where pessimistic errors do not rise by that.\n\n"
        "The dataset, labels and weights are those that the tree was grown on. Returns the arrays of the "
        "smaller tree and empties `arrays`.");
  m.def("narrow_groups", &py_narrow_groups, nb::arg("arrays"), nb::arg("dataset"),
        "Take values that the tests above rule out from the last group of each multiway node.");
}

}  // namespace treewright
