# SPDX-License-Identifier: Apache-2.0
"""Chooses a small scale: sizes whose counted work fits a budget while tails and several blocks still occur."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..failures import PROGRAM_INVALID, Failure
from ..program.build import Request
from .axes import dynamic_axes
from .knobs import Knobs, axis_knobs, constant_knobs, sizes_json
from .sizes_file import small_sizes
from .trial import trial_flops

DEFAULT_MIN_AXIS = 130
_SMALLEST = 2


def small_scale(request: Request, budget: int, min_axis: int) -> dict[str, Any]:
    """Sizes for `request` whose counted work is at most `budget` FLOP, or as near as can be had, with "flops" and
    whether it "fits". A SIZES file beside the program decides where it lists it."""
    written = small_sizes(request.file)
    if written is not None:
        request = Request(request.file, request.target, request.mode, written, None)
        flops = trial_flops(request)
        if flops is not None:
            return {**sizes_json(request), "flops": flops, "fits": flops <= budget, "source": "SIZES"}
    flops = trial_flops(request)
    if flops is None:
        base = os.path.basename(request.file)
        sentence = f"{base} cannot be tried at other sizes: it does not run on tensors without data."
        raise Failure(PROGRAM_INVALID, sentence, request.file, "Use --scale full.")
    knobs = constant_knobs(request)
    values, flops = shrink(knobs, flops, budget, min_axis)
    request = knobs.request_at(values)
    if flops > budget:
        axes = dynamic_axes(request)
        if axes.values:
            knobs = axis_knobs(request, axes)
            values, flops = shrink(knobs, flops, budget, min_axis)
            request = knobs.request_at(values)
    return {**sizes_json(request), "flops": flops, "fits": flops <= budget, "source": "search"}


def shrink(knobs: Knobs, flops: int, budget: int, min_axis: int) -> tuple[dict[str, int], int]:
    """First brings long sizes down towards `min_axis`, the longest first; then, still over budget, the short ones (a
    batch, an image's side, a number of channels) to a quarter, and last towards 2."""
    values = dict(knobs.values)
    floors: list[Callable[[int], int]] = [
        lambda size: min(size, min_axis),
        lambda size: min(size, min_axis) if size >= min_axis else max(_SMALLEST, size // 4),
        lambda size: min(size, min_axis) if size >= min_axis else _SMALLEST,
    ]
    for floor_of in floors:
        blocked: set[str] = set()
        while flops > budget:
            movable = [name for name in values if values[name] > floor_of(knobs.values[name]) and name not in blocked]
            if not movable:
                break
            name = max(movable, key=lambda item: (values[item] / floor_of(knobs.values[item]), item))
            better = _smaller(knobs, values, name, floor_of(knobs.values[name]), flops)
            if better is None:
                blocked.add(name)
            else:
                values, flops = better
    return values, flops


def _smaller(
    knobs: Knobs, values: dict[str, int], name: str, floor: int, flops: int
) -> tuple[dict[str, int], int] | None:
    """The next smaller size of one knob at which the program runs and does less work."""
    present = values[name]
    for size in _candidates(present, floor, [value for key, value in values.items() if key != name]):
        trial = {**values, name: size}
        work = knobs.flops_at(trial)
        if work is not None and work < flops:
            return trial, work
    return None


def _candidates(present: int, floor: int, others: list[int]) -> list[int]:
    """Sizes between floor and present: half of it (odd where it may be), else near the floor, multiples that programs
    often demand last."""
    half = present // 2
    steps = [half | 1, half] if half >= floor else []
    nearest = [floor | 1, floor]
    divisors = sorted({other for other in others if 1 < other < present} | {2, 4, 8, 16, 32, 64})
    multiples = [-(-floor // divisor) * divisor for divisor in divisors]
    made = [size for size in steps + nearest + multiples if floor <= size < present]
    return list(dict.fromkeys(made))
