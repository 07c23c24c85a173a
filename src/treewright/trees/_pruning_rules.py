"""Which parameters of pruning go together; every refusal says what to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.utils._param_validation import InvalidParameterError

if TYPE_CHECKING:
    from treewright.trees._base import SingleTree

__all__ = ["check_pruning"]


def check_pruning(estimator: SingleTree) -> None:
    """Refuse parameters, each of them valid, of which one would have no effect."""
    owner, method = type(estimator).__name__, estimator._pruning_method
    price, total, stopping = estimator.ccp_alpha, estimator.alpha_total, estimator.early_stopping
    if price > 0 and method is not None:
        same = " pruned(alpha=…) of a fitted tree takes a price, too." if method == "cost_complexity" else ""
        raise InvalidParameterError(
            f"{owner} got ccp_alpha={price!r} together with prune={method!r}, but a tree is pruned in one "
            f"way. Pass prune=None to prune by ccp_alpha alone, or leave ccp_alpha at 0.{same}"
        )
    if method == "loss" and total is None:
        raise InvalidParameterError(
            f'{owner} got prune="loss" without a price of a leaf: pass alpha_total, in units of the total '
            "loss (the number of rows times ccp_alpha)."
        )
    if method != "loss" and total is not None:
        raise InvalidParameterError(
            f'{owner} got alpha_total={total!r}, which only prune="loss" uses, together with '
            f'prune={method!r}. Pass prune="loss", or leave alpha_total at None.'
        )
    if stopping is not None and (method is not None or price > 0):
        other = f"prune={method!r}" if method is not None else f"ccp_alpha={price!r}"
        raise InvalidParameterError(
            f"{owner} got early_stopping={stopping!r} together with {other}, but a tree is "
            "either stopped or pruned. Pass prune=None and ccp_alpha=0, or leave early_stopping at None."
        )
