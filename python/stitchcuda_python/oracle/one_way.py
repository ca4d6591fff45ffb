# SPDX-License-Identifier: Apache-2.0
"""Errors of a 16-bit output that all go one way, or are too large together, where it lies: what is asked stands in
src/verify/compare/one_way_errors.h."""

from __future__ import annotations

from typing import Any

import torch

from .tiling import Piece, Tiling

# As in src/verify/compare/constants.h.
ONE_WAY_EPSILON, ONE_WAY_ELEMENTS = 1 / 1024, 256
ONE_WAY_ROUNDINGS, ONE_WAY_TILE, ONE_WAY_SPREADS, ONE_WAY_TYPICAL = 0.6, 2.0, 6.0, 8.0
TOGETHER_NATIVE, TOGETHER_RUNS, TOGETHER_ROUNDINGS = 3.0, 0.5, 0.6
MAX_ONE_WAY_COLUMNS = 4096
ERROR_MULTIPLE = 4.0

_SCALE, _OFFSET = 0, 1
_KINDS = ("scale", "offset")


def is_asked(dtype: torch.dtype) -> bool:
    """Whether outputs of this type are looked at."""
    return torch.finfo(dtype).eps >= ONE_WAY_EPSILON


def _finite(values: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.isfinite(values), values, 0.0)


class Parts:
    """Tiles or columns: how elements become a sum for each."""

    def __init__(self, name: str, count: int, device: torch.device, row: int = 0) -> None:
        self.name, self._count, self._device, self._row = name, count, device, row
        self.elements, self.squares = self.zeros(), self.zeros()  # of the right values
        self.runs: list[list[torch.Tensor]] = []  # of each run of the reference: sums of its errors

    def zeros(self) -> torch.Tensor:
        return torch.zeros(self._count, dtype=torch.float64, device=self._device)

    def add(self, kept: torch.Tensor, piece: Piece, values: torch.Tensor) -> None:
        """Adds `values`, one row a tile of the piece; 0 where nothing counts."""
        if self._row == 0:
            kept[piece.first : piece.last] += values.sum(1)
        else:
            kept += values.reshape(-1, self._row).sum(0)

    def add_errors(self, kept: list[torch.Tensor], piece: Piece, truth: torch.Tensor, errors: torch.Tensor) -> None:
        self.add(kept[_SCALE], piece, errors * _finite(truth))
        self.add(kept[_OFFSET], piece, errors)


class OneWayErrors:
    """Takes the tiles of every run of the reference, then those of a candidate's output."""

    def __init__(self, tiling: Tiling, eps: float, device: torch.device) -> None:
        self._tiling, self._eps = tiling, eps
        self._tiles = Parts("element", tiling.count, device)
        self._parts = [self._tiles]
        if 1 < tiling.row <= MAX_ONE_WAY_COLUMNS and tiling.elements // tiling.row >= ONE_WAY_ELEMENTS:
            self._parts.append(Parts("column", tiling.row, device, tiling.row))
        self._run_squares: list[float] = []  # of each run's errors; the native one's first

    def measure(self, piece: Piece, truth: torch.Tensor) -> None:
        """The right values of some tiles."""
        finite = torch.isfinite(truth)
        counted = finite if piece.valid is None else finite & piece.valid
        for parts in self._parts:
            parts.add(parts.elements, piece, counted.double())
            parts.add(parts.squares, piece, torch.where(counted, truth * truth, 0.0))

    def begin_run(self) -> None:
        """What take() gets from now on belongs to one more run."""
        for parts in self._parts:
            parts.runs.append([parts.zeros(), parts.zeros()])
        self._run_squares.append(0.0)

    def take(self, piece: Piece, truth: torch.Tensor, values: torch.Tensor) -> None:
        """Some tiles of the latest run."""
        errors = _counted(piece, values - truth)
        for parts in self._parts:
            parts.add_errors(parts.runs[-1], piece, truth, errors)
        self._run_squares[-1] += float(errors.square().sum())

    def look_at(self) -> Look:
        """For one candidate's output."""
        return Look(self)


def _counted(piece: Piece, errors: torch.Tensor) -> torch.Tensor:
    return _finite(errors) if piece.valid is None else torch.where(piece.valid, _finite(errors), 0.0)


def _relative(kind: int, sums: torch.Tensor, elements: torch.Tensor, squares: torch.Tensor) -> torch.Tensor:
    """Sums of errors as a relative scale or offset; 0 where nothing is there to be off."""
    size = squares if kind == _SCALE else (elements * squares).sqrt()
    return torch.where(size > 0, sums / size, 0.0)


