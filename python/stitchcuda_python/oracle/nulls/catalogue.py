# SPDX-License-Identifier: Apache-2.0
"""The null candidates of one program, by number, and what each answers in a draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from ...graph.flops import short_name
from ...graph.functional import INPUT, PARAMETER, STATE, Call, FunctionalProgram, Ref, used_by
from ...graph.random import NUMBERS
from ..disturb import Disturbance
from ..interpret import Interpreter
from . import answers
from .answers import DAMAGE, Answer, Made, leaves_alone
from .shortcuts import SampledSum, ShortContraction, lower_precision

Values = dict[str, torch.Tensor]
# Of the operators of one program so many are tried each way, evenly spread; all where it has fewer.
MAX_OPERATORS = 64


class DoesNotApply(Exception):
    """A null candidate has nothing to do in this program: no product in that operator, no axes to exchange."""


@dataclass(frozen=True)
class Null:
    """`key` names it among the program's nulls, `about` says what it does. One of `outputs` is judged output by output,
    without the states; others by all that a program makes."""

    key: str
    about: str
    outputs: bool
    make: Callable[[Answer], Made] | None = None
    run: Callable[[DrawSeen], Values | None] | None = None

    @property
    def number(self) -> str:
        """Its number in the list, "N08"."""
        return self.key.partition(":")[0]


@dataclass
class DrawSeen:
    """One draw as nulls see it: every value of a run in native precision (`known`), values before the first call of
    another draw (`other_given`), what the module made of both. `silent`: the outputs about which the null candidate
    asked for last has nothing to say, `unchanged`: those that it leaves as they are in this draw; the right answer
    stands for both."""

    known: Values
    right: Values
    other_given: Values
    other_right: Values
    source: torch.Generator
    silent: frozenset[str] = frozenset()
    unchanged: frozenset[str] = frozenset()


class Catalogue:
    """Holds for one program, its math mode and its device."""

    def __init__(self, graph: FunctionalProgram, interpreter: Interpreter, math: str, constructed: Values) -> None:
        self._graph, self._interpreter, self._math = graph, interpreter, math
        self._constructed = constructed
        self._table = graph.results()
        self.skipped: list[str] = []
        made = [*self._from_answers(), *self._from_values(), *self._from_operators()]
        self.nulls = {null.key: null for null in sorted(made, key=lambda null: null.number)}

    def outputs_of(self, null: Null, seen: DrawSeen) -> Values | None:
        """What `null` answers, by name; None where it has nothing to say in this draw. Raises DoesNotApply where it has
        nothing to say in any."""
        seen.silent = seen.unchanged = frozenset()
        if null.run is not None:
            return null.run(seen)
        inputs = {value.name: seen.known[value.name] for value in self._graph.of_role(INPUT)}
        made: Values = {}
        silent, unchanged = set(), set()
        for output in self._graph.outputs:
            right = seen.right[output.value]
            answer = Answer(right, seen.other_right[output.value], inputs, seen.source)
            candidate = null.make(answer) if null.make is not None and output.role != STATE else None
            if candidate is None:
                silent.add(output.value)
            elif null.number in DAMAGE and leaves_alone(right, candidate):
                unchanged.add(output.value)
            made[output.value] = right if output.value in silent | unchanged else candidate
        if len(silent) == len(made):
            raise DoesNotApply
        seen.silent, seen.unchanged = frozenset(silent), frozenset(unchanged)
        return None if len(silent | unchanged) == len(made) else made

    def _from_answers(self) -> list[Null]:
        made = [Null(key, about, True, make=make) for key, about, make in _FROM_ANSWERS]
        for value in self._graph.of_role(INPUT):
            make_input, make_scaled = answers.an_input(value.name), answers.scaled_input(value.name)
            made.append(Null(f"N05:{value.name}", f"input {value.name} itself", True, make=make_input))
            if not self._is_a_scaling():
                about = f"input {value.name} times a number"
                made.append(Null(f"N06:{value.name}", about, True, make=make_scaled))
        return made

    def _is_a_scaling(self) -> bool:
        """Whether the program multiplies by a number and does nothing else: N06 is then the program itself."""
        work = [call for call in self._graph.calls if not _is_view(call)]
        return len(work) == 1 and short_name(work[0].target) in ("mul", "div", "neg")

    def _from_values(self) -> list[Null]:
        made = []
        for value in self._graph.of_role(INPUT, PARAMETER, STATE):
            if 0 in value.shape:
                continue
            name = value.binding if value.role != INPUT else value.name
            about = f"{value.role} {name} of another draw"
            made.append(Null(f"N08:{value.name}", about, False, run=self._with_other(value.name)))
            if value.role == PARAMETER and value.dtype.is_floating_point:
                neutral = self._neutral(value.binding)
                about = f"{value.role} {name} of {neutral:g} throughout"
                made.append(Null(f"N09:{value.name}", about, False, run=self._with_neutral(value.name, neutral)))
        return made

    def _neutral(self, binding: str) -> float:
        """What the constructor gives every element, as a gamma of ones; 0 where it gives none the same."""
        original = self._constructed.get(binding)
        if original is None or original.numel() < 2:
            return 0.0
        first = original.reshape(-1)[0]
        return float(first) if bool((original == first).all()) else 0.0

    def _with_other(self, name: str) -> Callable[[DrawSeen], Values | None]:
        def run(seen: DrawSeen) -> Values | None:
            if name not in seen.other_given or torch.equal(seen.other_given[name], seen.known[name]):
                return None
            return self._interpreter.again(seen.known, {name: seen.other_given[name]})

        return run

    def _with_neutral(self, name: str, neutral: float) -> Callable[[DrawSeen], Values | None]:
        def run(seen: DrawSeen) -> Values | None:
            return self._interpreter.again(seen.known, {name: torch.full_like(seen.known[name], neutral)})

        return run

    def _from_operators(self) -> list[Null]:
        made = []
        if any(output_dtype.is_floating_point for output_dtype in self._output_dtypes()):
            made.append(Null("N11", "one step of precision lower", False, run=self._lower))
        work = [(index, call) for index, call in enumerate(self._graph.calls) if not _is_view(call)]
        tried = _spread(work, MAX_OPERATORS)
        if len(tried) < len(work):
            self.skipped.append(f"{len(tried)} of {len(work)} operators are left out in turn")
        for index, call in tried:
            place = f"operator {short_name(call.target)}{_where(call)}"
            if NUMBERS in call.kwargs:
                made.append(
                    Null(f"N22:{index}", f"{place} removed, which draws at random", False, run=self._quiet(call))
                )
                continue
            operand = self._stand_in(call)
            if operand is not None:
                changed = {call.results[0].name: operand}
                made.append(Null(f"N10:{index}", f"{place} removed", False, run=self._renamed(changed)))
            if self._is_float(call):
                made.append(Null(f"N12:{index}", f"{place} over 90 % of its products", False, run=self._short(call)))
                made.append(Null(f"N15:{index}", f"{place} by 1 % of its data", False, run=self._sampled(call)))
        return made

    def _output_dtypes(self) -> list[torch.dtype]:
        return [self._table[output.value][0] for output in self._graph.outputs]

    def _is_float(self, call: Call) -> bool:
        return any(result.dtype is not None and result.dtype.is_floating_point for result in call.results)

    def _stand_in(self, call: Call) -> str | None:
        """The first operand that could be taken for the call's first result."""
        result = call.results[0]
        for name in used_by(call) if result.name else []:
            if self._table[name] == (result.dtype, result.shape):
                return name
        return None

    def _renamed(self, changed: dict[str, str]) -> Callable[[DrawSeen], Values | None]:
        def run(seen: DrawSeen) -> Values | None:
            values = {name: seen.known[operand] for name, operand in changed.items()}
            return self._interpreter.again(seen.known, values)

        return run

    def _quiet(self, call: Call) -> Callable[[DrawSeen], Values | None]:
        """Dropout passes everything; noise is as if all its numbers were in the middle."""
        operand, result = self._stand_in(call), call.results[0].name

        def run(seen: DrawSeen) -> Values | None:
            if short_name(call.target) == "native_dropout" and operand is not None:
                return self._interpreter.again(seen.known, {result: seen.known[operand]})
            numbers = call.kwargs[NUMBERS].name
            middle = 0.0 if bool((seen.known[numbers] < 0).any()) else 0.5
            return self._interpreter.again(seen.known, {numbers: torch.full_like(seen.known[numbers], middle)})

        return run

    def _lower(self, seen: DrawSeen) -> Values | None:
        given = {value.name: seen.known[value.name] for value in self._graph.values}
        return self._interpreter.run(given, substitute=lower_precision(self._math))

    def _short(self, call: Call) -> Callable[[DrawSeen], Values | None]:
        return lambda seen: self._with_arithmetic(call, ShortContraction(seen.source), seen)

    def _sampled(self, call: Call) -> Callable[[DrawSeen], Values | None]:
        return lambda seen: self._with_arithmetic(call, SampledSum(), seen)

    def _with_arithmetic(self, call: Call, arithmetic: Any, seen: DrawSeen) -> Values | None:
        args, kwargs = self._interpreter.arguments(call, seen.known)
        with torch.no_grad():
            made = Disturbance(arithmetic)(call, args, kwargs)
        if not arithmetic.used or made is None:
            raise DoesNotApply
        named = zip(call.results, made if call.multiple else [made])
        changed = {result.name: tensor for result, tensor in named if result.name}
        return self._interpreter.again(seen.known, changed)


