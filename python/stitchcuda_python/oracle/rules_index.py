# SPDX-License-Identifier: Apache-2.0
"""Rules (see rules.py) of operators that sum what indices bring together, and of running products and sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .arithmetic import Arithmetic

_aten = torch.ops.aten


def _brought_together(a: Arithmetic, made: torch.Tensor, send: Callable[[Any, Any], Any], x: Any, values: Any) -> Any:
    """`made` = send(x, values), disturbed as a loop over the longest list of values that one element receives."""
    if a.source is None or not made.is_floating_point() or made.numel() == 0:
        return made
    received = send(torch.ones_like(x), torch.ones_like(values))
    length = int(received.max().item())
    return a.disturbed(made, lambda: send(x * x, values * values).clamp_min(0).sqrt(), length)


def _scatter_add(a: Arithmetic, x: Any, dim: int, index: Any, values: Any) -> Any:
    send = lambda to, what: _aten.scatter_add(to, dim, index, what)  # noqa: E731
    return _brought_together(a, send(x, values), send, x, values)


def _scatter_reduce(
    a: Arithmetic, x: Any, dim: int, index: Any, values: Any, reduce: str, *, include_self: bool = True
) -> Any:
    made = _aten.scatter_reduce.two(x, dim, index, values, reduce, include_self=include_self)
    if reduce not in ("sum", "mean"):
        return a.disturbed(made, made.abs, index.shape[dim]) if reduce == "prod" and index.dim() else made
    send = lambda to, what: _aten.scatter_add(to, dim, index, what)  # noqa: E731
    return _brought_together(a, made, send, x, values)


def _index_add(a: Arithmetic, x: Any, dim: int, index: Any, values: Any, *, alpha: Any = 1) -> Any:
    send = lambda to, what: _aten.index_add(to, dim, index, what)  # noqa: E731
    made = _aten.index_add(x, dim, index, values, alpha=alpha)
    return _brought_together(a, made, send, x, values * alpha)


def _index_put(a: Arithmetic, x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    if not accumulate:
        return None
    send = lambda to, what: _aten.index_put(to, indices, what, True)  # noqa: E731
    return _brought_together(a, send(x, values), send, x, values)


def _prod(a: Arithmetic, x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if not x.is_floating_point() or dtype not in (None, x.dtype):
        return None
    made = x.prod() if dim is None else x.prod(dim, keepdim)
    return a.disturbed(made, made.abs, x.numel() // max(1, made.numel()))


def _cumprod(a: Arithmetic, x: Any, dim: int, *, dtype: Any = None) -> Any:
    if not x.is_floating_point() or dtype not in (None, x.dtype) or x.dim() == 0:
        return None
    made = x.cumprod(dim)
    return a.disturbed(made, made.abs, x.shape[dim])


def _logcumsumexp(a: Arithmetic, x: Any, dim: int) -> Any:
    made = x.logcumsumexp(dim)
    return a.disturbed(made, lambda: torch.ones_like(made), x.shape[dim] if x.dim() else 1)


INDEX_RULES: dict[str, Callable[..., Any]] = {
    "scatter_add": _scatter_add,
    "scatter_reduce": _scatter_reduce,
    "index_add": _index_add,
    "index_put": _index_put,
    "prod": _prod,
    "cumprod": _cumprod,
    "logcumsumexp": _logcumsumexp,
}
