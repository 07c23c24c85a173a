// Python's view of losses: raw scores are (rows, outputs) there and output by output here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "objective/objective.h"

namespace treewright {

namespace {

using Numbers = Vector<double>;
using Scores = nb::ndarray<const double, nb::ro, nb::ndim<2>, nb::device::cpu>;
using RowList = Vector<RowId>;

// By the word that users know: of several classes, a loss of two may be another one.
std::unique_ptr<Objective> make(const std::string& name, std::size_t n_classes, double quantile,
                                double power) {
  const ObjectiveEntry& entry = objective_entry(name);
  const bool is_other = n_classes > 2 && !entry.of_several_classes.empty();
  return make_objective({is_other ? entry.of_several_classes : entry.name, n_classes, quantile, power});
}

// The losses that users may name.
std::vector<ObjectiveEntry> losses() {
  std::vector<ObjectiveEntry> found;
  for (const ObjectiveEntry& entry : objectives()) {
    if (entry.answer != AnswerKind::kSeveralClasses) found.push_back(entry);
  }
  return found;
}

Targets targets_of(const Numbers& y, const std::optional<Numbers>& weights) {
  Targets rows{{y.data(), y.shape(0)}, {}};
  if (!weights) return rows;
  if (weights->shape(0) != y.shape(0)) {
    throw std::invalid_argument("There must be one weight for every row.");
  }
  rows.weights = {weights->data(), weights->shape(0)};
  return rows;
}

std::vector<double> by_output(const Objective& objective, const Scores& raw, std::size_t n_rows) {
  if (raw.shape(0) != n_rows || raw.shape(1) != objective.outputs()) {
    throw std::invalid_argument("Raw scores need one row per target and one column per output.");
  }
  std::vector<double> result(n_rows * objective.outputs());
  for (std::size_t k = 0; k < objective.outputs(); ++k) {
    for (std::size_t i = 0; i < n_rows; ++i) result[k * n_rows + i] = raw(i, k);
  }
  return result;
}

nb::object by_row(std::vector<double> values, std::size_t n_rows, std::size_t outputs) {
  if (outputs == 1) return own_array(std::move(values), {n_rows, outputs});
  std::vector<double> result(values.size());
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t i = 0; i < n_rows; ++i) result[i * outputs + k] = values[k * n_rows + i];
  }
  return own_array(std::move(result), {n_rows, outputs});
}

NumpyArray<double> start(const Objective& objective, const Numbers& y, const std::optional<Numbers>& weights,
                         const std::optional<Scores>& offset) {
  const Targets rows = targets_of(y, weights);
  const std::vector<double> scores =
      offset ? by_output(objective, *offset, rows.size()) : std::vector<double>{};
  return own_numpy(objective.start(rows, scores), {objective.outputs()});
}

void begin_round(Objective& objective, const Numbers& y, const std::optional<Numbers>& weights,
                 const Scores& raw) {
  const Targets rows = targets_of(y, weights);
  objective.begin_round(rows, by_output(objective, raw, rows.size()).data());
}

nb::object gradients(const Objective& objective, const Numbers& y, const std::optional<Numbers>& weights,
                     const Scores& raw) {
  const Targets rows = targets_of(y, weights);
  const std::size_t n = rows.size(), outputs = objective.outputs();
  const std::vector<double> scores = by_output(objective, raw, n);
  std::vector<double> gradient(n * outputs), hessian(n * outputs);
  objective.gradients(rows, scores.data(), 0, n, gradient.data(), hessian.data());
  return nb::make_tuple(by_row(std::move(gradient), n, outputs), by_row(std::move(hessian), n, outputs));
}

double total(const Objective& objective, const Numbers& y, const std::optional<Numbers>& weights,
             const Scores& raw) {
  const Targets rows = targets_of(y, weights);
  return objective.total(rows, by_output(objective, raw, rows.size()).data(), 0, rows.size());
}

double leaf_value(const Objective& objective, const Numbers& y, const std::optional<Numbers>& weights,
                  const Scores& raw, std::size_t output, const RowList& leaf) {
  const Targets rows = targets_of(y, weights);
  const std::span<const RowId> listed(leaf.data(), leaf.shape(0));
  if (output >= objective.outputs()) throw std::invalid_argument("There is no such output.");
  if (std::any_of(listed.begin(), listed.end(), [&](RowId row) { return row >= rows.size(); })) {
    throw std::invalid_argument("A row of the leaf is not among the targets.");
  }
  return objective.leaf_value(rows, by_output(objective, raw, rows.size()).data(), output, listed);
}

}  // namespace

void bind_objective(nb::module_& m) {
  nb::class_<ObjectiveEntry>(m, "LossEntry", "What the engine knows of a loss by its name.")
      .def_ro("name", &ObjectiveEntry::name)
      .def_prop_ro("of_classes", [](const ObjectiveEntry& e) { return e.answer != AnswerKind::kNumber; })
      .def_ro("link", &ObjectiveEntry::link, "From raw scores to answers; for classes that of two.")
      .def_prop_ro(
          "several_classes",
          [](const ObjectiveEntry& e) {
            return e.answer == AnswerKind::kNumber || !e.of_several_classes.empty();
          },
          "Whether there may be more than two classes.")
      .def_ro("score_factor", &ObjectiveEntry::score_factor,
              "Times the mean loss: the score that people know.")
      .def_ro("parameter", &ObjectiveEntry::parameter,
              "Of Objective that it reads: quantile, power, or nothing.");
  m.def("losses", &losses, "The losses that a booster may be asked for.");
  nb::class_<Objective>(m, "Objective", "What a booster makes small, as a function of raw scores.")
      .def(nb::new_(&make), nb::arg("name"), nb::arg("n_classes") = 2, nb::arg("quantile") = 0.5,
           nb::arg("power") = 1.5)
      .def_prop_ro("outputs", &Objective::outputs, "Raw scores of a row, and trees per round.")
      .def_prop_ro("hessian_is_weight", &Objective::hessian_is_weight)
      .def_prop_ro("renews_leaves", &Objective::renews_leaves)
      .def(
          "check",
          [](const Objective& objective, const Numbers& y, const std::optional<Numbers>& weights) {
            objective.check(targets_of(y, weights));
          },
          nb::arg("y"), nb::arg("weights").none(), "Raise ValueError for a target out of range.")
      .def("start", &start, nb::arg("y"), nb::arg("weights").none(), nb::arg("offset").none() = nb::none(),
           "The constant raw scores of least loss.")
      .def("begin_round", &begin_round, nb::arg("y"), nb::arg("weights").none(), nb::arg("raw"),
           "Set what a loss decides anew in every round (Huber's scale).")
      .def("gradients", &gradients, nb::arg("y"), nb::arg("weights").none(), nb::arg("raw"),
           "First and second derivatives by the scores, times the weight.")
      .def("total", &total, nb::arg("y"), nb::arg("weights").none(), nb::arg("raw"),
           "The sum of weight times loss.")
      .def("leaf_value", &leaf_value, nb::arg("y"), nb::arg("weights").none(), nb::arg("raw"),
           nb::arg("output"), nb::arg("leaf"), "The best step for the rows of a leaf.");
}

}  // namespace treewright
