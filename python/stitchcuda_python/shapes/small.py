# SPDX-License-Identifier: Apache-2.0
"""Chooses a small scale by what it costs: sizes at which a draw on the emulated device fits a budget while every kind
of operator still runs several tiles and a rest along each direction in which it did."""

from __future__ import annotations

import os
from typing import Any

from ..failures import PROGRAM_INVALID, Failure
from ..program.build import Request
from .axes import dynamic_axes
from .knobs import Knobs, axis_knobs, constant_knobs, sizes_json
from .sizes_file import small_sizes
from .reach import Least, Reach
from .trial import Work, trial

DEFAULT_MIN_AXIS = 130
_MIN_SIZE = 2
_BEARABLE = 2  # times the budget: not worth shorter tiles
_BEARABLE_FOR_TILES = 8  # likewise, for whole tiles
_TILES = (128, 64, 32, 16, 8, 4)
_WORTH = 0.97  # of the work: what leaves more than that is not worth a size


def small_scale(request: Request, budget: float, min_axis: int, whole_tiles: bool = False) -> dict[str, Any]:
    """Sizes for `request` at which a draw is estimated at no more than `budget` seconds, or as near as can be had, with
    "seconds", "flops", whether it "fits", and "short", the directions given up for it. A SIZES file beside the program
    decides where it lists it. With `whole_tiles` sizes are then made larger again, as far as a few budgets go: what the
    program's own sizes are multiples of, these are, too."""
    written = small_sizes(request.file)
    if written is not None:
        own_knobs = constant_knobs(request)
        request = Request(request.file, request.target, request.mode, written, None)
        work = trial(request)
        if work is not None and whole_tiles:
            small = {**own_knobs.values, **{name: written[name] for name in written if name in own_knobs.values}}
            request, work = _with_whole_tiles(own_knobs, small, work, budget)
        if work is not None:
            return {**sizes_json(request), **_cost(work, budget), "short": [], "source": "SIZES"}
    own = trial(request)
    if own is None:
        base = os.path.basename(request.file)
        message = f"{base} cannot be tried at other sizes: it does not run on tensors without data."
        raise Failure(PROGRAM_INVALID, message, request.file, "Use --scale full.")
    request, work = _made_smaller(constant_knobs(request), own, own, budget, min_axis, whole_tiles)
    if work.seconds > budget:
        axes = dynamic_axes(request)
        if axes.values:
            request, work = _made_smaller(axis_knobs(request, axes), own, work, budget, min_axis, whole_tiles)
    long, quarter = _long_and_quarter(min_axis)
    short = work.reach.misses(own.reach.at_least(each=quarter, most=long))
    return {**sizes_json(request), **_cost(work, budget), "short": short, "source": "search"}


def _cost(work: Work, budget: float) -> dict[str, Any]:
    """Sizes are chosen by what other ones would save, and that fits or not; told is all that a draw takes, since the
    number of draws goes by it."""
    seconds = work.seconds + work.idle_seconds
    return {"flops": work.flops, "seconds": seconds, "fits": work.seconds <= budget}


def _made_smaller(
    knobs: Knobs, own: Work, present: Work, budget: float, min_axis: int, whole_tiles: bool
) -> tuple[Request, Work]:
    """What is cut into tiles stays at least `min_axis` long, and what is short may fall to a quarter. Where the work
    is then too much by far, it is enough that one call of each kind reaches that far, the others a quarter of it; and
    at last that those reach an eighth of it which yield."""
    search = _Search(knobs, present)
    long, quarter = _long_and_quarter(min_axis)
    search.run(own.reach.at_least(each=long, most=long), budget)
    search.run(own.reach.at_least(each=quarter, most=long), _BEARABLE * budget)
    eighth = lambda extent: quarter(extent) // 2  # noqa: E731
    search.run(own.reach.at_least(each=quarter, most=long, yielding=eighth), _BEARABLE * budget)
    if whole_tiles:
        return _with_whole_tiles(knobs, search.values, search.work, budget)
    return knobs.request_at(search.values), search.work


def _with_whole_tiles(knobs: Knobs, values: dict[str, int], work: Work, budget: float) -> tuple[Request, Work]:
    """Each size at the next multiple of the power of two that divides the program's own, of as large ones as go. Sizes
    that follow from each other in one way only may allow none: then they stay."""
    for largest in _TILES:
        whole = {name: _next_multiple(values[name], own, largest) for name, own in knobs.values.items()}
        found = knobs.work_at(whole) if knobs.allows(whole) else None
        if found is not None and found.seconds <= max(work.seconds, _BEARABLE_FOR_TILES * budget):
            return knobs.request_at(whole), found
    return knobs.request_at(values), work


def _next_multiple(value: int, own: int, largest: int) -> int:
    tile = min(own & -own, largest)
    return min(own, -(-value // tile) * tile)


def _long_and_quarter(min_axis: int) -> tuple[Least, Least]:
    def quarter(extent: int) -> int:
        return min(extent, max(_MIN_SIZE, min(extent, min_axis) // 4))

    return lambda extent: min_axis if extent >= min_axis else quarter(extent), quarter


class _Search:
    """Makes one size after the other smaller: the one that saved most when it was last tried, and of those that save
    alike the one that is nearest its own value. What the program's operators reach stays at least what is wanted."""

    def __init__(self, knobs: Knobs, work: Work) -> None:
        self.knobs = knobs
        self.values, self.work = dict(knobs.values), work

    def run(self, wanted: Reach, budget: float) -> None:
        """Until the budget is kept, or no size can be made smaller."""
        left = dict.fromkeys(self.values, 0.0)  # the share of the work that was left, roughly; nothing is known yet
        while self.work.seconds > budget and left:
            name = min(left, key=lambda each: (left[each], *self._nearness(each)))
            before = self.work.seconds
            if self._make_smaller(name, wanted):
                left[name] = round(2 * self.work.seconds / before) / 2
            else:
                del left[name]

    def _nearness(self, name: str) -> tuple[float, int, str]:
        return -self.values[name] / self.knobs.values[name], -self.values[name], name

    def _make_smaller(self, name: str, wanted: Reach) -> bool:
        """To about half; where that reaches too short, to three quarters, then to seven eighths."""
        present = self.values[name]
        others = [value for key, value in self.values.items() if key != name]
        for about in (present // 2, present * 3 // 4, present * 7 // 8):
            for size in (about | 1, about, *_multiples(about, others)):
                outcome = self._try(name, size, wanted)
                if outcome in ("taken", "saves little"):
                    return outcome == "taken"
                if outcome == "reaches too short":
                    break
        return False

    def _try(self, name: str, size: int, wanted: Reach) -> str:
        values = {**self.values, name: size}
        is_new = _MIN_SIZE <= size < self.values[name]
        work = self.knobs.work_at(values) if is_new and self.knobs.allows(values) else None
        if work is None:
            return "does not run"
        if work.seconds > _WORTH * self.work.seconds:
            return "saves little"
        if not work.reach.covers(wanted):
            return "reaches too short"
        self.values, self.work = values, work
        return "taken"


def _multiples(least: int, others: list[int]) -> list[int]:
    divisors = sorted({other for other in others if 1 < other <= 2 * least} | {2, 4, 8, 16, 32, 64})
    return list(dict.fromkeys(-(-least // divisor) * divisor for divisor in divisors))
