# SPDX-License-Identifier: Apache-2.0
"""Chooses the hidden shapes of a verdict: sizes the candidate's author did not see, odd, near tile edges, cheap."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..oracle.seeds import derive
from ..program.build import Request
from .axes import DynamicAxes, dynamic_axes
from .batch import widened
from .knobs import Knobs, axis_knobs, constant_knobs, sizes_json
from .trial import trial_flops
from .with_data import DataTrials

TILE = 64
WORK_GROWTH = 1.5  # a hidden shape may cost at most this many times the declared one
_TRIES = 6
_FARTHEST = 64  # from a wished size to one that is allowed
_QUICK = 10**9  # operations that the CPU does in a moment
_DIVISORS = (1, 2, 4, 8, 16, 32)  # what programs demand of a size that they cut into parts


@dataclass
class _Terms:
    """What is asked of other sizes: that the program runs there, with data where that is quick, at an allowed cost."""

    limit: int | None
    with_data: DataTrials

    def are_met(self, knobs: Knobs, values: dict[str, int]) -> bool:
        flops = knobs.flops_at(values)
        if flops is None or (self.limit is not None and flops > self.limit):
            return False
        return flops > _QUICK or self.with_data.runs(knobs.request_at(values))


def hidden_shapes(request: Request, count: int, seed: int) -> dict[str, Any]:
    """`count` requests' sizes, all different from the declared ones, and the ranges they were taken from. Fewer where
    the program does not run at more; every one of them was tried."""
    axes = dynamic_axes(request)
    source = random.Random(derive(seed, "hidden shapes"))
    base = trial_flops(request)
    with_data = DataTrials()
    shapes: list[dict[str, Any]] = []
    for knobs, groups, growth in _ways(request, axes):
        terms = _Terms(None if base is None else int(base * WORK_GROWTH) * growth, with_data)
        for index in range(len(shapes), count):
            chosen = _choose(knobs, groups, index, source, terms, shapes)
            if chosen is not None:
                shapes.append(chosen)
        if shapes:
            break
    return {"shapes": shapes, "ranges": axes.ranges_json()}


def _ways(request: Request, axes: DynamicAxes) -> Iterator[tuple[Knobs, list[dict[str, str]], float]]:
    """What may be turned, how, and what it may cost beside the usual: the free axes, else the file's constants, else a
    batch that is one, which an export takes for a constant."""
    if axes.values:
        yield axis_knobs(request, axes), _groupings(axes), 1
    constants = constant_knobs(request, of_lists=False)
    yield constants, [{name: name for name in constants.values}], 1
    wide = widened(request)
    free = dynamic_axes(wide) if wide is not None else DynamicAxes()
    if wide is not None and free.values:
        yield axis_knobs(wide, free), _groupings(free), 2 * max(free.values.values())


def _groupings(axes: DynamicAxes) -> list[dict[str, str]]:
    """Which symbols change together, most independent first: each axis alone but alike across tensors (tokens and
    their targets); then all axes of equal extent; then the first axis only."""
    first_with: dict[tuple[int, int], str] = {}
    alike: dict[str, str] = {}
    for shape in axes.shapes:
        for axis, extent in enumerate(shape):
            if str(extent) in axes.values:
                alike[str(extent)] = first_with.setdefault((axis, axes.values[str(extent)]), str(extent))
    by_value: dict[int, str] = {}
    equal = {name: by_value.setdefault(value, name) for name, value in axes.values.items()}
    first = next(iter(axes.values))
    leading = {name: group for name, group in alike.items() if group == alike[first]}
    return [alike, equal, leading]


def _choose(
    knobs: Knobs,
    groups: list[dict[str, str]],
    index: int,
    source: random.Random,
    terms: _Terms,
    taken: list[dict[str, Any]],
) -> dict[str, Any] | None:
    for grouping in groups:
        for attempt in range(_TRIES):
            order = {leader: number for number, leader in enumerate(dict.fromkeys(grouping.values()))}
            sizes = {
                leader: _size(knobs.values[leader], knobs.ranges[leader], index + number + attempt, source)
                for leader, number in order.items()
            }
            values = _nearest_allowed(knobs, grouping, sizes)
            made = sizes_json(knobs.request_at(values))
            if made in taken or values == knobs.values:
                continue
            if terms.are_met(knobs, values):
                return made
    return _one_constant(knobs, source, terms, taken)


def _nearest_allowed(knobs: Knobs, grouping: dict[str, str], wished: dict[str, int]) -> dict[str, int]:
    """The sizes nearest to those wished for that the program does not ask to be others: an image's side may have to be
    a multiple of four. By leader of a group, like the wishes."""
    values = dict(knobs.values)
    for leader, wish in wished.items():
        low, high = knobs.ranges[leader]
        members = [name for name in grouping if grouping[name] == leader]
        for offset in range(2 * _FARTHEST):
            size = wish + (offset + 1) // 2 * (1 if offset % 2 else -1)
            trial = {**values, **{name: size for name in members}}
            if low <= size <= high and size != knobs.values[leader] and knobs.allows(trial):
                values = trial
                break
    return values


def _one_constant(
    knobs: Knobs, source: random.Random, terms: _Terms, taken: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """Changes a single size, for programs that refuse several at once; to ever rounder ones where they refuse."""
    names = sorted(knobs.values)
    source.shuffle(names)
    for name, divisor in ((name, divisor) for divisor in _DIVISORS for name in names):
        for attempt in range(3):
            wish = _size(knobs.values[name], knobs.ranges[name], attempt, source)
            size = max(divisor, wish // divisor * divisor)
            values = {**knobs.values, name: size}
            made = sizes_json(knobs.request_at(values))
            if size == knobs.values[name] or made in taken:
                continue
            if terms.are_met(knobs, values):
                return made
    return None


def _size(present: int, limits: tuple[int, int], turn: int, source: random.Random) -> int:
    """Another extent for an axis: one tile and one, two tiles and one, or an odd number near the present one; small
    axes change by little."""
    low, high = limits
    if present > 2 * TILE:
        wish = (TILE + 1, 2 * TILE + 1, _odd_near(present, source))[turn % 3]
    elif present > 8:
        wish = (_odd_near(present, source), present - 1 - present % 2, present // 2 | 1)[turn % 3]
    else:
        wish = (present + 1, max(2, present - 1), present + 2)[turn % 3]
    return max(low, min(high, wish))


def _odd_near(present: int, source: random.Random) -> int:
    return source.randrange(present * 3 // 4, present + 2) | 1
