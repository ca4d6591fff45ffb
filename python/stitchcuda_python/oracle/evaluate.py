# SPDX-License-Identifier: Apache-2.0
"""All reference runs of one draw: native, fp64, perturbed, disturbed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from ..graph.functional import FunctionalProgram
from . import constants as c
from .arithmetic import Arithmetic
from .decisions import ALL, HALVES, Decisions
from .disturb import Disturbance
from .draw import Drawer, Drawn
from .interpret import Interpreter
from .native import NativeModule, tf32_flags
from .perturb import ELEMENTS_AT_ONCE
from .rounding import ROUNDINGS, Rounding
from .seeds import generator

Values = dict[str, torch.Tensor]


@dataclass
class Runs:
    """What one draw gives, by graph value name. `native` runs in the math mode's own flags, `native_fp32` with TF32
    off; `runs` are two perturbed ones and a disturbed one; `runs_tf32` the same with operands rounded to TF32."""

    ref64: Values
    native: Values
    native_fp32: Values
    runs: list[Values]
    runs_tf32: list[Values] = field(default_factory=list)
    has_overflow: bool = False  # the fp64 run made integers of floats that none of their type holds
    decided: Values = field(default_factory=dict)  # of the fp64 run: what its deciding calls read and gave
    near_ties: int = 0  # how many of its decisions lie within rounding
    otherwise: list[Values] = field(default_factory=list)  # fp64 runs in which such decisions fall the other way

    def all_finite(self) -> bool:
        """Whether every float of reference and native is finite."""
        both = list(self.ref64.values()) + list(self.native.values())
        return all(
            bool(torch.isfinite(part).all())
            for tensor in both
            if tensor.is_floating_point()
            for part in tensor.reshape(-1).split(ELEMENTS_AT_ONCE)
        )


def is_unsteady(runs: Runs) -> bool:
    """Whether the results move far when what the program is given moves by one unit in the last place."""
    moved = [
        float((_moved(runs.native[name], run[name]) > c.STEADY_EPS).double().mean())
        for run in runs.runs[:2]
        for name, tensor in runs.native.items()
        if tensor.is_floating_point() and tensor.numel() > 0
    ]
    return max(moved, default=0.0) > c.UNSTEADY_SHARE


def _moved(base: torch.Tensor, run: torch.Tensor) -> torch.Tensor:
    """By how many units of its row each element moved."""
    rows = base.double().reshape(-1, base.shape[-1] if base.dim() else 1)
    size = torch.maximum(rows.abs(), rows.square().mean(-1, keepdim=True).sqrt())
    error = (run.double().reshape(rows.shape) - rows).abs()
    return torch.where(error == 0, 0.0, error / (size * torch.finfo(base.dtype).eps))


class Evaluator:
    """Runs the references of one program in one math mode."""

    def __init__(
        self, graph: FunctionalProgram, native: NativeModule, drawer: Drawer, math: str, device: torch.device
    ) -> None:
        self._native, self._drawer, self._math, self._device = native, drawer, math, device
        self.interpreter = Interpreter(graph, device)
        self._decisions = Decisions(graph)

    def references(self, drawn: Drawn) -> Runs:
        """fp64 and native only: enough to see whether a draw is within what the program takes."""
        with tf32_flags("fp32"):
            values = self._drawer.graph_values(drawn)
            made = self.interpreter.run(values, double=True, keep=self._decisions.kept)
            has_overflow = self.interpreter.has_overflow
        with tf32_flags(self._math):
            native = self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
        ref64 = {name: made[name] for name in native}
        decided = {name: made[name] for name in self._decisions.kept}
        return Runs(ref64, native, native, [], has_overflow=has_overflow, decided=decided)

    def error_runs(self, drawn: Drawn, seed: int, regime: str, number: int) -> Iterator[tuple[str, Values]]:
        """The runs that measure the reference's own error, one at a time and alike whenever they are asked for: in
        mode kernelbench on a GPU "native_fp32" first; "perturbed" twice, "disturbed"; in mode kernelbench three of
        "tf32"."""
        noise = generator(self._device, seed, regime, number, "disturb")
        if self._math == "kernelbench" and self._device.type == "cuda":
            with tf32_flags("fp32"):
                made = self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
            yield "native_fp32", made
            del made
        perturbed = lambda: generator(self._device, seed, regime, number, "perturb")  # noqa: E731
        yield from self._group(drawn, perturbed(), noise, ROUNDINGS[self._math], ("perturbed", "disturbed"))
        if self._math == "kernelbench":
            yield from self._group(drawn, perturbed(), noise, ROUNDINGS["tf32"], ("tf32", "tf32"))

    def decide_otherwise(self, runs: Runs, drawn: Drawn, seed: int, regime: str, number: int) -> None:
        """Fills in what the program gives where decisions within rounding fall the other way: all of them, and where
        there are several each half of them, so that of two in one row either may fall alone."""
        decisions, values = self._decisions, self._drawer.graph_values(drawn)
        if not decisions.calls:
            return
        noise = generator(self._device, seed, regime, number, "decide")
        rounding = ROUNDINGS["tf32" if self._math == "kernelbench" else self._math]
        with tf32_flags("fp32"):
            spread_runs = [
                self.interpreter.run(
                    values,
                    keep=decisions.kept,
                    substitute=decisions.pinned(runs.decided, Disturbance(Arithmetic(source, rounding))),
                )
                for source in (None, noise)
            ]
            spreads = decisions.spreads(runs.decided, spread_runs)
            runs.near_ties = decisions.near_ties(runs.decided, spreads)
            runs.decided = {}
            del spread_runs
            for part in () if runs.near_ties == 0 else (ALL,) if runs.near_ties == 1 else (ALL, *HALVES):
                made = self.interpreter.run(values, double=True, substitute=decisions.otherwise(spreads, part))
                runs.otherwise.append({name: made[name] for name in runs.ref64})

    def _group(
        self, drawn: Drawn, source: torch.Generator, noise: torch.Generator, rounding: Rounding | None, names: Any
    ) -> Iterator[tuple[str, Values]]:
        for _ in range(2):
            yield names[0], self._perturbed(self._drawer.perturbed(drawn, source), drawn, rounding)
        with tf32_flags("fp32"):
            made = self._disturbed(drawn, Arithmetic(noise, rounding))
        yield names[1], made

    def _perturbed(self, moved: Drawn, drawn: Drawn, rounding: Rounding | None) -> Values:
        with tf32_flags("fp32"):
            if rounding is None:
                return self._native.run(moved.inputs, moved.tensors, moved.numbers, kept=drawn.inputs)
            return self._disturbed(moved, Arithmetic(None, rounding))

    def add_error_runs(self, runs: Runs, drawn: Drawn, seed: int, regime: str, number: int) -> None:
        """Fills in all of them."""
        for name, values in self.error_runs(drawn, seed, regime, number):
            if name == "native_fp32":
                runs.native_fp32 = values
            else:
                (runs.runs_tf32 if name == "tf32" else runs.runs).append(values)

    def _disturbed(self, drawn: Drawn, arithmetic: Arithmetic) -> Values:
        return self.interpreter.run(self._drawer.graph_values(drawn), substitute=Disturbance(arithmetic))

    def intermediate_runs(self, names: list[str], drawn: Drawn, seed: int) -> list[Values]:
        """Error runs of values inside the graph: two perturbed and a disturbed one, as add_error_runs makes them."""
        source = generator(self._device, seed, "intermediates", 0, "perturb")
        noise = generator(self._device, seed, "intermediates", 0, "disturb")
        rounding = ROUNDINGS[self._math]
        plain = None if rounding is None else Disturbance(Arithmetic(None, rounding))
        moved = [(self._drawer.perturbed(drawn, source), plain) for _ in range(2)]
        runs = []
        with tf32_flags("fp32"):
            for item, substitute in [*moved, (drawn, Disturbance(Arithmetic(noise, rounding)))]:
                values = self._drawer.graph_values(item)
                made = self.interpreter.run(values, keep=frozenset(names), substitute=substitute)
                runs.append({name: made.get(name, values.get(name)) for name in names})
        return runs
