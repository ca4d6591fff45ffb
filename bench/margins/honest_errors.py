# SPDX-License-Identifier: Apache-2.0
"""What honest arithmetic makes of a program, tile by tile, as multiples of the reference's own error: the same tiles,
runs and company of sparse tiles as src/verify/compare, over the oracle's own draws. Run as a program for one file:

    honest_errors.py FILE[:CLASS] [--seeds 0 1] [--draws 2] [--seconds 0.15]      one JSON object on standard output
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import pathlib
import sys
import tempfile
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import torch  # noqa: E402
from stitchcuda_python.oracle.arithmetic import Arithmetic  # noqa: E402
from stitchcuda_python.oracle.constants import REGIMES  # noqa: E402
from stitchcuda_python.oracle.disturb import Disturbance  # noqa: E402
from stitchcuda_python.oracle.native import tf32_flags  # noqa: E402
from stitchcuda_python.oracle.seeds import generator  # noqa: E402
from stitchcuda_python.oracle.session import Session  # noqa: E402
from stitchcuda_python.program.build import Request  # noqa: E402
from stitchcuda_python.shapes.small import DEFAULT_MIN_AXIS, small_scale  # noqa: E402

MIN_ELEMENTS, MAX_ELEMENTS, STEADY, COMPANY = 256, 4096, 64, 16 * 4096  # constants.h
MULTIPLE, ROUNDING = 4.0, 4.0
TYPICAL = 32
RUNS, FEW, LEAST_SPREAD, LONE_TAIL = 4, 32.0, 1 / 16, 1.2159
BEYOND = (2.0, 4.0, 8.0, 16.0)
STEP = 8  # terms that a product adds up before its one accumulator takes them, as tensor cores do


class InSteps(Arithmetic):
    """Products whose depth is taken in steps of STEP, one accumulator each."""

    def __init__(self) -> None:
        super().__init__(None, None)

    def contraction(self, product, left, right, length):  # noqa: ANN001, ANN201
        # Whichever axis `product` contracts: zeros elsewhere leave a step's own terms.
        axis = 1 if left.dim() == right.dim() and left.dim() > 2 else -1
        extent = left.shape[axis]
        if extent <= STEP or extent > 64 * STEP:
            return product(left, right)
        made = None
        for begin in range(0, extent, STEP):
            part, length_here = torch.zeros_like(left), min(STEP, extent - begin)
            part.narrow(axis, begin, length_here).copy_(left.narrow(axis, begin, length_here))
            made = product(part, right) if made is None else made + product(part, right)
        return made

    def matmul(self, left, right):  # noqa: ANN001, ANN201
        made, depth = None, left.shape[-1]
        for begin in range(0, depth, max(STEP, depth // 64)):
            end = min(begin + max(STEP, depth // 64), depth)
            part = torch.matmul(left[..., begin:end], right.narrow(-2 if right.dim() > 1 else 0, begin, end - begin))
            made = part if made is None else made + part
        return made


def tiles_of(shape: list[int]) -> list[tuple[int, int]]:
    """Begin and end of every tile, as Tiling cuts them; none for an output that is one small tile."""
    elements, length = math.prod(shape), shape[-1] if shape else 1
    if elements < MIN_ELEMENTS:
        return []
    if length > MAX_ELEMENTS:
        pieces = -(-length // MAX_ELEMENTS)
        rows = elements // length
        cut = [length * piece // pieces for piece in range(pieces + 1)]
        return [(row * length + a, row * length + b) for row in range(rows) for a, b in zip(cut, cut[1:])]
    size = -(-MIN_ELEMENTS // length) * length
    count = max(1, elements // size)
    return [(tile * size, elements if tile + 1 == count else (tile + 1) * size) for tile in range(count)]


class Budgets:
    """Of one output in one draw: per tile the reference's error and how many elements it is the largest of."""

    def __init__(self, reference: torch.Tensor, runs: list[torch.Tensor], dtype: torch.dtype) -> None:
        self.tiles = tiles_of(list(reference.shape))
        self.reference = reference.double().reshape(-1)
        self.epsilon = torch.finfo(dtype).eps
        errors = torch.stack([run.double().reshape(-1) - self.reference for run in runs])
        self.errors = torch.nan_to_num(errors, 0.0, 0.0, 0.0)
        errors = self.errors.abs().amax(0)
        parts = [errors[begin:end] for begin, end in self.tiles]
        self.own = [float(part.max()) for part in parts]
        self.erring = [int((part > 0).sum()) for part in parts]
        self.squares = [float(part.square().sum()) for part in parts]
        self.rms = [_rms(self.reference[begin:end]) for begin, end in self.tiles]
        self.fourth = [float(part.square().square().sum()) for part in parts]

    def steadied(self, tile: int) -> tuple[float, float]:
        """The tile's error and its effective number of elements, with the company that it needs."""
        own, erring, squares, fourth = self.own[tile], self.erring[tile], self.squares[tile], self.fourth[tile]
        elements, distance = self.tiles[tile][1] - self.tiles[tile][0], 0
        while erring < STEADY and elements < COMPANY and distance < len(self.tiles):
            distance += 1
            for other in (tile - distance, tile + distance):
                if 0 <= other < len(self.tiles):
                    own, erring = max(own, self.own[other]), erring + self.erring[other]
                    squares, fourth = squares + self.squares[other], fourth + self.fourth[other]
                    elements += self.tiles[other][1] - self.tiles[other][0]
        return own, squares * squares / fourth if fourth > 0 else 0.0

    def typical(self, tile: int) -> float:
        """What error is typical around the tile, at its size."""
        if len(self.tiles) <= TYPICAL:
            return 0.0
        first = min(max(tile - TYPICAL // 2, 0), len(self.tiles) - TYPICAL)
        around = range(first, first + TYPICAL)
        relative = sorted(self.own[other] / self.rms[other] if self.rms[other] > 0 else 0.0 for other in around)
        return relative[TYPICAL // 2] * self.rms[tile]

    @functools.cached_property
    def overlaps(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Of all tiles: the overlap of their runs and the squares of each run's errors, as in shared_errors.cc."""
        shares = torch.zeros(len(self.tiles), dtype=torch.float64)
        squares = torch.zeros(len(self.tiles), RUNS, dtype=torch.float64)
        for tile, (begin, end) in enumerate(self.tiles):
            runs = self.errors[:, begin:end]
            products = runs @ runs.T
            squares[tile] = products.diagonal()
            seen = possible = 0.0
            for a, b, c, d in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2)):
                seen += float(products[a, c] - products[a, d] - products[b, c] + products[b, d]) ** 2
                possible += float((squares[tile, a] + squares[tile, b]) * (squares[tile, c] + squares[tile, d]))
            shares[tile] = seen / possible if possible > 0 else 0.0
        return shares, squares

    @functools.cached_property
    def shared(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Of all tiles: how many independent numbers their errors are made of, and the spreads of the runs."""
        shares, squares = self.overlaps
        widest = squares.amax(1, keepdim=True)
        logs = torch.where(widest > 0, torch.maximum(squares, widest * 2.0**-20).log() / 2, 0.0)
        count = min(TYPICAL, len(self.tiles))
        tiles = torch.arange(len(self.tiles))
        around = (tiles - TYPICAL // 2).clamp(0, len(self.tiles) - count)[:, None] + torch.arange(count)
        most = torch.maximum(shares, shares[around].mean(1))
        mean = logs[around].mean(1)
        spreads = (mean - mean.amax(1, keepdim=True)).exp().clamp_min(LEAST_SPREAD)
        return 1 / most, torch.ones_like(spreads) if count < TYPICAL else spreads

    def ratios(self, got: torch.Tensor) -> Iterator[tuple[float, float, torch.Tensor]]:
        """Per tile: its largest error as a multiple of the reference's own, the numbers that this is the largest of
        (the effective number of elements, or the independent numbers if they are fewer), and the runs' spreads."""
        errors = (got.double().reshape(-1) - self.reference).abs()
        numbers, spreads = self.shared if self.tiles else (None, None)
        for tile, (begin, end) in enumerate(self.tiles):
            reference = self.reference[begin:end]
            finite = torch.isfinite(reference)
            if not bool(finite.any()):
                continue
            own, effective = self.steadied(tile)
            rounding = ROUNDING * self.epsilon * reference.abs().clamp_min(self.rms[tile])[finite]
            ratio = _largest(MULTIPLE * errors[begin:end][finite] / (MULTIPLE * own + rounding))
            if ratio > MULTIPLE and own > 0:
                own = max(own, self.typical(tile))
                ratio = _largest(MULTIPLE * errors[begin:end][finite] / (MULTIPLE * own + rounding))
            by_elements = effective < FEW
            yield ratio, min(effective, float(numbers[tile])), torch.ones(RUNS) if by_elements else spreads[tile]


def chances(ratio: torch.Tensor, spreads: torch.Tensor) -> torch.Tensor:
    """chance_beyond() of lone_tiles.cc, of many tiles."""
    x = (torch.arange(128).double() + 0.5) * (8 / 128)
    density = 2 * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi) * (8 / 128)
    limits = x[:, None] / (ratio[:, None, None] * spreads[:, None, :]) / math.sqrt(2)
    integral = (density * torch.erf(limits).prod(2)).sum(1)
    bound = LONE_TAIL / (ratio[:, None] * spreads).prod(1)
    return torch.where(ratio * spreads.amin(1) > 16, bound, torch.minimum(bound, integral))


def summary(tiles: list[tuple[float, float, torch.Tensor]]) -> dict:
    """Of the tiles of one output in one draw: [ratio, numbers] of each; of those of few numbers the chances of the
    ones beyond MULTIPLE, and how many are beyond each of BEYOND, beside what the chances say."""
    few = [(ratio, spreads) for ratio, numbers, spreads in tiles if numbers < FEW]
    row = {"tiles": [[round(ratio, 3), round(min(numbers, 9999.0), 1)] for ratio, numbers, _ in tiles]}
    if not few:
        return row | {"few": 0, "chances": [], "seen": [0] * len(BEYOND), "expected": [0.0] * len(BEYOND)}
    ratios = torch.tensor([ratio for ratio, _ in few]).double()
    spreads = torch.stack([each.double() for _, each in few])
    beyond = ratios > MULTIPLE
    return row | {
        "few": len(few),
        "chances": sorted(chances(ratios[beyond], spreads[beyond]).tolist()) if bool(beyond.any()) else [],
        "seen": [int((ratios > multiple).sum()) for multiple in BEYOND],
        "expected": [float(chances(torch.full_like(ratios, multiple), spreads).sum()) for multiple in BEYOND],
    }


def _rms(values: torch.Tensor) -> float:
    finite = values[torch.isfinite(values)]
    return float(finite.square().mean().sqrt()) if finite.numel() else 0.0


def _largest(ratios: torch.Tensor) -> float:
    return float(torch.nan_to_num(ratios, 0.0, 0.0, 0.0).max())


def candidates(session: Session, values: dict, *name: object) -> Iterator[tuple[str, dict]]:
    run = session._evaluator.interpreter.run
    noise = generator("cpu", *name, "another kernel")
    yield "a plain loop", run(values, substitute=Disturbance(Arithmetic(noise, None)))
    yield "in steps", run(values, substitute=Disturbance(InSteps()))


def rows_of(session: Session, seed: int, draws: int) -> Iterator[dict]:
    for regime in REGIMES:
        for number in range(draws):
            drawn = session._drawer.draw(seed, regime, number)
            runs, _reason = session._try(drawn)
            if runs is None:
                continue
            session._evaluator.add_error_runs(runs, drawn, seed, regime, number)
            values = session._drawer.graph_values(drawn)
            budgets = {
                name: Budgets(runs.ref64[name], [runs.native[name], *(run[name] for run in runs.runs)], made.dtype)
                for name, made in runs.native.items()
                if made.is_floating_point() and made.numel() >= MIN_ELEMENTS
            }
            with tf32_flags("fp32"):
                for kernel, made in candidates(session, values, seed, regime, number):
                    for name, budget in budgets.items():
                        row = {"seed": seed, "regime": regime, "draw": number, "kernel": kernel, "output": name}
                        yield row | summary(list(budget.ratios(made[name])))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.15)
    options = parser.parse_args()
    torch.set_num_threads(1)
    file, _, target = options.file.partition(":")
    request = Request(file, target or None)
    sizes = small_scale(request, options.seconds, DEFAULT_MIN_AXIS)
    overrides, shapes = sizes.get("overrides") or {}, sizes.get("input_shapes")
    request = Request(file, target or None, overrides=overrides, input_shapes=shapes)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in options.seeds:
            rows += rows_of(Session(request, "fp32", seed, "cpu", folder), seed, options.draws)
    print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