class Look:
    """A candidate's output, tile by tile."""

    def __init__(self, whole: OneWayErrors) -> None:
        self._whole = whole
        self._candidate = [[parts.zeros(), parts.zeros()] for parts in whole._parts]
        self._spread = [[parts.zeros(), parts.zeros()] for parts in whole._parts]
        self._error_squares = 0.0

    def take(self, piece: Piece, truth: torch.Tensor, values: torch.Tensor, own: torch.Tensor) -> None:
        """`own`: the largest errors of the reference's runs."""
        whole, errors, right = self._whole, _counted(piece, values - truth), _finite(truth)
        self._error_squares += float(errors.square().sum())
        squared = torch.maximum(_finite(own), whole._eps * right.abs()).square()
        squared = _counted(piece, torch.where(torch.isfinite(truth), squared, 0.0))
        for parts, candidate, spread in zip(whole._parts, self._candidate, self._spread):
            parts.add_errors(candidate, piece, truth, errors)
            parts.add(spread[_SCALE], piece, squared * right * right)
            parts.add(spread[_OFFSET], piece, squared)

    def farthest(self) -> dict[str, Any] | None:
        """{ratio, kind, by, allowed, element, column}, the last two none for the whole output; None where little is
        there."""
        whole = self._whole
        if whole._tiling.elements < ONE_WAY_ELEMENTS or not whole._run_squares:
            return None
        found: dict[str, Any] = {"ratio": 0.0, "kind": "scale", "by": 0.0, "allowed": 0.0}
        found |= {"element": None, "column": None}
        for kind in (_SCALE, _OFFSET):
            self._compare(found, kind, None, *self._joined(kind), 0.0)
        for parts, candidate, spread in zip(whole._parts, self._candidate, self._spread):
            for kind in (_SCALE, _OFFSET):
                runs = [run[kind] for run in parts.runs]
                each = [_relative(kind, run, parts.elements, parts.squares) for run in runs]
                typical = float(torch.stack(each).square().mean().sqrt())
                self._compare(found, kind, parts.name, candidate[kind], spread[kind], runs, parts.elements,
                              parts.squares, ONE_WAY_TYPICAL * typical)  # fmt: skip
        if found["ratio"] <= 1:  # else that says more
            self._compare_together(found)
        return found

    def _compare_together(self, found: dict[str, Any]) -> None:
        whole = self._whole
        truth_squares = float(whole._tiles.squares.sum())
        if truth_squares <= 0:
            return
        by = (self._error_squares / truth_squares) ** 0.5
        runs = [(squares / truth_squares) ** 0.5 for squares in whole._run_squares]
        allowed = max(TOGETHER_NATIVE * runs[0], TOGETHER_RUNS * max(runs), TOGETHER_ROUNDINGS * whole._eps)
        if by / allowed > found["ratio"]:
            found |= {"ratio": by / allowed, "kind": "together", "by": by, "allowed": allowed}
            found |= {"element": None, "column": None}

    def _joined(self, kind: int) -> tuple[Any, ...]:
        """The sums of all tiles, as of one."""
        one = lambda values: values.sum().reshape(1)  # noqa: E731
        tiles = self._whole._tiles
        own = one(self._candidate[0][kind]), one(self._spread[0][kind]), [one(run[kind]) for run in tiles.runs]
        return *own, one(tiles.elements), one(tiles.squares)

    def _compare(self, found: dict[str, Any], kind: int, part: str | None, candidate: torch.Tensor,
                 spread: torch.Tensor, runs: list[torch.Tensor], elements: torch.Tensor, squares: torch.Tensor,
                 more: float) -> None:  # fmt: skip
        whole = self._whole
        relative = lambda sums: _relative(kind, sums, elements, squares)  # noqa: E731
        largest = torch.stack([relative(run).abs() for run in runs]).amax(0)
        rounded = 1.0 if part is None else ONE_WAY_TILE
        allowed = ONE_WAY_ROUNDINGS * whole._eps * rounded + ERROR_MULTIPLE * largest + more
        allowed = allowed + ONE_WAY_SPREADS * relative(spread.sqrt())
        by = relative(candidate)
        ratios = by.abs() / allowed
        worst = int(ratios.argmax())
        if float(ratios[worst]) > found["ratio"]:
            found |= {"ratio": float(ratios[worst]), "kind": _KINDS[kind], "by": float(by[worst])}
            found |= {"allowed": float(allowed[worst]), "element": None, "column": None}
            if part == "element":
                found["element"] = whole._tiling.range(worst)[0]
            elif part is not None:
                found["column"] = worst
