# SPDX-License-Identifier: Apache-2.0
"""Reductions that follow from others, taken apart while we export: histograms, the norm along all axes but one."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch


def reduction_decompositions() -> dict[Any, Callable[..., Any]]:
    """By operator; NotImplemented where it stays whole."""
    aten = torch.ops.aten
    return {
        aten.histc.default: _histc,
        aten.norm_except_dim.default: _norm_except_dim,
        aten._weight_norm_interface.default: _weight_norm_interface,
    }


def _histc(x: Any, bins: int = 100, low: float = 0, high: float = 0) -> Any:
    """Counts in bins of one width, the last of which has its upper edge; what is outside of them is not counted."""
    if x.dtype not in (torch.float32, torch.float64) or x.numel() == 0:
        return NotImplemented
    least, width = _edges(x, low, high)
    inside = x == x if low == high else (x >= low) & (x <= high)
    place = torch.where(inside, (x - least) * bins / width, 0.0).to(torch.int64).clamp(0, bins - 1)
    return x.new_zeros(bins).scatter_add(0, place.flatten(), inside.to(x.dtype).flatten())


def _edges(x: Any, low: float, high: float) -> tuple[Any, Any]:
    """Where the bins begin and how far they reach: without edges as far as the elements, one to either side of these
    where they are all equal."""
    if low != high:
        rounded = float if x.dtype == torch.float64 else lambda edge: ctypes.c_float(edge).value
        return low, rounded(rounded(high) - rounded(low))
    least, greatest = x.amin(), x.amax()
    alike = least == greatest
    return torch.where(alike, least - 1, least), torch.where(alike, 2.0, greatest - least)


def _norm_except_dim(v: Any, power: int = 2, dim: int = 0) -> Any:
    """Of -1 the norm of all elements, without axes."""
    if dim == -1:
        return torch.linalg.vector_norm(v, power)
    others = [axis for axis in range(v.dim()) if axis != dim]
    return torch.linalg.vector_norm(v, power, others, keepdim=True) if others else v.abs()


def _weight_norm_interface(v: Any, g: Any, dim: int = 0) -> tuple[Any, Any]:
    """PyTorch's own description takes the norm of a vector for that along each of its axes but one."""
    norm = _norm_except_dim(v.float() if g.dtype == torch.bfloat16 else v, 2, dim)
    return v * (g / norm.to(g.dtype)), norm
