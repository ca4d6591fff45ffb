# SPDX-License-Identifier: Apache-2.0
"""All reference runs of one draw: native, fp64, perturbed, disturbed."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from ..graph.functional import FunctionalProgram
from .arithmetic import Arithmetic
from .disturb import Disturbance
from .draw import Drawer, Drawn
from .interpret import Interpreter
from .native import NativeModule, tf32_flags
from .rounding import ROUNDINGS
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

    def all_finite(self) -> bool:
        """Whether every float of reference and native is finite."""
        both = list(self.ref64.values()) + list(self.native.values())
        return all(bool(torch.isfinite(tensor).all()) for tensor in both if tensor.is_floating_point())


class Evaluator:
    """Runs the references of one program in one math mode."""

    def __init__(
        self, graph: FunctionalProgram, native: NativeModule, drawer: Drawer, math: str, device: torch.device
    ) -> None:
        self._native, self._drawer, self._math, self._device = native, drawer, math, device
        self.interpreter = Interpreter(graph, device)

    def references(self, drawn: Drawn) -> Runs:
        """fp64 and native only: enough to see whether a draw is within what the program takes."""
        with tf32_flags("fp32"):
            ref64 = self.interpreter.run(self._drawer.graph_values(drawn), double=True)
            has_overflow = self.interpreter.has_overflow
        with tf32_flags(self._math):
            native = self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
        return Runs(ref64, native, native, [], has_overflow=has_overflow)

    def add_error_runs(self, runs: Runs, drawn: Drawn, seed: int, regime: str, number: int) -> None:
        """Fills in the runs that measure the reference's own error."""
        source = generator(self._device, seed, regime, number, "perturb")
        moved = [self._drawer.perturbed(drawn, source) for _ in range(2)]
        noise = generator(self._device, seed, regime, number, "disturb")
        with tf32_flags("fp32"):
            if self._math == "kernelbench" and self._device.type == "cuda":
                runs.native_fp32 = self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
            if ROUNDINGS[self._math] is None:
                runs.runs = [self._native.run(item.inputs, item.tensors, item.numbers) for item in moved]
                runs.runs.append(self._disturbed(drawn, Arithmetic(noise, None)))
            else:
                runs.runs = self._rounded(drawn, moved, noise, self._math)
            if self._math == "kernelbench":
                runs.runs_tf32 = self._rounded(drawn, moved, noise, "tf32")

    def _rounded(self, drawn: Drawn, moved: list[Drawn], noise: torch.Generator, math: str) -> list[Values]:
        rounding = ROUNDINGS[math]
        runs = [self._disturbed(item, Arithmetic(None, rounding)) for item in moved]
        return runs + [self._disturbed(drawn, Arithmetic(noise, rounding))]

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
