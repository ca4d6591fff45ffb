# SPDX-License-Identifier: Apache-2.0
"""Rounds contraction operands to what the tensor cores of a math mode take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import torch

Rounding = Callable[[torch.Tensor], torch.Tensor]
_DROPPED_BITS = 13  # TF32 keeps 10 of fp32's 23 mantissa bits
_MOST_CHANNELS_LEFT_EXACT = 8
_LARGE_WINDOW = 49  # taps, along two axes
_MANY_RESULTS = 64


@dataclass(frozen=True)
class ConvolutionCall:
    """What of a convolution decides whether the baseline's library rounds its operands."""

    channels: int  # of the input
    out_channels: int
    groups: int
    is_transposed: bool
    kernel: Sequence[int]
    stride: Sequence[int]
    padding: Sequence[int]

    def is_narrow_volume(self) -> bool:
        """Eight channels along three axes, and few results."""
        is_narrow = self.channels >= _MOST_CHANNELS_LEFT_EXACT and self.out_channels < _MANY_RESULTS
        return len(self.kernel) == 3 and is_narrow

    def is_large_window(self) -> bool:
        """Seven by seven or larger along two axes, strided and padded."""
        large = len(self.kernel) == 2 and prod(self.kernel) >= _LARGE_WINDOW
        return large and max(self.stride) > 1 and max(self.padding) > 0


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


class LibraryRounding:
    """to_tf32 for the operands of calls that the baseline's cuDNN rounds in mode kernelbench, where products stay as
    they are. `used` says whether there was such a call.

    The rule is that of src/kernels/conv/rounding.h, which says where it is from, and speaks of the sizes that a program
    declares. `is_open`: these are others, so that the number of channels says nothing and a convolution of few may have
    been rounded or not."""

    def __init__(self, is_open: bool = False) -> None:
        self.used, self.is_open = False, is_open

    def rounds(self, call: ConvolutionCall) -> bool:
        """Whether cuDNN is taken to round the operands of this convolution."""
        is_small_and_rounded = call.is_large_window() or call.is_narrow_volume()
        is_rounded = call.is_transposed or call.channels > _MOST_CHANNELS_LEFT_EXACT or is_small_and_rounded
        return call.groups == 1 and (self.is_open or is_rounded)

    def __call__(self, tensor: torch.Tensor) -> torch.Tensor:
        self.used = True
        return to_tf32(tensor)


ROUNDINGS: dict[str, Rounding | None] = {"fp32": None, "kernelbench": None, "tf32": to_tf32, "reduced": to_sixteen_bits}
