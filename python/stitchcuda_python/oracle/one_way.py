# SPDX-License-Identifier: Apache-2.0
"""Errors of a 16-bit output that all go one way, where it lies: what is asked stands in
src/verify/compare/one_way_errors.h."""

from __future__ import annotations

from typing import Any

import torch

from .tiling import Piece, Tiling

# As in src/verify/compare/constants.h.
ONE_WAY_EPSILON, ONE_WAY_ELEMENTS = 1 / 1024, 256
ONE_WAY_ROUNDINGS, ONE_WAY_TILE, ONE_WAY_SPREADS, ONE_WAY_TYPICAL = 0.6, 2.0, 6.0, 8.0
ERROR_MULTIPLE = 4.0

_SCALE, _OFFSET = 0, 1


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

    def take(self, piece: Piece, truth: torch.Tensor, values: torch.Tensor) -> None:
        """Some tiles of the latest run."""
        for kept, sums in zip(self._runs[-1], self._sums(piece, truth, values - truth)):
            kept[piece.first : piece.last] = sums

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

    def take(self, piece: Piece, truth: torch.Tensor, values: torch.Tensor, own: torch.Tensor) -> None:
        """`own`: the largest errors of the reference's runs."""
        whole, tiles = self._whole, slice(piece.first, piece.last)
        for kept, sums in zip(self._candidate, whole._sums(piece, truth, values - truth)):
            kept[tiles] = sums
        right = _finite(truth)
        squared = torch.maximum(_finite(own), whole._eps * right.abs()).square()
        squared = torch.where(torch.isfinite(truth), squared, 0.0)
        squared = squared if piece.valid is None else torch.where(piece.valid, squared, 0.0)
        self._spread[_SCALE][tiles] = (squared * right * right).sum(1)
        self._spread[_OFFSET][tiles] = squared.sum(1)

    def farthest(self) -> dict[str, Any] | None:
        """{ratio, is_offset, by, allowed, element}, `element` none for the whole output; None where little is there."""
        whole = self._whole
        if whole._tiling.elements < ONE_WAY_ELEMENTS or not whole._runs:
            return None
        found: dict[str, Any] = {"ratio": 0.0, "is_offset": False, "by": 0.0, "allowed": 0.0, "element": None}
        for kind in (_SCALE, _OFFSET):
            runs = [run[kind] for run in whole._runs]
            self._compare(found, kind, *self._joined(kind, runs), 1.0, 0.0)
            typical = torch.stack(
                [whole.relative(kind, run, whole._elements, whole._squares) for run in runs]
            ).square().mean().sqrt()  # fmt: skip
            each = self._candidate[kind], self._spread[kind], runs, whole._elements, whole._squares
            self._compare(found, kind, *each, ONE_WAY_TILE, ONE_WAY_TYPICAL * float(typical))
        return found

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
            found |= {"ratio": float(ratios[worst]), "is_offset": kind == _OFFSET, "by": float(by[worst])}
            found |= {"allowed": float(allowed[worst]), "element": element}
