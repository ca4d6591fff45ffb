# SPDX-License-Identifier: Apache-2.0
"""Finds the batch: the free axis of the inputs that a program may take as an argument of each call."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from ..program.build import Request
from .axes import UNBOUNDED, DynamicAxes, dynamic_axes
from .follow import Following, follow
from .trial import trial_flops, trial_shapes


def batch_axis(request: Request) -> dict[str, Any]:
    """The axes that follow the batch, each as base + per_batch * batch, with its declared value and its range (high is
    null where there is none); or no axes and the reason. The batch is the first axis of the inputs where that may
    change, else the first that may."""
    axes = dynamic_axes(request)
    leading = [symbols for place, symbols in _candidates(axes) if place == 0]
    wide = widened(request) if not leading else None
    reasons = []
    for found in (dynamic_axes(wide) if wide is not None else DynamicAxes(), axes):
        for _, symbols in _candidates(found):
            following = follow(found, symbols, is_one=found is not axes)
            if not following.reason:
                return _answer(found, symbols, following, found is not axes)
            if found is not axes:
                break  # another axis was not the one that was widened
            reasons.append(following.reason)
    return {"axes": [], "reason": reasons[0] if reasons else "no axis of its inputs may change while the weights stay"}


def _answer(axes: DynamicAxes, symbols: list[str], following: Following, is_one: bool) -> dict[str, Any]:
    found = [
        {"input": index, "axis": axis, "base": base, "per_batch": slope}
        for index, shape in enumerate(following.extents or [])
        for axis, (base, slope) in enumerate(shape)
        if slope != 0
    ]
    declared = 1 if is_one else axes.values[symbols[0]] // following.unit
    high = following.high if following.high < UNBOUNDED else None
    # Steps planned for a batch of one would leave its axis out: such a program is planned for the larger one.
    planned = axes.values[symbols[0]] // following.unit
    return {"axes": found, "declared": declared, "planned": planned, "low": following.low, "high": high}


def _candidates(axes: DynamicAxes) -> Iterator[tuple[int, list[str]]]:
    """Axes that may be the batch, the first ones before others: the first free one at a place, with those of equal
    extent there. Tokens and their targets have one batch, though the export may know no more than that their products
    agree."""
    for place in range(max((len(shape) for shape in axes.shapes), default=0)):
        names = [str(shape[place]) for shape in axes.shapes if len(shape) > place and str(shape[place]) in axes.values]
        alike = [name for name in names if axes.values[name] == axes.values[names[0]]]
        if alike:
            yield place, list(dict.fromkeys(alike))


def widened(request: Request) -> Request | None:
    """A batch of one is a constant to an export: the program at a larger one, where it runs. None where no input has a
    first axis of one."""
    present = trial_shapes(request)
    if present is None or not any(shape and shape[0] == 1 for shape in present):
        return None
    taken = {extent for shape in present for extent in shape}
    size = next(size for size in itertools.count(2) if size not in taken)  # an extent by chance equal is compared
    for shapes in _with_batch(size, present):
        wide = dataclasses.replace(request, input_shapes=shapes)
        if trial_flops(wide) is not None:
            return wide
    return None


def _with_batch(size: int, present: list[list[int]]) -> Iterator[list[list[int]]]:
    """The batch may be the first axis of all inputs, the second of some (a hidden state has its layers before it), or
    the first axis of the first one alone (a mask for all samples)."""
    first = next(index for index, shape in enumerate(present) if shape and shape[0] == 1)

    def at(shape: list[int], place: int) -> list[int]:
        return [size if axis == place and extent == 1 else extent for axis, extent in enumerate(shape)]

    yield [at(shape, 0) for shape in present]
    yield [at(shape, 0 if shape and shape[0] == 1 else 1) for shape in present]
    yield [at(shape, 0) if index == first else list(shape) for index, shape in enumerate(present)]
