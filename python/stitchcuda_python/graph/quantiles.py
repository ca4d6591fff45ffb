# SPDX-License-Identifier: Apache-2.0
"""Quantiles at places that are tensors, and quantiles that pass over NaN, taken apart while we export. One quantile at
a number stays whole. The equations are those of quantile_compute in ATen/native/Sorting.cpp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def quantile_decompositions() -> dict[Any, Callable[..., Any]]:
    """By operator; NotImplemented where it stays whole."""
    aten = torch.ops.aten
    return {aten.quantile.default: _quantile, aten.nanquantile.default: _nan, aten.nanquantile.scalar: _nan}


def _quantile(x: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
    return _between(x, q, dim, keepdim, interpolation, passes_nan=False)


def _nan(x: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
    return _between(x, q, dim, keepdim, interpolation, passes_nan=True)


def _between(x: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str, passes_nan: bool) -> Any:
    """The axis of q is the first of the result."""
    if x.numel() == 0 or (isinstance(q, torch.Tensor) and (q.numel() == 0 or q.dim() > 1)):
        return NotImplemented
    axis = 0 if dim is None else dim % max(x.dim(), 1)
    rows = x.reshape(-1) if dim is None or x.dim() == 0 else x.movedim(axis, -1)
    values = torch.sort(rows, dim=-1).values
    several = isinstance(q, torch.Tensor) and q.dim() == 1
    places = q.reshape(-1) if isinstance(q, torch.Tensor) else torch.full((1,), q, dtype=x.dtype, device=x.device)
    made = _looked_up(values, _ranks(values, places, interpolation, passes_nan), interpolation)
    if not keepdim:
        shape: list[Any] = list(rows.shape[:-1])
    elif dim is None:
        shape = [1] * x.dim()
    else:
        shape = [1 if number == axis else extent for number, extent in enumerate(x.shape)]
    made = made.movedim(-1, 0)
    return made.reshape([made.shape[0], *shape] if several else shape)


def _ranks(values: Any, places: Any, interpolation: str, passes_nan: bool) -> Any:
    """[..., places]: where in its row a quantile lies. A sort puts NaN last: a row that holds one is sent there."""
    last = values.shape[-1] - 1
    if passes_nan:
        ranks = places * ((values == values).sum(-1, keepdim=True) - 1).to(values.dtype)
        ranks = ranks.clamp(min=0)
    else:
        ranks = places * last
        ranks = torch.where(values[..., -1:] == values[..., -1:], ranks, float(last))
    rounded = {"lower": torch.floor, "higher": torch.ceil, "nearest": torch.round}.get(interpolation)
    return ranks if rounded is None else rounded(ranks)


def _looked_up(values: Any, ranks: Any, interpolation: str) -> Any:
    last = values.shape[-1] - 1
    whole = torch.floor(ranks)
    below = values.gather(-1, whole.to(torch.int64).clamp(0, last))
    if interpolation not in ("linear", "midpoint"):
        return below
    above = values.gather(-1, torch.ceil(ranks).to(torch.int64).clamp(0, last))
    share = torch.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - whole
    return torch.lerp(below, above, share)
