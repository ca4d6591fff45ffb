# SPDX-License-Identifier: Apache-2.0
"""Transforms drawn inputs, so that a program is not judged on friendly data only."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from . import constants as c
from .integers import Legal, drawn_flags, drawn_integers
from .perturb import ELEMENTS_AT_ONCE
from .seeds import coin, normal, uniform


@dataclass(frozen=True)
class Observed:
    """The least and greatest finite value that the file's own draw of an input holds."""

    low: float
    high: float


def observe(tensor: torch.Tensor) -> Observed:
    """The range of a drawn input; (0, 0) for an empty one."""
    finite = tensor[torch.isfinite(tensor)] if tensor.is_floating_point() else tensor
    if finite.numel() == 0:
        return Observed(0, 0)
    return Observed(finite.min().item(), finite.max().item())


def transformed(
    tensor: torch.Tensor, regime: str, draw: int, legal: Legal, source: torch.Generator, is_bold: bool
) -> torch.Tensor:
    """`tensor` as `regime` has it. `legal` tells what integers may be. `is_bold`: integers and flags of the whole legal
    range and of every density, else as programs mostly take them."""
    if regime == "as_given" or tensor.numel() == 0:
        # At other sizes than the file's own its integers may lead outside.
        within = legal.bound is None or tensor.is_floating_point() or tensor.numel() == 0
        return tensor if within else torch.where(tensor >= legal.bound, tensor % legal.bound, tensor)
    if tensor.dtype == torch.bool:
        return drawn_flags(tensor, regime, draw, source, is_bold)
    if not tensor.is_floating_point():
        return drawn_integers(tensor, regime, draw, legal, source, is_bold)
    if tensor.dtype.itemsize >= 4:
        return _in_parts(tensor, regime, draw, source)
    most = c.EXTREME_FACTOR * float(tensor.abs().max())  # squares of 16-bit numbers are soon out of range
    return _FLOATS[regime](tensor.float(), draw, source).clamp(-most, most).to(tensor.dtype)


def _in_parts(tensor: torch.Tensor, regime: str, draw: int, source: torch.Generator) -> torch.Tensor:
    """A float regime, applied row by row where the tensor is so large that a GPU holds few of its size."""
    is_large = tensor.device.type != "cpu" and tensor.numel() > ELEMENTS_AT_ONCE and tensor.dim() > 1
    if not is_large or regime != "sparse_extreme":
        return _FLOATS[regime](tensor, draw, source)
    made = torch.empty_like(tensor)
    rows = max(1, ELEMENTS_AT_ONCE // (tensor.numel() // tensor.shape[0]))
    for to, part in zip(made.split(rows), tensor.split(rows)):
        to.copy_(_FLOATS[regime](part, draw, source))
    return made


def _signed_scaled(tensor: torch.Tensor, _draw: int, source: torch.Generator) -> torch.Tensor:
    exponent = float(uniform(torch.empty(()), c.SCALE_LOW_LOG2, c.SCALE_HIGH_LOG2, source))
    sign = torch.where(coin(tensor, 0.5, source), 1.0, -1.0).to(tensor.dtype)
    return tensor * sign * 2.0**exponent


def _near_equal(tensor: torch.Tensor, draw: int, source: torch.Generator) -> torch.Tensor:
    spread = float(tensor.double().std()) if tensor.numel() > 1 else 0.0
    spread = spread if 0 < spread < float("inf") else 1.0
    if draw % 2 == 0:
        rows = tensor.reshape(-1, tensor.shape[-1]) if tensor.dim() else tensor.reshape(1, 1)
        near = rows[:1] + c.ROW_NOISE * spread * normal(rows, source)
        return near.reshape(tensor.shape)
    size = float(uniform(torch.empty(()), c.OFFSET_LOW, c.OFFSET_HIGH, source)) * spread
    return tensor + (size if bool(coin(torch.empty(()), 0.5, source)) else -size)


def _sparse_extreme(tensor: torch.Tensor, draw: int, source: torch.Generator) -> torch.Tensor:
    made = tensor * coin(tensor, c.KEPT_SHARE, source)
    made = torch.where(coin(tensor, c.EXTREME_SHARE, source), made * _extreme_factor(tensor, draw, source), made)
    if tensor.dim() > 1:
        made = made * ~coin(tensor[..., :1], c.ZERO_ROW_SHARE, source)
    return made


def _extreme_factor(tensor: torch.Tensor, draw: int, source: torch.Generator) -> torch.Tensor | float:
    """In odd draws of either sign and of many sizes: inputs between 0 and 1 too then lead an exponential out of range,
    and functions to where they are flat."""
    if draw % 2 == 0:
        return c.EXTREME_FACTOR
    sign = torch.where(coin(tensor, 0.5, source), 1.0, -1.0).to(tensor.dtype)
    return sign * c.EXTREME_FACTOR * 2.0 ** uniform(tensor, -c.EXTREME_SPREAD_LOG2, c.EXTREME_SPREAD_LOG2, source)


_FLOATS = {"signed_scaled": _signed_scaled, "near_equal": _near_equal, "sparse_extreme": _sparse_extreme}


def with_ignored(tensor: torch.Tensor, ignored: int, source: torch.Generator) -> torch.Tensor:
    """Targets of a loss, some of which it is to ignore; never the first one, since a mean over none is NaN."""
    chosen = coin(tensor, c.IGNORED_SHARE, source)
    chosen.reshape(-1)[:1] = False
    return torch.where(chosen, ignored, tensor).to(tensor.dtype)


def inside_observed(tensor: torch.Tensor, observed: Observed, source: torch.Generator) -> torch.Tensor:
    """The fallback where a regime's data is outside what the program takes: floats redrawn inside the observed range,
    integers and booleans with their rows permuted."""
    if tensor.is_floating_point():
        return uniform(tensor, observed.low, observed.high, source).clamp(observed.low, observed.high)
    if tensor.dim() == 0:
        return tensor
    return tensor[torch.randperm(tensor.shape[0], generator=source, device=source.device)]
