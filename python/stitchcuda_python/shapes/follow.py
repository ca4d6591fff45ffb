# SPDX-License-Identifier: Apache-2.0
"""How a program follows one of its free sizes: whether all its numbers lie on lines, and where it stays one program."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import sympy

from .axes import UNBOUNDED, DynamicAxes

_REMAINDERS = ("FloorDiv", "Mod", "PythonMod", "CleanDiv", "CeilDiv")  # PyTorch's names
_MAX_TRIED = 4096  # of a question that is no inequality, each size is asked in turn, this far


@dataclass
class Following:
    """With the symbols at unit * batch, every number is base + slope * batch, for batches from low to high. `extents`
    holds (base, slope) of each axis of each input. Or else `reason` says why not."""

    unit: int = 1
    low: int = 1
    high: int = UNBOUNDED
    extents: list[list[tuple[int, int]]] | None = None
    reason: str = ""


BATCH = sympy.Symbol("batch", integer=True, positive=True)


def follow(axes: DynamicAxes, symbols: list[str], is_one: bool = False) -> Following:
    """What becomes of the program when `symbols`, which are equal now, change together and all others stay. With
    `is_one` they are to take one too, and hence all multiples."""
    declared = axes.values[symbols[0]]
    unit = 1 if is_one else _unit(axes, symbols, declared)
    table = _table(axes, symbols, unit)
    for number, name in axes.numbers.items():
        if line(number.xreplace(table)) is None:
            text = f"{name} has a number that follows the batch in no straight line: {number.xreplace(table)}"
            return Following(reason=text)
    made = Following(unit, *_limits(axes, symbols, unit))
    for guard in axes.guards:
        asked = guard.xreplace(table)
        low, high = holds_around(asked, declared // unit)
        if low == high:
            return Following(reason=f"the program depends on whether {asked}")
        made.low, made.high = max(made.low, low), min(made.high, high)
    if made.low >= made.high:
        return Following(reason=f"the program is another one at any other, {made.low} apart")
    made.extents = [[_extent_line(extent, table) for extent in shape] for shape in axes.shapes]
    return made


def _table(axes: DynamicAxes, symbols: list[str], unit: int) -> dict[Any, Any]:
    return {
        symbol: unit * BATCH if str(symbol) in symbols else sympy.Integer(axes.values[str(symbol)])
        for symbol in axes.symbols()
    } | axes.fixed


def _limits(axes: DynamicAxes, symbols: list[str], unit: int) -> tuple[int, int]:
    low = max(axes.ranges[symbol][0] for symbol in symbols)
    high = min(axes.ranges[symbol][1] for symbol in symbols)
    return -(-low // unit), high // unit


def _unit(axes: DynamicAxes, symbols: list[str], declared: int) -> int:
    """What the sizes must be multiples of: the smallest divisor of the declared one with which no remainder or rounded
    quotient is left, in the program or in what it asks. One where there is none."""
    for unit in range(1, declared // 2 + 1):
        if declared % unit == 0 and not _has_remainders(axes, _table(axes, symbols, unit)):
            return unit
    return 1


def _has_remainders(axes: DynamicAxes, table: dict[Any, Any]) -> bool:
    return any(
        type(part).__name__ in _REMAINDERS and BATCH in part.free_symbols
        for expression in [*axes.guards, *axes.numbers]
        for part in sympy.preorder_traversal(expression.xreplace(table))
    )


def _extent_line(extent: Any, table: dict[Any, Any]) -> tuple[int, int]:
    return (extent, 0) if isinstance(extent, int) else line(extent.xreplace(table)) or (0, 0)


def line(expression: Any) -> tuple[int, int] | None:
    """(base, slope) of base + slope * batch in whole numbers; None where it is no such line."""
    if BATCH not in expression.free_symbols:
        return (int(expression), 0) if expression.is_Integer else (0, 0)
    is_known = expression.free_symbols == {BATCH} and isinstance(expression, sympy.Expr)
    if not is_known or not expression.is_polynomial(BATCH):
        return None
    coefficients = sympy.Poly(expression, BATCH).all_coeffs()
    if len(coefficients) != 2 or not all(coefficient.is_Integer for coefficient in coefficients):
        return None
    return int(coefficients[1]), int(coefficients[0])


def holds_around(asked: Any, declared: int) -> tuple[int, int]:
    """The stretch of batches around `declared` in which a question about the batch has the answer it has there."""
    if BATCH not in getattr(asked, "free_symbols", set()):
        return 1, UNBOUNDED
    points = _turning_points(asked)
    if points is None:
        down, up = range(declared - 1, 0, -1), range(declared + 1, declared + _MAX_TRIED)
        return _last_alike(asked, declared, down, 1), _last_alike(asked, declared, up, declared + _MAX_TRIED - 1)
    down = [point for point in reversed(points) if 1 <= point < declared]
    up = [point for point in points if declared < point < UNBOUNDED]
    return _last_alike(asked, declared, down, 1), _last_alike(asked, declared, up, UNBOUNDED)


def _last_alike(asked: Any, declared: int, others: Any, end: int) -> int:
    """Going along `others`, the last with the answer that `declared` has; `end` where none has another. Neighbours in
    `others` are next to one another, or no turning point lies between them."""
    wanted = asked.xreplace({BATCH: sympy.Integer(declared)})
    last = declared
    for other in others:
        if asked.xreplace({BATCH: sympy.Integer(other)}) != wanted:
            return last
        last = other
    return end


def _turning_points(asked: Any) -> list[int] | None:
    """The whole numbers beside which an inequality between polynomials may change its answer; None for any other
    question."""
    if not isinstance(asked, sympy.core.relational.Relational):
        return None
    difference = asked.lhs - asked.rhs
    if difference.free_symbols != {BATCH} or not difference.is_polynomial(BATCH):
        return None
    roots = [float(root) for root in sympy.Poly(difference, BATCH).real_roots()]
    return sorted({math.floor(root) + offset for root in roots for offset in (-1, 0, 1, 2)})
