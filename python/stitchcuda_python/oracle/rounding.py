# SPDX-License-Identifier: Apache-2.0
"""Rounds contraction operands to what the tensor cores of a math mode take."""

from __future__ import annotations

from collections.abc import Callable

import torch

Rounding = Callable[[torch.Tensor], torch.Tensor]
_DROPPED_BITS = 13  # TF32 keeps 10 of fp32's 23 mantissa bits


def to_tf32(tensor: torch.Tensor) -> torch.Tensor:
    """fp32 rounded to TF32, to nearest, ties to even; other types and non-finite elements unchanged."""
    if tensor.dtype != torch.float32:
        return tensor
    bits = tensor.contiguous().view(torch.int32)
    half = (1 << (_DROPPED_BITS - 1)) - 1
    rounded = (bits + half + ((bits >> _DROPPED_BITS) & 1)) & ~((1 << _DROPPED_BITS) - 1)
    return torch.where(torch.isfinite(tensor), rounded.view(torch.float32), tensor)


def to_sixteen_bits(tensor: torch.Tensor) -> torch.Tensor:
    """fp32 rounded to fp16, or to bf16 where a finite element would overflow fp16."""
    if tensor.dtype != torch.float32:
        return tensor
    half = tensor.half()
    if bool((torch.isinf(half) & torch.isfinite(tensor)).any()):
        half = tensor.bfloat16()
    return half.float()


ROUNDINGS: dict[str, Rounding | None] = {"fp32": None, "kernelbench": None, "tf32": to_tf32, "reduced": to_sixteen_bits}