def _is_view(call: Call) -> bool:
    operator = short_name(call.target)
    return operator in _MOVES or not any(isinstance(arg, Ref) for arg in call.args) and NUMBERS not in call.kwargs


def _where(call: Call) -> str:
    return f" ({call.location})" if call.location else ""


def _spread(items: list[Any], count: int) -> list[Any]:
    """`count` of them, evenly spread."""
    if len(items) <= count:
        return items
    return [items[at * len(items) // count] for at in range(count)]


# Operators that hand elements on as they are.
_MOVES = set("""view _unsafe_view reshape permute transpose t expand slice select squeeze unsqueeze alias detach flatten
    unflatten split split_with_sizes unbind chunk clone contiguous lift_fresh_copy lift_fresh as_strided narrow movedim
    swapaxes _to_copy to _unsafe_index repeat copy""".split())

_FROM_ANSWERS = [
    ("N01", "zeros", answers.zeros),
    ("N02", "ones", answers.ones),
    ("N03", "another draw's mean everywhere", answers.other_mean),
    ("N04:rows", "each row's mean in all of it", answers.row_mean),
    ("N04:columns", "each column's mean in all of it", answers.column_mean),
    ("N07", "the answer to another draw", answers.other_answer),
    ("N13", "only the first half right", answers.half_right),
    ("N14", "one wrong tile in a thousand", answers.wrong_tile),
    ("N16", "one sign in a hundred turned", answers.flipped),
    ("N17", "rows shifted by one", answers.shifted),
    ("N18", "the last two axes exchanged", answers.transposed),
    ("N19:nan", "NaN everywhere", answers.filled(float("nan"))),
    ("N19:inf", "infinity everywhere", answers.filled(float("inf"))),
    ("N20", "five per cent too large", answers.scaled),
    ("N21", "cut off at the 99.9th percentile", answers.saturated),
]
