# SPDX-License-Identifier: Apache-2.0
"""How a module is called: the example's arguments by place, and later calls brought into the same order."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .errors import UsageError


@dataclass(frozen=True)
class Example:
    """`values` holds the first `positional` arguments, then those that were given by `names`."""

    values: tuple[Any, ...]
    positional: int
    names: tuple[str, ...]


def example_of(inputs: Any, keywords: Mapping[str, Any] | None) -> Example:
    """A tuple or a list holds the arguments; anything else is the only one."""
    arguments = tuple(inputs) if type(inputs) in (tuple, list) else (inputs,)
    given = dict(keywords or {})
    example = Example((*arguments, *given.values()), len(arguments), tuple(given))
    leaves = pytree.tree_leaves(example.values)
    if not any(isinstance(leaf, torch.Tensor) for leaf in leaves):
        remedy = "Give what you call the module with, for instance stitchcuda.optimize(model, torch.randn(8, 64))."
        raise UsageError("example_inputs holds no tensor", "", remedy, "usage")
    return example


class Arguments:
    """Brings a call's arguments into the example's order; what the example left at its default must stay there."""

    def __init__(self, example: Example, signature: inspect.Signature) -> None:
        self._positional, self._names, self._signature = example.positional, example.names, signature
        first = signature.bind_partial(*example.values[: example.positional])
        self._order = [*_flat(signature, first), *example.names]

    def in_order(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...]:
        """Raises TypeError as a call of the module would, and UsageError for other arguments than the example's."""
        if len(arguments) == self._positional and tuple(keywords) == self._names:
            return (*arguments, *keywords.values())
        given = _flat(self._signature, self._signature.bind(*arguments, **keywords))
        for name, value in given.items():
            if name not in self._order and not self._is_default(name, value):
                remedy = "Optimise it with an example that has this argument."
                raise UsageError(f"the program was made without the argument {name}", "", remedy, "usage")
        return tuple(given[name] if name in given else self._default(name) for name in self._order)

    def _default(self, name: str) -> Any:
        parameter = self._signature.parameters.get(name)
        if parameter is None or parameter.default is inspect.Parameter.empty:
            raise UsageError(f"the program was made with the argument {name}, which is missing", "", "", "usage")
        return parameter.default

    def _is_default(self, name: str, value: Any) -> bool:
        parameter = self._signature.parameters.get(name)
        if parameter is None or isinstance(value, torch.Tensor):
            return False
        return value is parameter.default or (type(value) is type(parameter.default) and value == parameter.default)


def _flat(signature: inspect.Signature, bound: inspect.BoundArguments) -> dict[str, Any]:
    """Every argument by its name; those of *args by number."""
    made: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            made.update({f"*{name}[{index}]": item for index, item in enumerate(value)})
        elif kind is inspect.Parameter.VAR_KEYWORD:
            made.update(value)
        else:
            made[name] = value
    return made


def signature_of(model: Any) -> inspect.Signature:
    """Of what is called with the user's arguments; built-in functions that tell none take anything."""
    try:
        return inspect.signature(model.forward if isinstance(model, torch.nn.Module) else model)
    except (TypeError, ValueError):
        anything = inspect.Parameter("arguments", inspect.Parameter.VAR_POSITIONAL)
        return inspect.Signature([anything])
