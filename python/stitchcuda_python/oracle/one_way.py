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
ERROR_MULTIPLE = 4.0

_SCALE, _OFFSET = 0, 1
_KINDS = ("scale", "offset")


def is_asked(dtype: torch.dtype) -> bool:
    """Whether outputs of this type are looked at."""
    return torch.finfo(dtype).eps >= ONE_WAY_EPSILON


def _finite(values: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.isfinite(values), values, 0.0)


class OneWayErrors:
    """Takes the tiles of every run of the reference, then those of a candidate's output."""

    def __init__(self, tiling: Tiling, eps: float, device: torch.device) -> None:
        self._tiling, self._eps, self._device = tiling, eps, device
        self._elements, self._squares = self._zeros(), self._zeros()  # of the right values, by tile
        self._runs: list[list[torch.Tensor]] = []  # of each run: the sums of its errors by tile, as of _sums
        self._run_squares: list[float] = []  # of each run's errors; the native one's first

    def _zeros(self) -> torch.Tensor:
        return torch.zeros(self._tiling.count, dtype=torch.float64, device=self._device)

    def measure(self, piece: Piece, truth: torch.Tensor) -> None:
        """The right values of some tiles."""
        finite = torch.isfinite(truth)
        counted = finite if piece.valid is None else finite & piece.valid
        tiles = slice(piece.first, piece.last)
        self._elements[tiles] = counted.sum(1).double()
        self._squares[tiles] = torch.where(counted, truth * truth, 0.0).sum(1)

    def begin_run(self) -> None:
        """What take() gets from now on belongs to one more run."""
        self._runs.append([self._zeros(), self._zeros()])
        self._run_squares.append(0.0)

    def take(self, piece: Piece, truth: torch.Tensor, values: torch.Tensor) -> None:
        """Some tiles of the latest run."""
        for kept, sums in zip(self._runs[-1], self._sums(piece, truth, values - truth)):
            kept[piece.first : piece.last] = sums
        self._run_squares[-1] += self._squared(piece, values - truth)

    def _squared(self, piece: Piece, errors: torch.Tensor) -> float:
        errors = _finite(errors) if piece.valid is None else torch.where(piece.valid, _finite(errors), 0.0)
        return float(errors.square().sum())

    def _sums(self, piece: Piece, truth: torch.Tensor, errors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        errors = _finite(errors) if piece.valid is None else torch.where(piece.valid, _finite(errors), 0.0)
        return (errors * _finite(truth)).sum(1), errors.sum(1)

    def look_at(self) -> Look:
        """For one candidate's output."""
        return Look(self)

    def relative(self, kind: int, sums: torch.Tensor, elements: torch.Tensor, squares: torch.Tensor) -> torch.Tensor:
        """Sums of errors as a relative scale or offset; 0 where nothing is there to be off."""
        size = squares if kind == _SCALE else (elements * squares).sqrt()
        return torch.where(size > 0, sums / size, 0.0)


class Look:
    """A candidate's output, tile by tile."""

    def __init__(self, whole: OneWayErrors) -> None:
        self._whole = whole
        self._candidate = [whole._zeros(), whole._zeros()]
        self._spread = [whole._zeros(), whole._zeros()]
        self._error_squares = 0.0

    def take(self, piece: Piece, truth: torch.Tensor, values: torch.Tensor, own: torch.Tensor) -> None:
        """`own`: the largest errors of the reference's runs."""
        whole, tiles = self._whole, slice(piece.first, piece.last)
        for kept, sums in zip(self._candidate, whole._sums(piece, truth, values - truth)):
            kept[tiles] = sums
        self._error_squares += whole._squared(piece, values - truth)
        right = _finite(truth)
        squared = torch.maximum(_finite(own), whole._eps * right.abs()).square()
        squared = torch.where(torch.isfinite(truth), squared, 0.0)
        squared = squared if piece.valid is None else torch.where(piece.valid, squared, 0.0)
        self._spread[_SCALE][tiles] = (squared * right * right).sum(1)
        self._spread[_OFFSET][tiles] = squared.sum(1)

    def farthest(self) -> dict[str, Any] | None:
        """{ratio, kind, by, allowed, element}, `element` none for the whole output; None where little is there."""
        whole = self._whole
        if whole._tiling.elements < ONE_WAY_ELEMENTS or not whole._runs:
            return None
        found: dict[str, Any] = {"ratio": 0.0, "kind": "scale", "by": 0.0, "allowed": 0.0, "element": None}
        for kind in (_SCALE, _OFFSET):
            runs = [run[kind] for run in whole._runs]
            self._compare(found, kind, *self._joined(kind, runs), 1.0, 0.0)
            typical = torch.stack(
                [whole.relative(kind, run, whole._elements, whole._squares) for run in runs]
            ).square().mean().sqrt()  # fmt: skip
            each = self._candidate[kind], self._spread[kind], runs, whole._elements, whole._squares
            self._compare(found, kind, *each, ONE_WAY_TILE, ONE_WAY_TYPICAL * float(typical))
        if found["ratio"] <= 1:  # else that says more
            self._compare_together(found)
        return found

    def _compare_together(self, found: dict[str, Any]) -> None:
        whole = self._whole
        truth_squares = float(whole._squares.sum())
        if truth_squares <= 0:
            return
        by = (self._error_squares / truth_squares) ** 0.5
        runs = [(squares / truth_squares) ** 0.5 for squares in whole._run_squares]
        allowed = max(TOGETHER_NATIVE * runs[0], TOGETHER_RUNS * max(runs), TOGETHER_ROUNDINGS * whole._eps)
        if by / allowed > found["ratio"]:
            found |= {"ratio": by / allowed, "kind": "together", "by": by, "allowed": allowed, "element": None}

    def _joined(self, kind: int, runs: list[torch.Tensor]) -> tuple[Any, ...]:
        """The sums of all tiles, as of one."""
        one = lambda values: values.sum().reshape(1)  # noqa: E731
        whole = self._whole
        own = one(self._candidate[kind]), one(self._spread[kind]), [one(run) for run in runs]
        return *own, one(whole._elements), one(whole._squares)

    def _compare(self, found: dict[str, Any], kind: int, candidate: torch.Tensor, spread: torch.Tensor,
                 runs: list[torch.Tensor], elements: torch.Tensor, squares: torch.Tensor, rounded: float,
                 more: float) -> None:  # fmt: skip
        whole = self._whole
        relative = lambda sums: whole.relative(kind, sums, elements, squares)  # noqa: E731
        largest = torch.stack([relative(run).abs() for run in runs]).amax(0)
        allowed = ONE_WAY_ROUNDINGS * whole._eps * rounded + ERROR_MULTIPLE * largest + more
        allowed = allowed + ONE_WAY_SPREADS * relative(spread.sqrt())
        by = relative(candidate)
        ratios = by.abs() / allowed
        worst = int(ratios.argmax())
        if float(ratios[worst]) > found["ratio"]:
            element = None if rounded == 1.0 else whole._tiling.range(worst)[0]
            found |= {"ratio": float(ratios[worst]), "kind": _KINDS[kind], "by": float(by[worst])}
            found |= {"allowed": float(allowed[worst]), "element": element}
