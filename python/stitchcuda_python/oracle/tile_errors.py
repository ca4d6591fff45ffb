# SPDX-License-Identifier: Apache-2.0
"""What the reference's own runs err by, tile by tile, and which tiles of a candidate's output are in doubt: the part of
src/verify/compare that can be done where a large output lies. What is in doubt is judged there, by the whole rule."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from typing import Any

import torch

from .nearness import Nearness
from .one_way import OneWayErrors, is_asked
from .small_numbers import find_lost
from .tiling import Piece, Tiling

# As in src/verify/compare/constants.h.
ERROR_MULTIPLE = 4.0
ROUNDING_MULTIPLE = 4.0
CONDITION_ERROR_MULTIPLE = 4.0
CONDITION_ROUNDING_MULTIPLE = 1024.0
# Of the four times the reference's own error that are allowed: a tile within this is right by the whole rule, which
# only ever allows more than a tile's own errors do.
CERTAIN = 2.0
_AT_ONCE = 1 << 24  # elements

_FRACTION_BITS, _EXPONENT_MASK, _BIAS = 52, 0x7FF, 1023  # of a double
_BUCKETS, _FIRST_BUCKET = 1 + 16 * 70, (1023 - 6) * 16  # of UlpHistogram


def _overflowed(reference: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The true values as `dtype` would hold those that are out of its range."""
    info = torch.finfo(dtype)
    if info.max == torch.finfo(torch.float64).max:
        return reference
    half_unit = 2.0 ** (frexp(info.max)[1] - 1) * info.eps / 2
    beyond = reference.abs() >= info.max + half_unit
    return torch.where(beyond, torch.copysign(torch.full_like(reference, float("inf")), reference), reference)


def _largest(errors: torch.Tensor) -> torch.Tensor:
    """The largest finite one of each row; 0 where there is none."""
    return torch.where(torch.isfinite(errors), errors, 0.0).amax(1)


