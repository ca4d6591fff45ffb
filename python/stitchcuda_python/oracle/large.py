# SPDX-License-Identifier: Apache-2.0
"""Outputs that are too large to be handed over: what is known of them stays where they lie, and a candidate's are
looked at there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from .evaluate import Runs, Values
from .places import opened, release_unused, write_ranges
from .tile_errors import TileErrors

MIN_BYTES = 16 << 20  # of an output that stays
MAX_TILES = 64  # handed over at a time
# How far the whole rule may look for errors beside a tile of few: kCompanyElements of src/verify/compare/constants.h.
COMPANY = 16 * 4096
# How many tiles around it, itself among them, say what its errors are like: kTypicalTiles there.
TYPICAL_TILES = 32

ErrorRuns = Callable[[], Iterator[tuple[str, Values]]]


def stays(native: torch.Tensor) -> bool:
    """Whether an output is looked at where it lies."""
    return native.is_floating_point() and native.numel() * native.element_size() >= MIN_BYTES


def large_depends_on_ties(runs: Runs) -> bool:
    """Whether some large output has another right value where decisions within rounding fall the other way: it is then
    handed over, since only src/verify/compare accepts either."""
    return any(
        not torch.equal(run[name], runs.ref64[name])
        for run in runs.otherwise
        for name, native in runs.native.items()
        if stays(native)
    )


class LargeOutputs:
    """Those of one draw. `error_runs` makes the draw's runs again, one at a time, whenever they are asked for."""

    def __init__(
        self, runs: Runs, error_runs: ErrorRuns, is_rounded: bool, input_eps: float, rounds_openly: bool = False
    ) -> None:
        self._runs, self._error_runs, self._rounds_openly = runs, error_runs, rounds_openly
        runs.otherwise = [{name: run[name] for name in run if not stays(runs.native[name])} for run in runs.otherwise]
        self._errors = {
            name: TileErrors(runs.ref64[name], native, input_eps, rounds_openly)
            for name, native in runs.native.items()
            if stays(native)
        }
        self._measure(is_rounded)

    def __contains__(self, name: str) -> bool:
        return name in self._errors

    def _measure(self, is_rounded: bool) -> None:
        """Takes every run once. `is_rounded`: in the modes that round operands the first perturbed run is the one that
        the second is compared with, else the native one is. What small outputs need of the runs is kept."""
        runs, perturbed = self._runs, 0
        others = [name for name in runs.native if name not in self._errors]
        has_own_fp32 = False
        made = self._error_runs()
        for key, values in made:
            if key == "native_fp32":
                has_own_fp32 = True
                runs.native_fp32 = {name: values[name] for name in others}
                self._take(values, is_base=True)
                continue
            if perturbed == 0 and key == "perturbed" and not has_own_fp32:
                self._take(runs.native, is_base=not is_rounded)
            group = runs.runs_tf32 if key == "tf32" else runs.runs
            group.append({name: values[name] for name in others})
            if key == "perturbed":
                is_base = is_rounded and perturbed == 0
                self._take(values, is_base=is_base, is_perturbed=not is_base)
                perturbed += 1
            elif key == "disturbed":
                self._take(values)
            elif key == "tf32":
                for name, errors in self._errors.items():
                    errors.take_coarser(values[name])
            del values
            release_unused()  # else memory holds what each run needed, all beside each other
        for errors in self._errors.values():
            errors.base_is_done()

    def _take(self, values: Values, is_base: bool = False, is_perturbed: bool = False) -> None:
        for name, errors in self._errors.items():
            errors.take(values[name], is_base, is_perturbed)

    def look_at(self, name: str, place: dict[str, Any], path: Callable[[str], str], whole: bool) -> dict[str, Any]:
        """What one output of a candidate, at `place`, looks like; with the references and the candidate's elements of
        the worst tiles in doubt in files, or, with `whole`, all of them."""
        errors, native = self._errors[name], self._runs.native[name]
        with opened(place, native) as got:
            doubt = errors.look_at(got)
            tiles = list(range(errors.tiling.count)) if whole else sorted(doubt.tiles[:MAX_TILES])
            answer = doubt.to_json() | {"tiles": [] if whole else tiles}
            if not tiles:
                return answer
            ranges = [(0, native.numel())] if whole else _joined(errors, tiles)
            answer["got"] = write_ranges(got, ranges, path("got"))
        return answer | self._references(name, ranges, path)

    def _references(self, name: str, ranges: list[tuple[int, int]], path: Callable[[str], str]) -> dict[str, Any]:
        """Files of the references in these ranges: the runs are made once more."""
        written: dict[str, Any] = {
            "kind": "float",
            "ref64": write_ranges(self._runs.ref64[name], ranges, path("ref64")),
            "native": write_ranges(self._runs.native[name], ranges, path("native")),
            "runs": [],
            "rounds_openly": self._rounds_openly,
        }
        for key, values in self._error_runs():
            if key == "native_fp32":
                written["native_fp32"] = write_ranges(values[name], ranges, path("native_fp32"))
                continue
            group = written.setdefault("runs_tf32" if key == "tf32" else "runs", [])
            kind = "tf32_" if key == "tf32" else "run_"
            group.append(write_ranges(values[name], ranges, path(f"{kind}{len(group)}")))
        if "runs_tf32" in written and "native_fp32" not in written:
            written["native_fp32"] = write_ranges(self._runs.native_fp32[name], ranges, path("native_fp32"))
        return written


def _joined(errors: TileErrors, tiles: list[int]) -> list[tuple[int, int]]:
    """The elements of these tiles and of their company, in ranges that do not overlap."""
    ranges: list[tuple[int, int]] = []
    tiling = errors.tiling
    for tile in tiles:
        begin, end = tiling.range(tile)
        around = max(0, min(tile - TYPICAL_TILES // 2, tiling.count - TYPICAL_TILES))
        first = min(max(0, begin - COMPANY), tiling.range(around)[0])
        last = min(tiling.count, around + TYPICAL_TILES) - 1
        last = max(min(tiling.elements, end + COMPANY), tiling.range(last)[1])
        if ranges and first <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((first, last))
    return ranges
