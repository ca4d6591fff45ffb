# SPDX-License-Identifier: Apache-2.0
"""Resizing with antialiasing, taken apart while we export: along one axis after the other, every new place is a mean of
the places under its filter. Windows and weights are those of ATen/native/cpu/UpSampleKernel.cpp; they depend on sizes
alone, so that a plan prepares them before the first call."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

_CUBIC = -0.5  # with antialiasing PyTorch takes this one, as Pillow does; without, -0.75


@dataclass(frozen=True)
class _Filter:
    """`reach`: how far from its middle a filter is not zero; `weight` by the distance from there."""

    reach: int
    weight: Callable[[Any], Any]


def antialiased_decompositions() -> dict[Any, Callable[..., Any]]:
    """By operator; NotImplemented where it stays whole."""
    aten = torch.ops.aten
    return {
        aten._upsample_bilinear2d_aa.vec: _resizing(_Filter(1, _triangle)),
        aten._upsample_bicubic2d_aa.vec: _resizing(_Filter(2, _cubic)),
    }


def _triangle(distance: Any) -> Any:
    return (1 - distance.abs()).clamp(min=0)


def _cubic(distance: Any) -> Any:
    x = distance.abs()
    near = ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * _CUBIC - 4 * _CUBIC
    return torch.where(x < 1, near, torch.where(x < 2, far, 0.0))


def _resizing(shape: _Filter) -> Callable[..., Any]:
    def resized(x: Any, size: Any, align_corners: bool, factors: Any = None) -> Any:
        if align_corners or not x.is_floating_point() or x.numel() == 0:
            return NotImplemented
        extents = [int(extent) for extent in x.shape[2:]]
        wanted, scales = _sizes(extents, size, factors)
        if wanted[1] == 1 and wanted[0] != extents[0]:
            return NotImplemented  # PyTorch's CPU kernel walks columns wrongly, so there is nothing to compare with
        made = x if x.dtype == torch.float64 else x.to(torch.float32)
        for axis in (1, 0):
            made = _along(made, axis + 2, wanted[axis], scales[axis], shape)
        return made.to(x.dtype)

    return resized


def _sizes(extents: list[int], size: Any, factors: Any) -> tuple[list[int], list[float]]:
    """Extents that are wanted, and how many old places lie in a new one along each axis."""
    if factors is None:
        return [int(extent) for extent in size], [old / int(new) for old, new in zip(extents, size)]
    return [int(old * factor) for old, factor in zip(extents, factors)], [1 / factor for factor in factors]


def _along(x: Any, axis: int, wanted: int, scale: float, shape: _Filter) -> Any:
    extent = int(x.shape[axis])
    if wanted == extent and scale == 1:
        return x
    widened = max(scale, 1.0)
    support = shape.reach * widened
    middles = (torch.arange(wanted, dtype=torch.float64, device=x.device) + 0.5) * scale
    first = (middles - support + 0.5).to(torch.int64).clamp(min=0).unsqueeze(1)
    last = (middles + support + 0.5).to(torch.int64).clamp(max=extent).unsqueeze(1)
    places = first + torch.arange(2 * math.ceil(support) + 1, device=x.device)
    inside = places < last
    weights = shape.weight((places.to(torch.float64) - middles.unsqueeze(1) + 0.5) * (1 / widened))
    weights = torch.where(inside, weights, 0.0)
    weights = (weights / weights.sum(1, keepdim=True)).to(x.dtype)
    taken = x.index_select(axis, places.clamp(max=extent - 1).reshape(-1)).unflatten(axis, list(places.shape))
    after = [1] * (x.dim() - 1 - axis)
    inside, weights = (part.reshape(*part.shape, *after) for part in (inside, weights))
    return (torch.where(inside, taken, 0.0) * weights).sum(axis + 1)  # outside may be infinite
