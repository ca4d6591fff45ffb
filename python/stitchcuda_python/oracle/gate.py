# SPDX-License-Identifier: Apache-2.0
"""The gate: the imported graph, interpreted by PyTorch, must equal the eager module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from ..failures import PROGRAM_INVALID, Failure
from ..graph.functional import OUTPUT, FunctionalProgram
from .constants import GATE_EPS, GATE_TOLERANCE


_ELEMENTS_AT_ONCE = 1 << 24


@dataclass(frozen=True)
class GateResult:
    """`max_ratio` is the largest difference as a multiple of what is allowed; `worst` names the value it is in."""

    ok: bool
    max_ratio: float
    worst: str

    def to_json(self) -> dict[str, object]:
        """The wire form; an infinite ratio is told as 1e30, since JSON has no infinity."""
        return {"ok": self.ok, "max_ratio": min(self.max_ratio, 1e30), "worst": self.worst}


def compare_with_eager(graph: dict[str, torch.Tensor], eager: dict[str, torch.Tensor]) -> GateResult:
    """Compares values by name. Integers and booleans must be equal; non-finite floats must agree in kind and place."""
    ratios = {name: _ratio(graph[name], eager[name]) for name in eager}
    worst = max(ratios, key=lambda name: ratios[name])
    return GateResult(ratios[worst] <= 1.0, ratios[worst], worst)


def refuse_unjudgeable(
    program: FunctionalProgram, eager: dict[str, torch.Tensor], again: dict[str, torch.Tensor], file: str
) -> None:
    """Raises a Failure where eager itself gives no answer to compare with: another one at each call (`again`), or no
    number at all."""
    name = os.path.basename(file)
    if not compare_with_eager(again, eager).ok:
        message = f"{name} computes something else each time it is called with the same inputs."
        remedy = "Take clocks, Python's and NumPy's random numbers out of forward; PyTorch's own are understood."
        raise Failure(PROGRAM_INVALID, message, file, remedy)
    outputs = [eager[output.value] for output in program.outputs if output.role == OUTPUT]
    if outputs and all(item.is_floating_point() and not bool(torch.isfinite(item).any()) for item in outputs):
        message = f"{name} gives nothing but NaN and infinity on the inputs that it draws itself."
        raise Failure(PROGRAM_INVALID, message, file, "Draw inputs in get_inputs() on which forward has a value.")


def _ratio(got: torch.Tensor, expected: torch.Tensor) -> float:
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return float("inf")
    if got.numel() == 0:
        return 0.0
    if not expected.is_floating_point():
        return 0.0 if bool((got == expected).all()) else float("inf")
    tolerance = max(GATE_TOLERANCE, GATE_EPS * torch.finfo(expected.dtype).eps if expected.element_size() == 2 else 0.0)
    got, expected = got.reshape(-1), expected.reshape(-1)
    rms, agree = _root_mean_square(got, expected)
    if not agree:
        return float("inf")
    ratio = max(_slice_ratio(*pair, tolerance, rms) for pair in _slices(got, expected))
    return ratio if ratio == ratio else float("inf")


def _slices(got: torch.Tensor, expected: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Both in fp64, a part at a time: all at once they take several times the memory of a large output."""
    for begin in range(0, expected.numel(), _ELEMENTS_AT_ONCE):
        end = begin + _ELEMENTS_AT_ONCE
        yield got[begin:end].double(), expected[begin:end].double()


def _root_mean_square(got: torch.Tensor, expected: torch.Tensor) -> tuple[float, bool]:
    """Of what is finite in `expected`; and whether both agree about what is not."""
    squares, count = 0.0, 0
    for ours, theirs in _slices(got, expected):
        finite = torch.isfinite(theirs)
        if not bool(torch.equal(torch.nan_to_num(ours[~finite]), torch.nan_to_num(theirs[~finite]))):
            return 0.0, False
        squares += float(torch.where(finite, theirs, 0.0).square().sum())
        count += int(finite.sum())
    return (squares / max(count, 1)) ** 0.5, True


def _slice_ratio(got: torch.Tensor, expected: torch.Tensor, tolerance: float, rms: float) -> float:
    finite = torch.isfinite(expected)
    got, expected = torch.where(finite, got, 0.0), torch.where(finite, expected, 0.0)
    allowed = tolerance * expected.abs().clamp_min(rms)
    return float(torch.where(got == expected, 0.0, (got - expected).abs() / allowed).max())