def _same_pattern(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    finite = torch.isfinite(left)
    alike = (left == right) | (left.isnan() & right.isnan())
    return torch.where(finite, torch.isfinite(right), alike)


@dataclass
class Doubt:
    """What a look at a whole output gave: sums for the report, and the tiles in doubt, worst first."""

    elements: int
    ill_conditioned: int
    max_ratio: float  # of the tiles that are not in doubt
    error_sum: float
    own_error_sum: float
    kernelbench_rule_ok: bool
    ulps: list[list[int]]  # [bucket, count]
    ulp_max: float
    lost: dict[str, Any] | None  # small numbers that have no right digit; see small_numbers.py
    one_way: dict[str, Any] | None  # errors that go one way, of a 16-bit output; see one_way.py
    tiles: list[int]

    def to_json(self) -> dict[str, Any]:
        """All but the tiles."""
        return {key: value for key, value in vars(self).items() if key != "tiles"} | {"in_doubt": len(self.tiles)}


class TileErrors:
    """Takes the runs of the reference one after the other, so that each may be thrown away; afterwards any number of
    candidates' outputs can be looked at. Keeps `reference` (fp64) and `native` (the run in the mode's own flags)."""

    def __init__(
        self, reference: torch.Tensor, native: torch.Tensor, input_eps: float, rounds_openly: bool = False
    ) -> None:
        self._dtype = native.dtype
        self._reference, self._native = reference.reshape(-1), native.reshape(-1)
        self.tiling = Tiling(tuple(reference.shape))
        self._eps = torch.finfo(self._dtype).eps
        self._unit = max(self._eps, input_eps)
        zeros = lambda: torch.zeros(self.tiling.count, dtype=torch.float64, device=reference.device)  # noqa: E731
        self._rms, self._magnitude, self._own, self._base_error = zeros(), zeros(), zeros(), zeros()
        self._own_each = torch.zeros(self._reference.shape, dtype=torch.bfloat16, device=reference.device)
        self._unsteady = torch.zeros(self._reference.shape, dtype=torch.bool, device=reference.device)
        self._base: torch.Tensor | None = None
        # Errors of runs in coarser arithmetic that the mode accepts, where there are such; own errors among them.
        self._coarse_each: torch.Tensor | None = None
        self._coarse_own = zeros()
        self._nearness = None if rounds_openly else Nearness(native)
        is_coarse = is_asked(self._dtype)
        self._one_way = OneWayErrors(self.tiling, self._eps, reference.device) if is_coarse else None
        for piece in self._pieces():
            self._measure_reference(piece)

    def _pieces(self) -> Any:
        return self.tiling.pieces(self._reference.device)

    def _truth(self, piece: Piece) -> torch.Tensor:
        return _overflowed(piece.of(self._reference), self._dtype)

    def _measure_reference(self, piece: Piece) -> None:
        truth = self._truth(piece)
        finite = torch.isfinite(truth)
        counted = finite if piece.valid is None else finite & piece.valid
        squares = torch.where(counted, truth * truth, 0.0).sum(1)
        magnitude = torch.where(finite, truth.abs(), 0.0).amax(1)
        rms = (squares / counted.sum(1).clamp_min(1)).sqrt()
        tiles = slice(piece.first, piece.last)
        self._rms[tiles] = torch.where(torch.isfinite(rms), rms, magnitude)
        self._magnitude[tiles] = magnitude
        if self._one_way is not None:
            self._one_way.measure(piece, truth)

    def take(self, run: torch.Tensor, is_base: bool = False, is_perturbed: bool = False) -> None:
        """One more run that measures the reference's error. `is_base`: the one that perturbed runs, which come after
        it, are compared with; it is kept for them until base_is_done()."""
        run = run.reshape(-1)
        if is_base:
            self._base = run
        self._take_one_way(run)
        for piece in self._pieces():
            tiles = slice(piece.first, piece.last)
            truth, values = self._truth(piece), piece.of(run).double()
            errors = (values - truth).abs()
            largest = _largest(errors)
            self._own[tiles] = torch.maximum(self._own[tiles], largest)
            if is_base:
                self._base_error[tiles] = largest
            if piece.valid is None:
                flat = slice(piece.begin, piece.begin + errors.numel())
                own = self._own_each[flat]
                torch.maximum(own, errors.reshape(-1).to(own.dtype), out=own)
                if is_base or is_perturbed:
                    self._unsteady[flat] |= self._moved(piece, truth, values, is_perturbed).reshape(-1)
                continue
            places = piece.once(piece.places)
            self._own_each[places] = torch.maximum(self._own_each[places], piece.once(errors).to(torch.bfloat16))
            if is_base or is_perturbed:
                self._unsteady[places] |= piece.once(self._moved(piece, truth, values, is_perturbed))

    def _take_one_way(self, run: torch.Tensor) -> None:
        if self._one_way is None:
            return
        self._one_way.begin_run()
        for piece in self._pieces():
            self._one_way.take(piece, self._truth(piece), piece.of(run).double())

    def take_coarser(self, run: torch.Tensor) -> None:
        """A run of the coarser arithmetic that the mode accepts of the baseline: its errors are a budget of their own,
        and say how well small numbers are known. It comes after all others."""
        if self._coarse_each is None:
            self._coarse_each = self._own_each.clone()
            self._widen_coarse(self._native)
        self._widen_coarse(run.reshape(-1))
        self._take_one_way(run.reshape(-1))
        if self._nearness is not None:
            self._nearness.take(run)
        for begin, values, truth in self._flat(run):
            own = self._coarse_each[begin : begin + values.numel()]
            torch.maximum(own, (values - truth).abs().to(own.dtype), out=own)

    def _widen_coarse(self, run: torch.Tensor) -> None:
        for piece in self._pieces():
            tiles = slice(piece.first, piece.last)
            largest = _largest((piece.of(run).double() - self._truth(piece)).abs())
            self._coarse_own[tiles] = torch.maximum(self._coarse_own[tiles], largest)

    def _flat(self, values: torch.Tensor) -> Any:
        """The number of the first element, the values and the right ones of parts that a GPU holds as doubles."""
        flat = values.reshape(-1)
        for begin in range(0, flat.numel(), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            yield begin, flat[part].double(), _overflowed(self._reference[part], self._dtype)

    def _known_by(self) -> torch.Tensor:
        return self._own_each if self._coarse_each is None else self._coarse_each

    def _find_lost(self, got: torch.Tensor) -> dict[str, Any] | None:
        known_by = self._known_by()

        def pieces() -> Any:
            for begin, values, truth in self._flat(got):
                yield begin, truth, values, known_by[begin : begin + values.numel()].double()

        return find_lost(pieces, self._eps)

    def _moved(self, piece: Piece, truth: torch.Tensor, values: torch.Tensor, is_perturbed: bool) -> torch.Tensor:
        """Where one unit in the last place of the inputs decides about an element."""
        if not is_perturbed:
            return ~_same_pattern(values, truth)
        base = piece.of(self._base).double()
        tiles = slice(piece.first, piece.last)
        scale = torch.fmax(truth.abs(), self._rms[tiles, None])
        bound = (
            CONDITION_ERROR_MULTIPLE * self._base_error[tiles, None]
            + CONDITION_ROUNDING_MULTIPLE * self._unit * scale
        )
        too_far = torch.isfinite(base) & ~((values - base).abs() <= bound)
        return ~_same_pattern(values, base) | too_far

    def base_is_done(self) -> None:
        """No more perturbed runs."""
        self._base = None

    def look_at(self, got: torch.Tensor) -> Doubt:
        """A candidate's output of the same shape and type."""
        got = got.reshape(-1)
        device = got.device
        ratios = torch.zeros(self.tiling.count, dtype=torch.float64, device=device)
        sums = torch.zeros(3, dtype=torch.float64, device=device)  # of errors, of own errors, the largest in units
        counts = torch.zeros(_BUCKETS, dtype=torch.int64, device=device)
        close = torch.ones((), dtype=torch.bool, device=device)
        one_way = self._one_way.look_at() if self._one_way is not None else None
        for piece in self._pieces():
            truth, values = self._truth(piece), piece.of(got).double()
            tiles = slice(piece.first, piece.last)
            ratios[tiles] = self._ratio(tiles, truth, values, self._own)
            close &= self._is_close(piece, values)
            self._observe(piece, truth, values, sums, counts)
            if one_way is not None:
                one_way.take(piece, truth, values, piece.of(self._known_by()).double())
        if self._is_coarse(ratios, got, bool(close)):
            ratios = self._coarse_ratios(got)
        in_doubt = ~(ratios <= CERTAIN)
        tiles = torch.nonzero(in_doubt).reshape(-1)
        worst_first = tiles[torch.argsort(ratios[tiles], descending=True)]
        certain = torch.where(in_doubt, 0.0, ratios)
        filled = torch.nonzero(counts).reshape(-1).tolist()
        return Doubt(
            elements=self.tiling.elements,
            ill_conditioned=int(self._unsteady.sum()),
            max_ratio=float(certain.max()),
            error_sum=float(sums[0]),
            own_error_sum=float(sums[1]),
            kernelbench_rule_ok=bool(close),
            ulps=[[bucket, int(counts[bucket])] for bucket in filled],
            ulp_max=float(sums[2]),
            lost=self._find_lost(got),
            one_way=one_way.farthest() if one_way is not None else None,
            tiles=worst_first.tolist(),
        )

    def _is_coarse(self, ratios: torch.Tensor, got: torch.Tensor, is_close: bool) -> bool:
        """Whether an output that is not certain by the budget of its tiles is so by that of coarser runs."""
        if self._coarse_each is None or bool((ratios <= CERTAIN).all()):
            return False
        if bool((self._coarse_ratios(got) > CERTAIN).any()):
            return False
        return is_close or self._nearness is None or self._nearness.holds(got)

    def _coarse_ratios(self, got: torch.Tensor) -> torch.Tensor:
        ratios = torch.zeros_like(self._coarse_own)
        for piece in self._pieces():
            tiles = slice(piece.first, piece.last)
            values = piece.of(got).double()
            ratios[tiles] = self._ratio(tiles, self._truth(piece), values, self._coarse_own)
        return ratios

    def _ratio(self, tiles: slice, truth: torch.Tensor, values: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """The largest error of each tile as a multiple of the reference's `own`; infinite where a pattern differs."""
        scale = torch.fmax(truth.abs(), self._rms[tiles, None])
        tolerance = ERROR_MULTIPLE * own[tiles, None] + ROUNDING_MULTIPLE * self._eps * scale
        errors = (values - truth).abs()
        ratio = torch.where(errors == 0, 0.0, ERROR_MULTIPLE * errors / tolerance)
        ratio = torch.where(torch.isfinite(truth) & torch.isfinite(values), ratio, float("inf"))
        alike = ~torch.isfinite(truth) & _same_pattern(values, truth)
        return torch.where(alike, 0.0, ratio).amax(1)

    def _is_close(self, piece: Piece, values: torch.Tensor) -> torch.Tensor:
        """KernelBench's own rule."""
        native = piece.of(self._native).double()
        tolerance = 1e-2 if self._dtype in (torch.float16, torch.bfloat16) else 1e-4
        close = torch.isfinite(native) & ((values - native).abs() <= tolerance + tolerance * native.abs())
        return (close | (values == native)).all()

    def _observe(
        self, piece: Piece, truth: torch.Tensor, values: torch.Tensor, sums: torch.Tensor, counts: torch.Tensor
    ) -> None:
        errors = (values - truth).abs()
        finite = torch.isfinite(errors)
        unit = self._units(truth)
        own = torch.fmax(torch.nan_to_num(piece.of(self._own_each).double(), posinf=0.0), unit / 2)
        ulps = torch.where(finite, errors / unit, 0.0)
        sums[2] = torch.maximum(sums[2], ulps.max())
        if piece.valid is not None:
            finite = finite & piece.valid
        sums[0] += torch.where(finite, errors, 0.0).sum()
        sums[1] += torch.where(finite, own, 0.0).sum()
        buckets = ((ulps.view(torch.int64) >> 48) - _FIRST_BUCKET + 1).clamp(0, _BUCKETS - 1)
        counts += torch.bincount(buckets[finite], minlength=_BUCKETS)

    def _units(self, truth: torch.Tensor) -> torch.Tensor:
        """Spacing of the type's numbers around each true value, by the exponent in its representation."""
        info = torch.finfo(self._dtype)
        fraction, least = -_exponent(info.eps), _exponent(info.tiny)
        stored = ((truth.view(torch.int64) >> _FRACTION_BITS) & _EXPONENT_MASK).clamp_min(least + _BIAS)
        return ((stored - fraction).clamp_min(1) << _FRACTION_BITS).view(torch.float64)


def _exponent(number: float) -> int:
    """Of a power of two."""
    return frexp(number)[1] - 1
