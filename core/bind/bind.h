// The parts of the Python module. To add one: write core/bind/bind_x.cpp, declare bind_x here, call it in
// module.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace treewright {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_stop(nb::module_& m);
void bind_data(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_predict(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_grow_forest(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_candidates(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_attributions(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_path(nb::module_& m);
void bind_boost_plan(nb::module_& m);
void bind_boost_exact(nb::module_& m);
void bind_boost(nb::module_& m);
void bind_objective(nb::module_& m);

}  // namespace treewright
