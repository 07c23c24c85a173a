"""Treewright: decision trees that show their work, with scikit-learn's interface and one fast engine.

Names are loaded when they are first used, so that the command line answers at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.algorithms import (
        ALGORITHMS,
        AdaBoostClassifier,
        AdaBoostRegressor,
        BaggingClassifier,
        BaggingRegressor,
        C45Classifier,
        CARTClassifier,
        CARTRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        GradientBoostingClassifier,
        GradientBoostingRegressor,
        ID3Classifier,
        LeafwiseBoostingClassifier,
        LeafwiseBoostingRegressor,
        NewtonBoostingClassifier,
        NewtonBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
        load,
        make,
    )
    from treewright.export import (
        export_c,
        export_dot,
        export_html,
        export_javascript,
        export_json,
        export_mermaid,
        export_onnx,
        export_pmml,
        export_python,
        export_rules,
        export_sql,
        export_summary,
        export_svg,
        export_text,
        export_treelite,
        to_sklearn,
        to_treelite,
    )
    from treewright.files import scan, write_predictions
    from treewright.grower import Grower
    from treewright.imported import from_catboost, from_lightgbm, from_sklearn, from_xgboost
    from treewright.plot import (
        plot_beeswarm,
        plot_dependence,
        plot_depths,
        plot_gain_curve,
        plot_importance,
        plot_learning,
        plot_pruning,
        plot_regions,
        plot_shap_scatter,
        plot_tree,
        plot_votes,
        plot_waterfall,
        typical_tree,
    )
    from treewright.tuning import search_space, tune
    from treewright.version import show_versions
    from treewright.web import show, widget

    __version__: str

__all__ = [
    "ALGORITHMS",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "Grower",
    "ID3Classifier",
    "LeafwiseBoostingClassifier",
    "LeafwiseBoostingRegressor",
    "NewtonBoostingClassifier",
    "NewtonBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "__version__",
    "export_c",
    "export_dot",
    "export_html",
    "export_javascript",
    "export_json",
    "export_mermaid",
    "export_onnx",
    "export_pmml",
    "export_python",
    "export_rules",
    "export_sql",
    "export_summary",
    "export_svg",
    "export_text",
    "export_treelite",
    "from_catboost",
    "from_lightgbm",
    "from_sklearn",
    "from_xgboost",
    "load",
    "make",
    "plot_beeswarm",
    "plot_dependence",
    "plot_depths",
    "plot_gain_curve",
    "plot_importance",
    "plot_learning",
    "plot_pruning",
    "plot_regions",
    "plot_shap_scatter",
    "plot_tree",
    "plot_votes",
    "plot_waterfall",
    "scan",
    "search_space",
    "show",
    "show_versions",
    "to_sklearn",
    "to_treelite",
    "tune",
    "typical_tree",
    "widget",
    "write_predictions",
]

# Where the names live that `treewright.algorithms` does not have; estimators come from there, all at once.
_HOMES = {
    "Grower": "treewright.grower",
    "__version__": "treewright.version",
    "export_c": "treewright.export",
    "export_dot": "treewright.export",
    "export_html": "treewright.export",
    "export_javascript": "treewright.export",
    "export_json": "treewright.export",
    "export_onnx": "treewright.export",
    "export_python": "treewright.export",
    "export_sql": "treewright.export",
    "export_mermaid": "treewright.export",
    "export_pmml": "treewright.export",
    "export_rules": "treewright.export",
    "export_summary": "treewright.export",
    "export_svg": "treewright.export",
    "export_text": "treewright.export",
    "export_treelite": "treewright.export",
    "to_sklearn": "treewright.export",
    "to_treelite": "treewright.export",
    "from_catboost": "treewright.imported",
    "from_lightgbm": "treewright.imported",
    "from_sklearn": "treewright.imported",
    "from_xgboost": "treewright.imported",
    "plot_beeswarm": "treewright.plot",
    "plot_dependence": "treewright.plot",
    "plot_depths": "treewright.plot",
    "plot_gain_curve": "treewright.plot",
    "plot_importance": "treewright.plot",
    "plot_learning": "treewright.plot",
    "plot_pruning": "treewright.plot",
    "plot_regions": "treewright.plot",
    "plot_shap_scatter": "treewright.plot",
    "plot_tree": "treewright.plot",
    "plot_votes": "treewright.plot",
    "plot_waterfall": "treewright.plot",
    "search_space": "treewright.tuning",
    "tune": "treewright.tuning",
    "scan": "treewright.files",
    "write_predictions": "treewright.files",
    "show": "treewright.web",
    "show_versions": "treewright.version",
    "typical_tree": "treewright.plot",
    "widget": "treewright.web",
}
_NAMES_THERE = {"__version__": "VERSION"}
# Modules that may be used as attributes after `import treewright` alone.
_MODULES = (
    "compat",
    "data",
    "datasets",
    "exceptions",
    "explain",
    "export",
    "files",
    "imported",
    "measures",
    "model",
    "onnx",
    "plot",
    "pruning",
    "store",
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        home = import_module(_HOMES.get(name, "treewright.algorithms"))
        value = getattr(home, _NAMES_THERE.get(name, name))
    elif name in _MODULES:
        value = import_module(f"treewright.{name}")
    else:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
