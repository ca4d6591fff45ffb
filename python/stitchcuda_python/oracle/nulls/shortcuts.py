# SPDX-License-Identifier: Apache-2.0
"""Arithmetic that leaves part of its work out, for null candidates N11, N12 and N15."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ...graph.functional import Call
from ..arithmetic import Arithmetic, Bilinear, every_axis
from ..interpret import execute
from ..seeds import coin

CONTRACTED_SHARE = 0.9
SAMPLED_SHARE = 0.01

# Fraction bits one step below what a math mode promises of a type: TF32 below fp32, bf16 below TF32, and so on.
_LOWER_BITS: dict[str, dict[torch.dtype, int]] = {
    "fp32": {torch.float32: 10, torch.float16: 7, torch.bfloat16: 3},
    "kernelbench": {torch.float32: 7, torch.float16: 7, torch.bfloat16: 3},
    "tf32": {torch.float32: 7, torch.float16: 7, torch.bfloat16: 3},
    "reduced": {torch.float32: 3, torch.float16: 3, torch.bfloat16: 3},
}


class ShortContraction(Arithmetic):
    """N12: sums over nine products in ten, scaled up to make good for the rest. `used` says whether any was."""

    def __init__(self, choices: torch.Generator) -> None:
        super().__init__(None, None)
        self._choices, self.used = choices, False

    def contraction(self, product: Bilinear, left: torch.Tensor, right: torch.Tensor, length: int) -> torch.Tensor:
        """See Arithmetic."""
        self.used = self.used or length > 1
        kept = coin(right, CONTRACTED_SHARE, self._choices)
        return product(left, torch.where(kept, right / CONTRACTED_SHARE, 0.0).to(right.dtype))


class SampledSum(Arithmetic):
    """N15: sums estimated from the first hundredth of their terms."""

    def __init__(self) -> None:
        super().__init__(None, None)
        self.used = False

    def sum(self, terms: torch.Tensor, dims: Sequence[int] | None = None, keepdim: bool = False) -> torch.Tensor:
        """See Arithmetic."""
        axes = [axis % terms.dim() for axis in every_axis(terms, dims)]
        length = prod(terms.shape[axis] for axis in axes)
        if length < 2:
            return super().sum(terms, dims, keepdim)
        self.used = True
        kept = [axis for axis in range(terms.dim()) if axis not in axes]
        rows = terms.permute(kept + axes).reshape([terms.shape[axis] for axis in kept] + [length])
        seen = max(1, round(length * SAMPLED_SHARE))
        made = rows[..., :seen].sum(-1) * (length / seen)
        whole = [1 if axis in axes else extent for axis, extent in enumerate(terms.shape)]
        return made.reshape(whole) if keepdim else made


def lower_precision(math: str) -> Callable[[Call, list[Any], dict[str, Any]], Any]:
    """N11: a substitute for Interpreter.run that rounds what every operator is given to one step lower."""
    bits = _LOWER_BITS[math]

    def run(call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        args, kwargs = pytree.tree_map_only(torch.Tensor, lambda item: rounded(item, bits), (args, kwargs))
        return execute(call, args, kwargs)

    return run


def rounded(tensor: torch.Tensor, bits: dict[torch.dtype, int]) -> torch.Tensor:
    """`tensor` with as many bits of fraction as `bits` has for its type, ties to even; fp64 becomes fp32."""
    if tensor.dtype == torch.float64:
        return tensor.float().double()
    if tensor.dtype not in bits:
        return tensor
    dropped = 23 - bits[tensor.dtype]
    wide = tensor.float().contiguous()
    image = wide.view(torch.int32)
    half = (1 << (dropped - 1)) - 1
    near = (image + half + ((image >> dropped) & 1)) & ~((1 << dropped) - 1)
    return torch.where(torch.isfinite(wide), near.view(torch.float32), wide).to(tensor.dtype)
