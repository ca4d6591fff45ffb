# SPDX-License-Identifier: Apache-2.0
"""A complex value as two real ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

# A part of a complex value: a tensor of the graph, or one number for all elements.
Part = Node | float

REAL_DTYPES = {
    torch.complex32: torch.float16,
    torch.complex64: torch.float32,
    torch.complex128: torch.float64,
}


@dataclass(frozen=True)
class Pair:
    """Both parts have this shape and element type, or are numbers."""

    real: Part
    imag: Part
    shape: tuple[int, ...]
    dtype: torch.dtype

    def part(self, index: int) -> Part:
        """0: the real one, 1: the imaginary one."""
        return (self.real, self.imag)[index]


def is_number(part: Any) -> bool:
    """Whether it is a Python number, complex ones too."""
    return isinstance(part, (int, float, complex)) and not isinstance(part, bool)


def is_complex(example: Any) -> bool:
    """Whether a traced value is a complex tensor."""
    return isinstance(example, torch.Tensor) and example.dtype.is_complex


def as_real(tensor: torch.Tensor) -> torch.Tensor:
    """A complex tensor as the real one in whose memory it lies, with a last axis of two; others as they are."""
    if not tensor.dtype.is_complex:
        return tensor
    return torch.view_as_real(tensor.resolve_conj())


def parts_of(operand: Any) -> tuple[Part, Part]:
    """Real and imaginary part of an operand: a pair, a real tensor or a number."""
    if isinstance(operand, Pair):
        return operand.real, operand.imag
    if isinstance(operand, complex):
        return operand.real, operand.imag
    return (float(operand) if is_number(operand) else operand), 0.0


def mapped(function: Callable[[Any], Any], argument: Any) -> Any:
    """`argument` with `function` of every leaf of its lists."""
    if isinstance(argument, (list, tuple)):
        return [mapped(function, item) for item in argument]
    return function(argument)
