#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far apart right and wrong arithmetic are, for each math mode and storage type: the largest error of the worst
arithmetic that a mode accepts, and of the best that it forbids, as multiples of the reference's own error (4 accepted).
The rules are those of a tile's budget, of 16-bit outputs of errors that go one way, and in mode kernelbench of how near
all elements of a regime's draws are to the baseline's; draws are the oracle's.

    bench/margins/arithmetics.py [--draws 2] [--seed 0] [--only PART]... [--table bench/results/arithmetics.md]
"""
from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import torch  # noqa: E402
from honest_errors import Arithmetic, Budgets, Disturbance, InSteps  # noqa: E402
from honest_errors import MIN_ELEMENTS, MULTIPLE, REGIMES, Request  # noqa: E402
from honest_errors import Session, generator, tf32_flags  # noqa: E402
from stitchcuda_python.oracle.evaluate import Runs  # noqa: E402
from stitchcuda_python.oracle.rounding import LibraryRounding  # noqa: E402
from stitchcuda_python.oracle.tile_errors import TileErrors  # noqa: E402

KERNELBENCH = 1e-4
Rounding = Callable[[torch.Tensor], torch.Tensor]

PRODUCTS = {
    "linear": ("self.first(x)", "self.first = nn.Linear(256, 96)"),
    "two layers": ("self.second(F.gelu(self.first(x)))",
                   "self.first, self.second = nn.Linear(256, 96), nn.Linear(96, 64)"),
    "attention": ("F.scaled_dot_product_attention(*[x.view(4, 16, 256)] * 2, self.first(x).view(4, 16, 96))",
                  "self.first = nn.Linear(256, 96)"),
    "norm and linear": ("self.first(F.layer_norm(x, (256,)))", "self.first = nn.Linear(256, 96)"),
}  # fmt: skip
CONVOLUTIONS = {
    "convolution": ("self.first(x)", "self.first = nn.Conv2d(16, 24, 3)"),
    "convolution, norm, pool": ("F.max_pool2d(F.relu(self.norm(self.first(x))), 2)",
                                "self.first, self.norm = nn.Conv2d(16, 24, 3), nn.BatchNorm2d(24)"),
    "two convolutions": ("self.second(F.gelu(self.first(x)))",
                         "self.first, self.second = nn.Conv2d(16, 24, 3), nn.Conv2d(24, 16, 3)"),
    "transposed": ("self.first(x)", "self.first = nn.ConvTranspose2d(16, 24, 3, stride=2)"),
}  # fmt: skip
BEHIND = {
    "convolution, linear": ("self.second(self.first(x).flatten(2))",
                            "self.first, self.second = nn.Conv2d(16, 24, 3), nn.Linear(100, 64)"),
}  # fmt: skip
SOURCE = """
import torch
import torch.nn as nn
import torch.nn.functional as F
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}
        self.to(torch.{dtype})
    def forward(self, x):
        return {forward}
def get_inputs():
    return [torch.randn({shape}, dtype=torch.{dtype})]
def get_init_inputs():
    return []
"""


def bits(count: int, cuts: bool = False) -> Rounding:
    """To `count` explicit mantissa bits of fp32, to nearest even or cut off."""

    def rounded(tensor: torch.Tensor) -> torch.Tensor:
        drop = 23 - count
        raw = tensor.float().contiguous().view(torch.int32)
        even = 0 if cuts else (1 << (drop - 1)) - 1 + ((raw >> drop) & 1)
        kept = ((raw + even) & ~((1 << drop) - 1)).view(torch.float32)
        return torch.where(torch.isfinite(tensor), kept, tensor.float()).to(tensor.dtype)

    return rounded


def terms(count: int, each: int = 7) -> Rounding:
    """The sum of so many terms of `each` mantissa bits."""

    def rounded(tensor: torch.Tensor) -> torch.Tensor:
        total, left = torch.zeros_like(tensor), tensor
        for _ in range(count):
            term = bits(each)(left)
            total, left = total + term, left - term
        return total

    return rounded


def int8(tensor: torch.Tensor) -> torch.Tensor:
    """255 steps for each row."""
    step = tensor.abs().amax(-1, keepdim=True).clamp_min(1e-30) / 127
    return (tensor / step).round() * step


def half(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.half().to(tensor.dtype)


class HalfSums(Arithmetic):
    """Products whose one accumulator is half, eight terms at a time."""

    def __init__(self) -> None:
        super().__init__(None, None)

    def matmul(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        made = None
        for begin in range(0, left.shape[-1], 8):
            end = min(begin + 8, left.shape[-1])
            part = torch.matmul(left[..., begin:end], right.narrow(-2 if right.dim() > 1 else 0, begin, end - begin))
            made = half(part if made is None else made + part)
        return made

    def contraction(self, product, left, right, length):  # noqa: ANN001, ANN201
        return half(product(left, right))


def operands(rounding: Rounding) -> Callable[[torch.Generator], Arithmetic]:
    return lambda _: Arithmetic(None, rounding)


class OfLibrary(LibraryRounding):
    """Of convolutions that the baseline's library rounds to TF32, another rounding."""

    def __init__(self, rounding: Rounding) -> None:
        super().__init__()
        self.rounding = rounding

    def __call__(self, tensor: torch.Tensor) -> torch.Tensor:
        return self.rounding(tensor)


