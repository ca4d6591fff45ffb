# SPDX-License-Identifier: Apache-2.0
"""Finds the batch: the free axis of the inputs that a program may take as an argument of each call."""

from __future__ import annotations

from typing import Any

import sympy

from ..program.build import Request
from .axes import UNBOUNDED, DynamicAxes, dynamic_axes


def batch_axis(request: Request) -> dict[str, Any]:
    """The axes that follow the batch, each as base + per_batch * batch, with its declared value and its range (high is
    null where there is none); or no axes and the reason."""
    axes = dynamic_axes(request)
    if not axes.values:
        return {"axes": [], "reason": "no axis of its inputs may change while the weights stay"}
    symbols = _leading_symbols(axes)
    if not symbols:
        return {"axes": [], "reason": "the first axis of none of its inputs may change while the weights stay"}
    found = []
    for index, shape in enumerate(axes.shapes):
        for axis, extent in enumerate(shape):
            line = _line(extent, symbols)
            if line is None:
                reason = f"axis {axis} of input {index} is {extent}, no multiple of the batch alone"
                return {"axes": [], "reason": reason}
            if line[1] != 0:
                found.append({"input": index, "axis": axis, "base": line[0], "per_batch": line[1]})
    low = max(axes.ranges[symbol][0] for symbol in symbols)
    high = min(axes.ranges[symbol][1] for symbol in symbols)
    declared = axes.values[symbols[0]]
    return {"axes": found, "declared": declared, "low": low, "high": high if high < UNBOUNDED else None}


def _leading_symbols(axes: DynamicAxes) -> list[str]:
    """The first free leading axis, with the leading axes of equal extent: tokens and their targets have one batch,
    though the export may know no more than that their products agree."""
    leading = [str(shape[0]) for shape in axes.shapes if shape and str(shape[0]) in axes.values]
    alike = [symbol for symbol in leading if axes.values[symbol] == axes.values[leading[0]]]
    return list(dict.fromkeys(alike))


def _line(extent: Any, symbols: list[str]) -> tuple[int, int] | None:
    """`extent` as base + slope * batch, (0, 0) where it has nothing to do with it; None where it is no such line."""
    if isinstance(extent, int) or not any(str(name) in symbols for name in extent.free_symbols):
        return 0, 0
    variable = next(name for name in extent.free_symbols if str(name) in symbols)
    if len(extent.free_symbols) > 1 or not extent.is_polynomial(variable) or sympy.degree(extent, variable) != 1:
        return None
    base, slope = extent.subs(variable, 0), sympy.diff(extent, variable)
    return (int(base), int(slope)) if base.is_integer and slope.is_integer else None
