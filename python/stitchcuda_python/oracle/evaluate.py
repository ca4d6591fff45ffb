# SPDX-License-Identifier: Apache-2.0
"""All reference runs of one draw: native, fp64, perturbed, disturbed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ..graph.functional import FunctionalProgram
from . import constants as c
from .arithmetic import Arithmetic
from .decisions import ALL, HALVES, NONE, STEPS, Decisions
from .disturb import Disturbance
from .draw import Drawer, Drawn
from .interpret import Interpreter
from .native import NativeModule, tf32_flags
from .perturb import ELEMENTS_AT_ONCE
from .rounding import ROUNDINGS, LibraryRounding
from .rules import LIBRARY_RULES
from .seeds import generator

Values = dict[str, torch.Tensor]


@dataclass
class Runs:
    """What one draw gives, by graph value name. `native` runs in the math mode's own flags, which a CPU is given by
    rounding operands, `native_fp32` with TF32 off; `runs` are two perturbed ones and a disturbed one; `runs_tf32` the
    same with the operands rounded that mode kernelbench lets be rounded, none where there are no such."""

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
        float((_moved(tensor, run[name]) > c.STEADY_EPS).double().mean())
        for run in runs.runs[:2]
        for name, tensor in runs.native_fp32.items()
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
        self,
        graph: FunctionalProgram,
        native: NativeModule,
        drawer: Drawer,
        math: str,
        device: torch.device,
        has_own_sizes: bool = True,
    ) -> None:
        self._native, self._drawer, self._math, self._device = native, drawer, math, device
        self.interpreter = Interpreter(graph, device)
        self._decisions = Decisions(graph)
        self._library = LibraryRounding(is_open=not has_own_sizes)
        self._may_round = math == "kernelbench"  # some call's operands to TF32, products aside; as far as is known

    def references(self, drawn: Drawn) -> Runs:
        """fp64 and native only: enough to see whether a draw is within what the program takes."""
        with tf32_flags("fp32"):
            values = self._drawer.graph_values(drawn)
            made = self.interpreter.run(values, double=True, keep=self._decisions.kept)
            has_overflow = self.interpreter.has_overflow
        with tf32_flags(self._math):
            eager = self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
        native = eager if self._device.type == "cuda" else self._rounded_by_library(drawn) or eager
        ref64 = {name: made[name] for name in native}
        decided = {name: made[name] for name in self._decisions.kept}
        return Runs(ref64, native, eager, [], has_overflow=has_overflow, decided=decided)

    def error_runs(
        self, drawn: Drawn, seed: int, regime: str, number: int, has_native_fp32: bool = False
    ) -> Iterator[tuple[str, Values]]:
        """The runs that measure the reference's own error, one at a time and alike whenever they are asked for: where
        mode kernelbench rounds "native_fp32" first; "perturbed" twice, "disturbed"; where mode kernelbench rounds
        three of "tf32". Without the first for a caller who has it."""
        noise = generator(self._device, seed, regime, number, "disturb")
        if self._may_round and not has_native_fp32:
            with tf32_flags("fp32"):
                made = self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
            yield "native_fp32", made
            del made
        perturbed = lambda: generator(self._device, seed, regime, number, "perturb")  # noqa: E731
        rounded = Arithmetic(None, ROUNDINGS[self._math])
        yield from self._group(drawn, perturbed(), noise, rounded, ("perturbed", "disturbed"))
        if self._may_round:
            for name, values in self._group(drawn, perturbed(), noise, self._coarsest(), ("tf32", "tf32")):
                self._may_round = self._library.used
                if not self._may_round:
                    return
                yield name, values

    def rounds_openly(self) -> bool:
        """Whether nobody here knows which calls' operands the baseline rounds, only which it may."""
        return self._may_round and self._library.is_open

    def _coarsest(self) -> Arithmetic:
        """That of the coarsest honest program in this mode."""
        return Arithmetic(None, ROUNDINGS[self._math], self._library if self._may_round else None)

    def _rounded_by_library(self, drawn: Drawn) -> Values | None:
        """The native run of mode kernelbench where PyTorch has no switch for it: the graph in its own precision, with
        operands rounded where the baseline's library rounds them. None where it rounds none."""
        if not self._may_round:
            return None
        with tf32_flags("fp32"):
            rounded = Disturbance(self._coarsest(), LIBRARY_RULES)
            made = self.interpreter.run(self._drawer.graph_values(drawn), substitute=rounded)
        self._may_round = self._library.used
        return made if self._may_round else None

    def decide_otherwise(self, runs: Runs, drawn: Drawn, seed: int, regime: str, number: int) -> None:
        """Fills in what the program gives where decisions within rounding fall the other way: all of them, and where
        there are several each half of them, so that of two in one row either may fall alone. Where equal elements are
        selected, none and all of them once more with the lowest place first. Where rounding moves whole numbers by
        several, these one and two farther on, either way."""
        decisions, values = self._decisions, self._drawer.graph_values(drawn)
        if not decisions.calls and not decisions.selections:
            return
        equal_ties = decisions.equal_ties(runs.decided)
        spreads = self._spreads(runs, values, generator(self._device, seed, regime, number, "decide"))
        reference, runs.decided = runs.decided, {}
        near_ties = decisions.near_ties(reference, spreads)
        runs.near_ties = near_ties + equal_ties
        parts = () if near_ties == 0 else (ALL,) if near_ties == 1 else (ALL, *HALVES)
        others = [decisions.otherwise(spreads, part) for part in parts]
        others += [decisions.otherwise(spreads, part, by_place=True) for part in (NONE, *parts[:1]) if equal_ties > 0]
        has_far = near_ties > 0 and decisions.far_ties(reference, spreads) > 0
        del reference
        others += [decisions.stepped(spreads, steps) for steps in STEPS if has_far]
        with tf32_flags("fp32"):
            for decided in others:
                made = self.interpreter.run(values, double=True, substitute=decided)
                runs.otherwise.append({name: made[name] for name in runs.ref64})

    def _spreads(self, runs: Runs, values: Values, noise: torch.Generator) -> dict[str, torch.Tensor]:
        """How far rounding moves what decisions are made by."""
        decisions = self._decisions
        if not decisions.calls:
            return {}
        with tf32_flags("fp32"):
            spread_runs = [
                self.interpreter.run(
                    values,
                    keep=decisions.kept,
                    substitute=decisions.pinned(runs.decided, Disturbance(replace(self._coarsest(), source=source))),
                )
                for source in (None, noise)
            ]
            return decisions.spreads(runs.decided, spread_runs)

    def _group(
        self, drawn: Drawn, source: torch.Generator, noise: torch.Generator, rounded: Arithmetic, names: Any
    ) -> Iterator[tuple[str, Values]]:
        for _ in range(2):
            yield names[0], self._perturbed(self._drawer.perturbed(drawn, source), drawn, rounded)
        with tf32_flags("fp32"):
            made = self._disturbed(drawn, replace(rounded, source=noise))
        yield names[1], made

    def _perturbed(self, moved: Drawn, drawn: Drawn, rounded: Arithmetic) -> Values:
        with tf32_flags("fp32"):
            if rounded.rounds_nothing():
                return self._native.run(moved.inputs, moved.tensors, moved.numbers, kept=drawn.inputs)
            return self._disturbed(moved, rounded)

    def add_error_runs(self, runs: Runs, drawn: Drawn, seed: int, regime: str, number: int) -> None:
        """Fills in all of them."""
        is_known = self._device.type == "cpu"  # where there is no TF32 to switch off: references() made it
        for name, values in self.error_runs(drawn, seed, regime, number, is_known):
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
        rounded = self._coarsest()
        plain = None if rounded.rounds_nothing() else Disturbance(rounded)
        moved = [(self._drawer.perturbed(drawn, source), plain) for _ in range(2)]
        runs = []
        with tf32_flags("fp32"):
            for item, substitute in [*moved, (drawn, Disturbance(replace(rounded, source=noise)))]:
                values = self._drawer.graph_values(item)
                made = self.interpreter.run(values, keep=frozenset(names), substitute=substitute)
                runs.append({name: made.get(name, values.get(name)) for name in names})
        return runs
