# SPDX-License-Identifier: Apache-2.0
"""The functional form of a program that everything here works on: named values, calls in order, outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from ..vocabulary import TENSOR_ROLES

INPUT, PARAMETER, CONSTANT, STATE, OUTPUT = TENSOR_ROLES
RANDOM = "random"  # the numbers of one call that draws: an input that a caller of the program may leave out


@dataclass(frozen=True)
class Ref:
    """An argument that is a value of the program."""

    name: str


@dataclass(frozen=True)
class Value:
    """A tensor that exists before the first call. `binding` is the argument or state-dict name."""

    name: str
    role: str
    binding: str
    dtype: torch.dtype
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Result:
    """A tensor that a call makes; name "" where the call makes none at this position."""

    name: str
    dtype: torch.dtype | None
    shape: tuple[int, ...]


@dataclass
class Call:
    """One operator call. `args` and `kwargs` are complete (defaults filled in) and hold Ref for tensors."""

    target: Any
    args: list[Any]
    kwargs: dict[str, Any]
    results: list[Result]
    location: str
    multiple: bool

    @property
    def target_name(self) -> str:
        """The operator's name, "aten.linear.default"."""
        return str(self.target)


@dataclass(frozen=True)
class Output:
    """What the program hands back: an output (binding = path in the returned structure) or a state's new value."""

    value: str
    role: str
    binding: str


@dataclass(frozen=True)
class Returned:
    """A tensor in the structure that forward returns: the place of its output among the outputs."""

    index: int


@dataclass
class FunctionalProgram:
    """A whole program. `tensors` holds parameters, buffers and constants by binding; those made under FakeTensorMode
    carry no data."""

    values: list[Value]
    calls: list[Call]
    outputs: list[Output]
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)
    returned: Any = None  # what forward returns, with Returned in the place of every tensor

    def of_role(self, *roles: str) -> list[Value]:
        """The values of the given roles, role by role."""
        return [value for role in roles for value in self.values if value.role == role]

    def results(self) -> dict[str, tuple[torch.dtype, tuple[int, ...]]]:
        """Type and shape of every value by name."""
        table = {value.name: (value.dtype, value.shape) for value in self.values}
        for call in self.calls:
            for result in call.results:
                if result.name and result.dtype is not None:
                    table[result.name] = (result.dtype, result.shape)
        return table

    def producers(self) -> dict[str, Call]:
        """The call that makes each value."""
        return {result.name: call for call in self.calls for result in call.results if result.name}


def refs_in(argument: Any) -> list[str]:
    """The names of the values that an argument mentions."""
    if isinstance(argument, Ref):
        return [argument.name]
    if isinstance(argument, (list, tuple)):
        return [name for item in argument for name in refs_in(item)]
    if isinstance(argument, dict):
        return [name for item in argument.values() for name in refs_in(item)]
    return []


def used_by(call: Call) -> list[str]:
    """The names of the values that a call reads."""
    return refs_in(call.args) + refs_in(call.kwargs)
