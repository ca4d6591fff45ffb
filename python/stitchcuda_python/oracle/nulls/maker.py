# SPDX-License-Identifier: Apache-2.0
"""Makes the null candidates of an open oracle, draw by draw."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from ...failures import PROGRAM_INVALID, Failure, one_line
from ...graph.functional import OUTPUT, FunctionalProgram
from ...memory import available_bytes
from ..draw import Care, Drawer
from ..evaluate import Evaluator
from ..native import NativeModule, tf32_flags
from .answers import stream
from .catalogue import Catalogue, DrawSeen, Values

# Numbers of draws that no verdict uses: where the wrong answers of N03, N07, N08 and others come from.
OTHER_DRAW = 1000
# Every value of a run is kept while its null candidates are made, in at most this share of the memory that is left.
KEPT_SHARE = 0.5


class NullMaker:
    """For one open program. `list` may be asked at any time, `outputs` after a draw has been looked at."""

    def __init__(
        self, graph: FunctionalProgram, evaluator: Evaluator, native: NativeModule, drawer: Drawer, math: str
    ) -> None:
        self._graph, self._evaluator, self._native, self._drawer, self._math = graph, evaluator, native, drawer, math
        self._catalogue = Catalogue(graph, evaluator.interpreter, math, native.constructed)
        self._seen: DrawSeen | None = None
        self._place: tuple[int, str, int] = (0, "", 0)

    def list(self) -> dict[str, Any]:
        """Every null candidate, and in sentences what was left out."""
        nulls = [
            {"key": null.key, "number": null.number, "about": null.about, "outputs": null.outputs}
            for null in self._catalogue.nulls.values()
        ]
        return {"nulls": nulls, "notes": list(self._catalogue.skipped)}

    def look_at(self, seed: int, regime: str, number: int, drawn: Any, right: Values) -> None:
        """From now on nulls answer this draw; `right` is what the module made of it."""
        self._seen, self._place = None, (seed, regime, number)
        self._drawn, self._right = drawn, right

    def outputs(self, key: str) -> Values | None:
        """What a null candidate answers in the draw looked at; None where it has nothing to say there."""
        null = self._catalogue.nulls.get(key)
        if null is None:
            raise Failure(PROGRAM_INVALID, f"There is no null candidate {key!r}.", "", "Ask for oracle.nulls first.")
        seen = self._draw_seen()
        seen.source = stream(*self._place, key)
        with tf32_flags("fp32"):
            try:
                made = self._catalogue.outputs_of(null, seen)
            except (RuntimeError, IndexError, ValueError):  # the program does not take what was put in its place
                return None
        return made

    def spared(self) -> dict[str, list[int]]:
        """Numbers of the outputs about which the null candidate asked for last has nothing to say, and of those that it
        left as they are."""
        seen = self._draw_seen()
        names = [output.value for output in self._graph.outputs if output.role == OUTPUT]
        return {
            "silent": [number for number, name in enumerate(names) if name in seen.silent],
            "unchanged": [number for number, name in enumerate(names) if name in seen.unchanged],
        }

    def _draw_seen(self) -> DrawSeen:
        if self._seen is None:
            given = self._drawer.graph_values(self._drawn)
            with tf32_flags("fp32"):
                every = frozenset(self._graph.results())
                self._refuse_beyond_memory()
                known = given | self._evaluator.interpreter.run(given, keep=every)
            other, other_right = self._other()
            self._seen = DrawSeen(known, self._right, other, other_right, stream(*self._place, ""))
        return self._seen

    def _other(self) -> tuple[Values, Values]:
        seed, regime, number = self._place
        failed = ""
        for care in (Care.PLAIN, Care.INSIDE):
            drawn = self._drawer.draw(seed, regime, OTHER_DRAW + number, care)
            try:
                with tf32_flags("fp32"):
                    made = self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
                return self._drawer.graph_values(drawn), made
            except Exception as error:  # noqa: BLE001 - whatever the user's forward raises on transformed data
                failed = one_line(str(error))
        raise Failure(PROGRAM_INVALID, f"A second draw of regime {regime} cannot be made: {failed}.", "", "")

    def _refuse_beyond_memory(self) -> None:
        needed = sum(prod(shape) * dtype.itemsize for dtype, shape in self._graph.results().values())
        left = available_bytes()
        if left is not None and needed > KEPT_SHARE * left:
            message = f"Null candidates need {needed >> 20} MiB for all values of a run, of {left >> 20} MiB left."
            raise Failure(PROGRAM_INVALID, message, "", "Ask for admission at smaller sizes.")


def in_order(made: Values, graph: FunctionalProgram, roles: tuple[str, ...]) -> list[torch.Tensor]:
    """The outputs in the order of their roles, in the types that the program declares."""
    table = graph.results()
    names = [output.value for role in roles for output in graph.outputs if output.role == role]
    return [made[name].to(table[name][0]) for name in names]