def of_library(rounding: Rounding, disturbs: bool = False) -> Callable[[torch.Generator], Arithmetic]:
    return lambda noise: Arithmetic(noise if disturbs else None, None, OfLibrary(rounding))


KINDS = ("accepted", "forbidden", "neither")
LOOP = ("one accumulator, in a row", lambda noise: Arithmetic(noise, None))
STEPS = ("in steps of eight", lambda _: InSteps())
# Mode, storage: what is accepted, what is forbidden, what is neither: not promised, and not always refused.
CASES: dict[tuple[str, str], tuple[list, list, list]] = {
    ("fp32", "float32"): (
        [LOOP, STEPS, ("three terms of TF32", operands(terms(3, 10))), ("three terms of bfloat16", operands(terms(3)))],
        [("two terms of bfloat16", operands(terms(2))), ("TF32", operands(bits(10))), ("half", operands(half)),
         ("bfloat16", operands(bits(7)))],
        [],
    ),
    ("tf32", "float32"): (
        [LOOP, ("TF32", operands(bits(10)))],
        [("eight bits", operands(bits(8))), ("bfloat16", operands(bits(7))), ("int8", operands(int8))],
        [("TF32, cut off", operands(bits(10, cuts=True)))],
    ),
    ("reduced", "float32"): (
        [LOOP, ("TF32", operands(bits(10))), ("half", operands(half))],
        [("bfloat16", operands(bits(7))), ("five bits", operands(bits(5))), ("int8", operands(int8))],
        [],
    ),
    ("fp32", "float16"): (
        [LOOP, STEPS],
        [("bfloat16", operands(bits(7))), ("five bits", operands(bits(5))), ("int8", operands(int8))],
        [("sums in half", lambda _: HalfSums())],
    ),
    ("fp32", "bfloat16"): (
        [LOOP, STEPS],
        [("five bits", operands(bits(5))), ("int8", operands(int8)), ("three bits (E4M3)", operands(bits(3)))],
        [("six bits", operands(bits(6)))],
    ),
    ("fp32", "float64"): (
        [LOOP, STEPS],
        [("float32", operands(lambda each: each.float().double()))],
        [],
    ),
    ("kernelbench", "float32"): (
        [LOOP, ("TF32", of_library(bits(10))),
         ("TF32, one accumulator, in a row", of_library(bits(10), disturbs=True))],
        [("eight bits", of_library(bits(8))), ("bfloat16", of_library(bits(7))), ("int8", of_library(int8))],
        [("TF32, cut off", of_library(bits(10, cuts=True)))],
    ),
    ("kernelbench, a product behind a convolution", "float32"): (
        [LOOP, ("TF32 in the convolution", of_library(bits(10)))],
        [("TF32 in both", operands(bits(10))), ("bfloat16 in both", operands(bits(7)))],
        [],
    ),
}  # fmt: skip
# Where they are not PRODUCTS of 64 rows by 256: programs, and what they are given.
PROGRAMS = {"kernelbench": (CONVOLUTIONS, "4, 16, 12, 12"),
            "kernelbench, a product behind a convolution": (BEHIND, "4, 16, 12, 12")}  # fmt: skip


def farthest(budget: Budgets, one_way: TileErrors | None, made: torch.Tensor) -> float:
    """The largest error as a multiple of the reference's own."""
    ratios = [ratio for ratio, _, _ in budget.ratios(made)]
    doubt = one_way.look_at(made).one_way if one_way is not None else None
    return max([*ratios, 4 * doubt["ratio"] if doubt else 0.0], default=0.0)


class Judge:
    """Of one output in one draw."""

    def __init__(self, runs: Runs, name: str) -> None:
        native, truth = runs.native[name], runs.ref64[name]
        exact, self.rounded = [runs.native_fp32[name] if runs.runs_tf32 else native], []
        exact += [run[name] for run in runs.runs]
        self.budget, self.one_way = Budgets(truth, exact, native.dtype), None
        if native.element_size() == 2:
            self.one_way = TileErrors(truth, native, torch.finfo(native.dtype).eps)
            for run in exact:
                self.one_way.take(run)
        if runs.runs_tf32:
            self.rounded = [native, *(run[name] for run in runs.runs_tf32)]
            self.rounded_budget = Budgets(truth, self.rounded, native.dtype)

    def look_at(self, made: torch.Tensor) -> tuple[float, float]:
        """Its error, and, where it may be the baseline's rounding, how far it is from that as a multiple of what runs
        are apart."""
        error = farthest(self.budget, self.one_way, made)
        if not self.rounded or error <= MULTIPLE:
            return error, 0.0
        if torch.allclose(made, self.rounded[0], KERNELBENCH, KERNELBENCH):
            return farthest(self.rounded_budget, None, made), 0.0
        own = self.rounded[3]
        apart = ((self.rounded[1] - own).square() + (self.rounded[2] - own).square()).mean().div(2).sqrt()
        distance = min(float((made - anchor).square().mean().sqrt()) for anchor in (self.rounded[0], own))
        return farthest(self.rounded_budget, None, made), distance / max(float(apart), 1e-30)


