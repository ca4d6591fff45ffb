# SPDX-License-Identifier: Apache-2.0
"""Finds which axes of a program's inputs may change while its weights stay, by one export with Dim.AUTO."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import Dim
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

from ..graph.tracing import as_traced
from ..program.build import Request, build_program
from .quiet import quiet

UNBOUNDED = 1 << 31
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


@dataclass
class DynamicAxes:
    """`shapes` holds, per input tensor, an int or an expression of symbols for each axis; `values` are the symbols'
    present values, `ranges` their least and greatest legal ones. `numbers` are the different expressions of symbols
    that the program computes with, each with an operator that has it; `guards` are what tracing asked of the symbols:
    where all of them are true, the program is the exported one. `fixed` holds the symbols that tracing found to have
    one value only; guards still name them."""

    shapes: list[list[Any]] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    numbers: dict[Any, str] = field(default_factory=dict)
    guards: list[Any] = field(default_factory=list)
    fixed: dict[Any, int] = field(default_factory=dict)

    def shapes_at(self, values: dict[str, int]) -> list[list[int]]:
        """The input shapes with the symbols set to `values`."""
        table = {sympy.Symbol(name, integer=True, positive=True): value for name, value in values.items()}
        by_name = {str(symbol): value for symbol, value in table.items()}
        return [
            [extent if isinstance(extent, int) else _evaluate(extent, by_name) for extent in shape]
            for shape in self.shapes
        ]

    def allows(self, values: dict[str, int]) -> bool:
        """Whether the program is the exported one with the symbols set to `values`, as far as the guards say."""
        table = {symbol: sympy.Integer(values[str(symbol)]) for symbol in self.symbols()} | self.fixed
        return all(guard.xreplace(table) != sympy.false for guard in self.guards)

    def symbols(self) -> list[Any]:
        """The free axes' symbols."""
        found = {extent for shape in self.shapes for extent in shape if isinstance(extent, sympy.Symbol)}
        return sorted(found, key=str)

    def ranges_json(self) -> list[dict[str, Any]]:
        """Every axis that may change: input number, axis, least and greatest extent (null = unbounded)."""
        made = []
        for index, shape in enumerate(self.shapes):
            for axis, extent in enumerate(shape):
                if isinstance(extent, sympy.Symbol):
                    low, high = self.ranges[str(extent)]
                    made.append({"input": index, "axis": axis, "low": low, "high": high if high < UNBOUNDED else None})
        return made


def _evaluate(expression: Any, values: dict[str, int]) -> int:
    return int(expression.subs({symbol: values[str(symbol)] for symbol in expression.free_symbols}))


_known: dict[str, DynamicAxes] = {}  # by request: one export costs seconds, and several verbs ask


def dynamic_axes(request: Request) -> DynamicAxes:
    """The axes that may change. Empty where none may, or where the export with free sizes does not succeed."""
    key = repr(request)
    if key not in _known:
        _known[key] = _exported_axes(request)
    return _known[key]


def _exported_axes(request: Request) -> DynamicAxes:
    try:
        with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()), quiet(), as_traced():
            program = build_program(request)
            free = _by_parameter(program.module, pytree.tree_map(_free_axes, program.inputs))
            exported = torch.export.export(program.module, program.inputs, strict=False, dynamic_shapes=free)
        return _read(exported, [tuple(tensor.shape) for tensor in program.input_tensors()])
    except Exception:  # noqa: BLE001 - a program that cannot be exported so has no axis that we may change
        return DynamicAxes()


def _by_parameter(module: torch.nn.Module, free: tuple[Any, ...]) -> tuple[Any, ...]:
    """Export wants what goes into `*arguments` as one."""
    kinds = [parameter.kind for parameter in inspect.signature(module.forward).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return free
    first = kinds.index(inspect.Parameter.VAR_POSITIONAL)
    return (*free[:first], free[first:])


def _free_axes(leaf: Any) -> Any:
    return {axis: Dim.AUTO for axis in range(leaf.dim())} if isinstance(leaf, torch.Tensor) else None


def _read(exported: Any, present: list[tuple[int, ...]]) -> DynamicAxes:
    found = DynamicAxes()
    names = set(exported.graph_signature.user_inputs)
    examples = [
        node.meta.get("val") for node in exported.graph.nodes if node.op == "placeholder" and node.name in names
    ]
    tensors = [example for example in examples if isinstance(example, torch.Tensor)]
    for example, shape in zip(tensors, present):
        found.shapes.append([e if isinstance(e, int) else e.node.expr for e in example.shape])
        for extent, value in zip(found.shapes[-1], shape):
            if isinstance(extent, sympy.Symbol):
                found.values[str(extent)] = int(value)
    for symbol, limits in exported.range_constraints.items():
        if str(symbol) in found.values:
            low = int(limits.lower) if isinstance(limits.lower, sympy.Integer) else 1
            high = int(limits.upper) if isinstance(limits.upper, sympy.Integer) else UNBOUNDED
            found.ranges[str(symbol)] = (max(1, low), min(high, UNBOUNDED))
    for name in found.values:
        found.ranges.setdefault(name, (2, UNBOUNDED))
    found.numbers = _numbers(exported)
    environment = next((env for env in map(_shape_environment, tensors) if env is not None), None)
    if environment is not None:
        found.guards = list(dict.fromkeys(environment.replace(guard.expr) for guard in environment.guards))
        found.fixed = {symbol: sympy.Integer(value) for symbol, value in _examples(environment).items()}
        for symbol in found.symbols():
            found.fixed.pop(symbol, None)
    return found


def _shape_environment(tensor: Any) -> Any:
    return getattr(getattr(tensor, "fake_mode", None), "shape_env", None)


def _examples(environment: Any) -> dict[Any, Any]:
    """The present value of every symbol; the attribute's name depends on PyTorch's version."""
    return dict(getattr(environment, "backed_var_to_val", None) or getattr(environment, "var_to_val", {}))


def _numbers(exported: Any) -> dict[Any, str]:
    """Every expression that is an extent of a tensor or an operand of an operator on tensors."""
    found: dict[Any, str] = {}
    for module in exported.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            made = pytree.tree_leaves(node.meta.get("val"))
            if any(isinstance(item, _SYMBOLIC) for item in made):
                continue  # counts where it is used
            extents = [extent for item in made if isinstance(item, torch.Tensor) for extent in item.shape]
            operands = [operand.meta.get("val") for operand in node.all_input_nodes]
            for number in extents + operands:
                if isinstance(number, _SYMBOLIC):
                    found.setdefault(number.node.expr, _short_name(node))
    return found


def _short_name(node: Any) -> str:
    return node.name if node.op != "call_function" else str(getattr(node.target, "__name__", node.target)).split(".")[0]
