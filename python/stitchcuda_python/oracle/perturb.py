# SPDX-License-Identifier: Apache-2.0
"""Moves every float by one unit in its last place, up or down at random."""

from __future__ import annotations

import torch

from ..graph.functional import FunctionalProgram

# Of a large tensor on a GPU, whose memory holds few of its size.
ELEMENTS_AT_ONCE = 1 << 24
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def at_once(tensor: torch.Tensor) -> int:
    """How many elements of `tensor` are worked on at a time: a CPU does all, drawing alike on any machine."""
    return max(1, tensor.numel()) if tensor.device.type == "cpu" else ELEMENTS_AT_ONCE


def one_ulp_away(tensor: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """`tensor` with each finite non-zero element one representable number away. Zeros stay (their neighbours are
    subnormal: no honest rounding makes those, and they slow a CPU down a hundredfold); so do infinities and integers.
    """
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    if tensor.device.type == "cpu" or tensor.numel() <= ELEMENTS_AT_ONCE:
        return _moved(tensor.contiguous(), source)
    made = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    for to, part in zip(made.view(-1).split(ELEMENTS_AT_ONCE), tensor.reshape(-1).split(ELEMENTS_AT_ONCE)):
        to.copy_(_moved(part, source))
    return made


def _moved(tensor: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    bits = tensor.view(_BITS[tensor.element_size()])
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
