# SPDX-License-Identifier: Apache-2.0
"""Rules (see rules.py) of operators that interpolate between elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .arithmetic import Arithmetic

_aten = torch.ops.aten


def _interpolated(name: str) -> Callable[..., Any]:
    """A place between elements is rounded at the size of the axis, not at that of its distance from an element: the
    weights err by the extent, and all places of a row share few of them."""
    operator = getattr(_aten, name)

    def rule(a: Arithmetic, x: Any, *how: Any, **named: Any) -> Any:
        if x.dtype not in (torch.float32, torch.float64):
            return None  # places are computed in float32 there, finer than the elements
        squares = sum(extent * extent for extent in x.shape[2:])
        return a.disturbed(operator(x, *how, **named), lambda: operator(x.abs(), *how, **named).abs(), squares)

    return rule


RESAMPLE_RULES: dict[str, Callable[..., Any]] = {
    name: _interpolated(name)
    for name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d")
}
