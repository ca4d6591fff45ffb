# SPDX-License-Identifier: Apache-2.0
"""Operators that follow from a sort or a running count, taken apart while we export: mode, nanmedian,
masked_scatter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def order_decompositions() -> dict[Any, Callable[..., Any]]:
    aten = torch.ops.aten
    return {
        aten.mode.default: _mode,
        aten.nanmedian.dim: _nanmedian,
        aten.nanmedian.default: _nanmedian_of_all,
        aten.masked_scatter.default: _masked_scatter,
    }


def _mode(x: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The smallest of the values that occur most often: the first run of equal values to grow longest. Its
    index is that of one occurrence; PyTorch's sort is not stable, so beyond short rows it may name another."""
    if x.dim() == 0 or x.numel() == 0:
        return NotImplemented
    values, indices = torch.sort(x.movedim(dim, -1), dim=-1, stable=True)
    places = torch.arange(values.shape[-1], device=x.device)
    starts = torch.nn.functional.pad(values[..., 1:] != values[..., :-1], (1, 0), value=True)
    since = places - torch.cummax(torch.where(starts, places, 0), dim=-1).values
    longest = since.argmax(dim=-1, keepdim=True)
    return _picked(values, indices, longest, dim, keepdim)


def _nanmedian(x: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """A sort puts NaN last."""
    if x.dim() == 0 or x.numel() == 0 or not x.is_floating_point():
        return NotImplemented
    values, indices = torch.sort(x.movedim(dim, -1), dim=-1, stable=True)
    count = (values == values).sum(dim=-1, keepdim=True)
    middle = torch.div(count - 1, 2, rounding_mode="floor").clamp(min=0)
    return _picked(values, indices, middle, dim, keepdim)


def _nanmedian_of_all(x: Any) -> Any:
    made = _nanmedian(x.reshape(-1)) if x.numel() else NotImplemented
    return made if made is NotImplemented else made[0]


def _picked(values: Any, indices: Any, place: Any, dim: int, keepdim: bool) -> Any:
    made = [part.gather(-1, place).movedim(-1, dim) for part in (values, indices)]
    return tuple(part if keepdim else part.squeeze(dim) for part in made)


def _masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """The n-th place of the mask takes the n-th element of the source."""
    if x.numel() == 0 or source.numel() == 0:
        return NotImplemented
    x, mask = torch.broadcast_tensors(x, mask)
    number = torch.cumsum(mask.reshape(-1).to(torch.int64), 0) - 1
    taken = source.reshape(-1)[number.clamp(0, source.numel() - 1)].reshape(x.shape)
    return torch.where(mask, taken, x)
