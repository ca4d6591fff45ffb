# SPDX-License-Identifier: Apache-2.0
"""Sums and products as an honest but different kernel might make them: operands rounded, results disturbed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod, sqrt

import torch

from .constants import DISTURBANCE_DIVISOR
from .perturb import at_once
from .rounding import ConvolutionCall, LibraryRounding, Rounding

_FEW_ROWS = 1024

Bilinear = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass
class Arithmetic:
    """`source` None = results are not disturbed; `rounding` None = operands of contractions are not rounded.
    `library_rounding` takes its place in calls whose operands the baseline's library rounds, where they differ."""

    source: torch.Generator | None
    rounding: Rounding | None
    library_rounding: LibraryRounding | None = None

    def rounds_nothing(self) -> bool:
        """Whether operands stay as they are."""
        return self.rounding is None and self.library_rounding is None

    def of_convolution(self, call: ConvolutionCall) -> Arithmetic:
        """That of a convolution."""
        library = self.library_rounding
        return self if library is None or not library.rounds(call) else Arithmetic(self.source, library)

    def disturbed(self, made: torch.Tensor, magnitude: Callable[[], torch.Tensor], length: int) -> torch.Tensor:
        """`made` + N(0,1) * eps * sqrt(length)/5 * max(|made|, magnitude): the error of a plain sequential loop over
        `length` terms whose root of summed squares is `magnitude`. Writes into `made`, of which nobody else knows, part
        by part where it is large."""
        if self.source is None or made.numel() == 0 or length < 1:
            return made
        size = magnitude()
        factor = torch.finfo(made.dtype).eps * sqrt(length) / DISTURBANCE_DIVISOR
        for part, spread in zip(_parts(made, size), _parts(size, made)):
            spread = torch.maximum(part.abs(), spread)
            torch.nan_to_num(spread, nan=0.0, posinf=0.0, out=spread)
            noise = torch.randn(part.shape, generator=self.source, device=part.device, dtype=part.dtype)
            part += noise.mul_(spread).mul_(factor)
        return made

    def contraction(self, product: Bilinear, left: torch.Tensor, right: torch.Tensor, length: int) -> torch.Tensor:
        """product(left, right), where `product` sums `length` products of elements into each result."""
        if self.rounding is not None:
            left, right = self.rounding(left), self.rounding(right)
        made = product(left, right)
        return self.disturbed(made, lambda: product(left * left, right * right).clamp_min_(0).sqrt_(), length)

    def matmul(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Batched matrix product."""
        return self.contraction(torch.matmul, left, right, left.shape[-1])

    def sum(self, terms: torch.Tensor, dims: Sequence[int] | None = None, keepdim: bool = False) -> torch.Tensor:
        """Sum over `dims`, all where None or empty."""
        dims = every_axis(terms, dims)
        made = terms.sum(dims, keepdim=keepdim)
        length = prod(terms.shape[axis] for axis in dims)
        if self.source is None or made.numel() == 0 or length < 1:
            return made
        magnitude = _root_of_squares(terms, dims, keepdim)
        return made + self._loop_error(terms, dims, made, magnitude, length)

    def _loop_error(
        self, terms: torch.Tensor, dims: Sequence[int], made: torch.Tensor, magnitude: torch.Tensor, length: int
    ) -> torch.Tensor:
        """The error of a plain sequential loop, where one sum decides about a whole row: what such a loop really loses
        (small or equal terms round the same way each time), and a disturbance in the same direction that is never less
        than one unit, so that no row is left without a budget by luck. See bench/results/calibration.md."""
        lost = _sequential_sum(terms, dims).reshape(made.shape) - made
        lost = torch.nan_to_num(lost, nan=0.0, posinf=0.0, neginf=0.0)
        unit = torch.finfo(made.dtype).eps * sqrt(length) / DISTURBANCE_DIVISOR
        spread = torch.nan_to_num(torch.maximum(made.abs(), magnitude), nan=0.0, posinf=0.0)
        noise = torch.randn(made.shape, generator=self.source, device=made.device, dtype=made.dtype)
        return lost + torch.copysign(noise.abs().clamp_min(1.0) * spread * unit, lost)

    def mean(self, terms: torch.Tensor, dims: Sequence[int] | None = None, keepdim: bool = False) -> torch.Tensor:
        """Mean over `dims`, all where None or empty."""
        dims = every_axis(terms, dims)
        return self.sum(terms, dims, keepdim) / max(1, prod(terms.shape[axis] for axis in dims))

    def moments(self, terms: torch.Tensor, dims: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and biased variance over `dims`, which are kept with extent 1."""
        mean = self.mean(terms, dims, keepdim=True)
        centred = terms - mean
        return mean, self.mean(centred * centred, dims, keepdim=True)

    def softmax(self, scores: torch.Tensor, axis: int) -> torch.Tensor:
        """exp(x - max) / sum; rows that are -inf throughout become NaN as in PyTorch."""
        powers = (scores - scores.amax(axis, keepdim=True)).exp_()
        return powers.div_(self.sum(powers, [axis], keepdim=True))

    def log_softmax(self, scores: torch.Tensor, axis: int) -> torch.Tensor:
        """x - max - log(sum(exp(x - max)))."""
        shifted = scores - scores.amax(axis, keepdim=True)
        return shifted.sub_(torch.log(self.sum(torch.exp(shifted), [axis], keepdim=True)))


def _parts(tensor: torch.Tensor, other: torch.Tensor) -> Sequence[torch.Tensor]:
    """`tensor` in pieces that can be written to and lie as those of `other` do; whole where that cannot be."""
    if tensor.numel() <= at_once(tensor) or not (tensor.is_contiguous() and other.is_contiguous()):
        return [tensor]
    return tensor.view(-1).split(at_once(tensor))


def _root_of_squares(terms: torch.Tensor, dims: Sequence[int], keepdim: bool) -> torch.Tensor:
    if terms.numel() <= at_once(terms):
        return (terms * terms).sum(dims, keepdim=keepdim).sqrt()
    return torch.linalg.vector_norm(terms, 2, dims, keepdim=keepdim)  # without squares that take as much memory again


def _sequential_sum(terms: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """Sums over `dims` with one accumulator each, term after term: index_add_ on one axis is such a loop on a CPU."""
    kept = [axis for axis in range(terms.dim()) if axis not in {item % terms.dim() for item in dims}]
    reduced = [axis for axis in range(terms.dim()) if axis not in kept]
    rows = terms.permute(kept + reduced).reshape(prod(terms.shape[axis] for axis in kept), -1)
    totals = torch.zeros(rows.shape[0], dtype=terms.dtype, device=terms.device)
    if rows.numel() > at_once(rows) and rows.shape[0] <= _FEW_ROWS:
        # Neighbouring threads of a GPU add to neighbouring totals: all at one they wait for each other.
        for part in rows.split(max(1, at_once(rows) // rows.shape[0]), dim=1):
            places = torch.arange(part.numel(), device=terms.device) % rows.shape[0]
            totals.index_add_(0, places, part.t().reshape(-1))
        return totals
    flat = rows.reshape(-1)
    for begin in range(0, flat.numel(), at_once(flat)):
        part = flat[begin : begin + at_once(flat)]
        places = torch.arange(begin, begin + part.numel(), device=terms.device) // rows.shape[1]
        totals.index_add_(0, places, part)
    return totals


def every_axis(terms: torch.Tensor, dims: Sequence[int] | int | None) -> list[int]:
    """`dims` as a list; all axes where it is None or empty."""
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        return list(range(terms.dim()))
    return [dims] if isinstance(dims, int) else list(dims)
