// treewright._core: the engine as a Python module.
#include "bind/bind.h"

NB_MODULE(_core, m) {
  m.doc() = "The engine of Treewright. Private: the public interface is the package treewright.";
  // At exit nanobind would print what still lives, and any traceback that is kept can cause that. The engine
  // prints nothing.
  nanobind::set_leak_warnings(false);
  treewright::bind_errors(m);
  treewright::bind_stop(m);
  treewright::bind_data(m);
  treewright::bind_tree(m);
  treewright::bind_predict(m);
  treewright::bind_grow(m);
  treewright::bind_grow_forest(m);
  treewright::bind_forest(m);
  treewright::bind_candidates(m);
  treewright::bind_explain(m);
  treewright::bind_attributions(m);
  treewright::bind_prune(m);
  treewright::bind_path(m);
  treewright::bind_boost_plan(m);
  treewright::bind_boost_exact(m);
  treewright::bind_boost(m);
  treewright::bind_objective(m);
}
