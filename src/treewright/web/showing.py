"""`treewright.show` and `treewright.widget`: the page for an estimator and rows of a Python session."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from treewright.data import read_table
from treewright.data.column import Categories, Column, Numbers, plain_category
from treewright.data.named_columns import NamedColumns
from treewright.data.target import encode_labels, encode_numbers, target_name
from treewright.grower import Grower
from treewright.trees.single_tree import SingleTree
from treewright.web.calls import all_cores
from treewright.web.choices import algorithm_of
from treewright.web.extras import needed
from treewright.web.session import Session, Sessions
from treewright.web.source import Role, Source

__all__ = ["session_of", "show", "widget"]


def show(
    estimator: Any = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    open: bool = True,
    port: int = 0,
) -> Any:
    """Open the local page, with an estimator and its rows if they are given.

    Parameters
    ----------
    estimator : estimator, optional
        A fitted one is shown as it is. A single tree with rows can also be grown anew on the screen Grow.
    X : DataFrame or array-like of shape (n_rows, n_features), optional
        The rows.
    y : array-like of shape (n_rows,), optional
        Their target.
    sample_weight : array-like of shape (n_rows,), optional
        Their weights.
    open : bool, default=True
        Whether to open the browser.
    port : int, default=0
        The port; 0: any free one.

    Returns
    -------
    handle : object
        ``handle.url`` is the address, ``handle.stop()`` ends the page. It is also a context.

    Examples
    --------
    >>> import treewright
    >>> from treewright.datasets import load_tennis
    >>> X, y = load_tennis(return_X_y=True)
    >>> tree = treewright.C45Classifier().fit(X, y)
    >>> page = treewright.show(tree, X, y, open=False)  # doctest: +SKIP
    >>> page.stop()  # doctest: +SKIP
    """
    running = needed("running", "treewright.show")
    page = running.Running(Sessions(session_of(estimator, X, y, sample_weight)), port=port)
    if open:
        page.open()
    return page


def widget(estimator: Any, X: Any = None, y: Any = None, sample_weight: Any = None) -> Any:
    """Return the page as a widget for notebooks.

    Parameters
    ----------
    estimator : estimator
        A single tree, or a fitted forest or booster.
    X, y, sample_weight : object, optional
        The rows, as `fit` takes them.

    Returns
    -------
    widget : anywidget.AnyWidget
        ``selected_node`` and ``alpha`` follow what is chosen in it.
    """
    return needed("widgets", "treewright.widget").PageWidget(session_of(estimator, X, y, sample_weight))


def session_of(estimator: Any, X: Any = None, y: Any = None, sample_weight: Any = None) -> Session:
    """Return a session with an estimator and rows of Python."""
    if (X is None) != (y is None):
        raise ValueError("Pass X and y together.")
    session = Session()
    fitted = estimator is not None and hasattr(estimator, "model_")
    if estimator is not None and not fitted and X is None:
        raise ValueError(f"This {type(estimator).__name__} is not fitted: fit it, or pass X and y.")
    if fitted:
        session.model = estimator
        if len(estimator.model_.trees) != 1:
            session.ensemble = estimator
    if X is not None:
        task = "classification" if estimator is None or is_classifier(estimator) else "regression"
        session.source = python_source(X, y, sample_weight, task)
    if isinstance(estimator, SingleTree):
        session.algorithm = algorithm_of(estimator)
        session.params = {k: v for k, v in estimator.get_params().items() if v != estimator._defaults[k]}
        if X is not None and not fitted:
            with all_cores():
                session.grower = Grower(estimator, X, y, sample_weight)
    return session


def python_source(X: Any, y: Any, sample_weight: Any, task: str) -> Source:
    """Return rows of a Python session as a table of the page."""
    table = read_table(X, estimator_name="the page", warn=False)
    columns: list[Column] = []
    for feature, values in zip(table.schema.features, table.columns, strict=True):
        if feature.categories is None:
            columns.append(Numbers(values))
        else:
            columns.append(Categories(values, feature.categories, ordered=feature.kind == "ordinal"))
    names = [feature.name for feature in table.schema.features]
    target = target_name(y) or "y"
    while target in names:
        target += "_"
    if task == "classification":
        labels = encode_labels(y, table.n_rows, estimator_name="the page")
        answers: Column = Categories(
            (labels.codes + 1).astype(np.uint32),
            tuple(plain_category(label) for label in labels.classes.tolist()),
        )
    else:
        answers = Numbers(encode_numbers(y, table.n_rows, estimator_name="the page"))
    whole = NamedColumns((*names, target), (*columns, answers), table.n_rows)
    roles: dict[str, Role] = {name: "target" if name == target else "input" for name in whole.names}
    return Source("rows from Python", "python", whole, roles, given=(X, y, sample_weight))
