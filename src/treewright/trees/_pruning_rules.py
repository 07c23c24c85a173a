"""Which parameters of pruning go together; every refusal says what to change."""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import InvalidParameterError

__all__ = ["check_pruning"]


def check_pruning(params: dict[str, Any], method: str | None, owner: str) -> None:
    """Refuse parameters of which one would have no effect.

    Parameters
    ----------
    params : dict
        Valid values of all parameters.
    method : str or None
        How the tree is pruned.
    owner : str
        Name of the estimator class, for the message.
    """
    price, total = params["ccp_alpha"], params.get("alpha_total")
    if price > 0 and method is not None:
        same = " pruned(alpha=…) of a fitted tree takes a price, too." if method == "cost_complexity" else ""
        raise InvalidParameterError(
            f"{owner} got ccp_alpha={price!r} together with prune={method!r}, but a tree is pruned in one way. "
            f"Pass prune=None to prune by ccp_alpha alone, or leave ccp_alpha at 0.{same}"
        )
    if method == "loss" and total is None:
        raise InvalidParameterError(
            f'{owner} got prune="loss" without a price of a leaf: pass alpha_total, in units of the total loss '
            "(the number of rows times ccp_alpha)."
        )
    if method != "loss" and total is not None:
        raise InvalidParameterError(
            f'{owner} got alpha_total={total!r}, which only prune="loss" uses, together with prune={method!r}. '
            'Pass prune="loss", or leave alpha_total at None.'
        )
    if params.get("early_stopping") is not None and (method is not None or price > 0):
        other = f"prune={method!r}" if method is not None else f"ccp_alpha={price!r}"
        raise InvalidParameterError(
            f"{owner} got early_stopping={params['early_stopping']!r} together with {other}, but a tree is "
            "either stopped or pruned. Pass prune=None and ccp_alpha=0, or leave early_stopping at None."
        )
