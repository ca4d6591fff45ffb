# SPDX-License-Identifier: Apache-2.0
"""Finds which axes of a program's inputs may change while its weights stay, by one export with Dim.AUTO."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass, field
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import Dim
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

from ..program.build import Request, build_program

UNBOUNDED = 1 << 31


@dataclass
class DynamicAxes:
    """`shapes` holds, per input tensor, an int or an expression of symbols for each axis; `values` are the symbols'
    present values, `ranges` their least and greatest legal ones."""

    shapes: list[list[Any]] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)

    def shapes_at(self, values: dict[str, int]) -> list[list[int]]:
        """The input shapes with the symbols set to `values`."""
        table = {sympy.Symbol(name, integer=True, positive=True): value for name, value in values.items()}
        by_name = {str(symbol): value for symbol, value in table.items()}
        return [
            [extent if isinstance(extent, int) else _evaluate(extent, by_name) for extent in shape]
            for shape in self.shapes
        ]

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
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)  # the tracer logs every guard that it fails to keep free
    try:
        with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = build_program(request)
            free = pytree.tree_map(_free_axes, program.inputs)
            exported = torch.export.export(program.module, program.inputs, strict=False, dynamic_shapes=free)
        return _read(exported, [tuple(tensor.shape) for tensor in program.input_tensors()])
    except Exception:  # noqa: BLE001 - a program that cannot be exported so has no axis that we may change
        return DynamicAxes()
    finally:
        logging.disable(before)


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
    return found