def errors_of(session: Session, seed: int, draws: int, arithmetics: list) -> Iterator[tuple[str, float]]:
    """Of each arithmetic, in every draw; and the distance from the baseline in the middle one of a regime's draws."""
    for regime in REGIMES:
        distances: dict[tuple[str, str], list[float]] = {}
        for number in range(draws):
            drawn = session._drawer.draw(seed, regime, number)
            runs, _ = session._try(drawn)
            if runs is None:
                continue
            session._evaluator.add_error_runs(runs, drawn, seed, regime, number)
            values = session._drawer.graph_values(drawn)
            for name, native in runs.native.items():
                if not native.is_floating_point() or native.numel() < MIN_ELEMENTS:
                    continue
                judge = Judge(runs, name)
                for label, make in arithmetics:
                    noise = generator("cpu", seed, regime, number, "arithmetic")
                    with tf32_flags("fp32"):
                        made = session._evaluator.interpreter.run(values, substitute=Disturbance(make(noise)))
                    error, distance = judge.look_at(made[name])
                    distances.setdefault((label, name), []).append(distance)
                    yield label, error
        yield from ((label, statistics.median_low(each)) for (label, _), each in distances.items())


def measured(mode: str, dtype: str, options: argparse.Namespace, folder: str) -> list[tuple[str, str, str, float]]:
    """(arithmetic, what it is, program, its largest error in all draws)."""
    right, wrong, neither = CASES[mode, dtype]
    programs, shape = PROGRAMS.get(mode, (PRODUCTS, "64, 256"))
    found: dict[tuple[str, str], float] = {}
    for program, (forward, init) in programs.items():
        file = pathlib.Path(folder, f"{program.replace(', ', '_').replace(' ', '_')}_{dtype}.py")
        file.write_text(SOURCE.format(forward=forward, init=init, dtype=dtype, shape=shape))
        session = Session(Request(str(file), None), mode.partition(",")[0], options.seed, "cpu", folder)
        for label, error in errors_of(session, options.seed, options.draws, right + wrong + neither):
            found[label, program] = max(found.get((label, program), 0.0), error)
    kinds = {label: kind for kind, each in zip(KINDS, (right, wrong, neither)) for label, _ in each}
    return [(label, kinds[label], program, error) for (label, program), error in found.items()]


ABOUT = """*Error*: the largest of all draws as a multiple of the reference's own, of which 4 are accepted; of what is
accepted that of the worst program, of what is forbidden that of the program that shows it least. In mode
kernelbench what fp32's budget refuses has the other budget's error, or, where that is larger, its distance
from the baseline in the middle one of a regime's draws, as a multiple of what the baseline's runs are apart
(4 are accepted, and what is within 1e-4). A row is a mode, what tensors are stored in, and an arithmetic of the
operands of products and, in mode kernelbench, of convolutions that the baseline rounds. *Neither*: not promised,
and not always refused.
"""


def table(rows: dict[tuple[str, str], list], options: argparse.Namespace, seconds: float) -> str:
    lines = [
        "# Right and wrong arithmetic",
        "",
        f"`bench/margins/arithmetics.py --draws {options.draws} --seed {options.seed}`, {seconds:.0f} s on one core:",
        f"{options.draws} draws in each regime of {len(PRODUCTS)} programs ({', '.join(PRODUCTS)});",
        f"in mode kernelbench of {len(CONVOLUTIONS)} ({'; '.join(CONVOLUTIONS)}), and of a",
        "linear layer behind a convolution.",
        ABOUT,
        "| mode | storage | worst accepted | error | best forbidden | error | distance |",
        "|---|---|---|---|---|---|---|",
    ]
    detail = ["", "| mode | storage | arithmetic | | least of the programs | most |", "|---|---|---|---|---|---|"]
    for (mode, dtype), found in rows.items():
        by_label: dict[tuple[str, str], list[float]] = {}
        for label, kind, _, error in found:
            by_label.setdefault((label, kind), []).append(error)
        worst = max((max(errors), label) for (label, kind), errors in by_label.items() if kind == "accepted")
        best = min((min(errors), label) for (label, kind), errors in by_label.items() if kind == "forbidden")
        lines.append(
            f"| {mode} | {dtype} | {worst[1]} | {worst[0]:.3g} | {best[1]} | {best[0]:.3g} | {best[0] / worst[0]:.3g} |"
        )
        for (label, kind), errors in by_label.items():
            detail.append(f"| {mode} | {dtype} | {label} | {kind} | {min(errors):.3g} | {max(errors):.3g} |")
    return "\n".join([*lines, *detail]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", help="a mode or storage type")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    begun, rows = time.process_time(), {}
    with tempfile.TemporaryDirectory() as folder:
        for mode, dtype in CASES:
            if not options.only or {mode, dtype} & set(options.only):
                rows[mode, dtype] = measured(mode, dtype, options, folder)
    text = table(rows, options, time.process_time() - begun)
    print(text)
    if options.table:
        options.table.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
