# SPDX-License-Identifier: Apache-2.0
"""Moves every float by one unit in its last place, up or down at random."""

from __future__ import annotations

import torch

from ..graph.functional import FunctionalProgram

_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def one_ulp_away(tensor: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """`tensor` with each finite non-zero element one representable number away. Zeros stay (their neighbours are
    subnormal: no honest rounding makes those, and they slow a CPU down a hundredfold); so do infinities and integers.
    """
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    bits = tensor.contiguous().view(_BITS[tensor.element_size()])
    step = torch.randint(0, 2, tensor.shape, generator=source, device=source.device, dtype=torch.int8) * 2 - 1
    moved = (bits + step.to(bits)).view(tensor.dtype)
    return torch.where((tensor != 0) & torch.isfinite(tensor) & torch.isfinite(moved), moved, tensor)


def finest_output(graph: FunctionalProgram) -> float:
    """The smallest relative spacing among the program's float results, infinite where there are none."""
    results = graph.results()
    dtypes = [results[output.value][0] for output in graph.outputs]
    return min([torch.finfo(dtype).eps for dtype in dtypes if dtype.is_floating_point], default=float("inf"))


def is_as_fine(tensor: torch.Tensor, spacing: float) -> bool:
    """Whether `tensor` is of a float type whose spacing is at most `spacing`."""
    return tensor.is_floating_point() and torch.finfo(tensor.dtype).eps <= spacing
