# SPDX-License-Identifier: Apache-2.0
"""Calls that decide: their result jumps where their operands hardly change (a top-k, a comparison, a rounding). Where
rounding alone makes the difference, an honest kernel may decide otherwise than the reference, so that its outputs are
compared with those of either decision. So it is where a selection meets equal elements, whose order is open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from ..graph.flops import short_name
from ..graph.functional import INPUT, RANDOM, Call, FunctionalProgram, Ref
from .bounds import INDEX_RESULTS, VIEWS
from .constants import NEAR_TIE_MULTIPLE, NEAR_TIE_ROUNDINGS
from .interpret import Substitute, execute
from .jumps import jump_of
from .selections import (
    is_selection,
    other_selection,
    pinned_selection,
    places_of,
    selection_by_place,
    selection_ties,
)

Values = dict[str, torch.Tensor]
Spreads = dict[str, torch.Tensor]  # by operand: how far rounding may move each element
_CONVERSIONS = {"_to_copy", "to"}
_TILE = 256  # elements at least that an error is the largest of


@dataclass(frozen=True)
class Part:
    """Which of a call's near ties are decided the other way: those whose number leaves `rest` when divided by `of`."""

    of: int
    rest: int

    def of_ties(self, ties: torch.Tensor) -> torch.Tensor:
        """The ties of this part, numbered in the order of their elements."""
        number = ties.reshape(-1).cumsum(0).reshape(ties.shape)
        return ties & (number % self.of == self.rest)


ALL = Part(1, 0)
STEPS = (-1, 1, -2, 2)  # of whole numbers that rounding moves by several
HALVES = (Part(2, 0), Part(2, 1))  # two ties in one row are in different halves
NONE = Part(1, 1)


_MAX_SELECTED_ELEMENTS = 1 << 22  # that a selection may order for its equal elements to be looked for


class Decisions:
    """The deciding calls of one program whose operands are computed: an input's own elements have no rounding."""

    def __init__(self, graph: FunctionalProgram) -> None:
        results = graph.results()
        self._dtypes = {name: dtype for name, (dtype, _shape) in results.items()}
        exact = _exact_values(graph)
        self.calls = [call for call in graph.calls if self._decides(call) and not exact.issuperset(_operands(call))]
        self._operands = {name for call in self.calls for name in _operands(call)}
        self._results = {result.name for call in self.calls for result in call.results if result.name}
        self._known = {id(call) for call in self.calls}
        # Equal elements need no rounding: an input's own may be equal, and integers. Large
        # operands would have to be sorted.
        self.selections = [
            call
            for call in graph.calls
            if is_selection(call)
            and _places_name(call)
            and math.prod(results[call.args[0].name][1]) <= _MAX_SELECTED_ELEMENTS
        ]
        self._chosen = {id(call) for call in self.selections}
        self._selected = {name for call in self.selections for name in (*_operands(call), _places_name(call))}

    @property
    def kept(self) -> frozenset[str]:
        """The values of a run in double precision from which everything else here is made."""
        return frozenset(self._operands | self._results | self._selected)

    def _is_float(self, name: str) -> bool:
        return self._dtypes[name].is_floating_point

    def _decides(self, call: Call) -> bool:
        floats = [self._is_float(name) for name in _operands(call)]
        return any(floats) and (is_selection(call) or jump_of(call) is not None)

    def pinned(self, reference: Values, inner: Substitute | None) -> Substitute:
        """`inner`, but every decision is the one of `reference`: what is left of an error is rounding."""

        def run(call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
            if id(call) not in self._known:
                return None if inner is None else inner(call, args, kwargs)
            decided = [reference.get(result.name) for result in call.results]
            if is_selection(call):
                return pinned_selection(call, args, kwargs, decided)
            dtype = call.results[0].dtype
            return decided[0].to(dtype) if decided[0].dtype != dtype else decided[0]

        return run

    def spreads(self, reference: Values, runs: list[Values]) -> Spreads:
        """How far rounding moves each operand, from pinned runs. An operand that no run moves is exact."""
        made: Spreads = {}
        for name in filter(self._is_float, self._operands):
            value = reference[name]
            errors = torch.stack([(run[name].double() - value).abs() for run in runs]).amax(0)
            errors = torch.nan_to_num(errors, 0.0, 0.0, 0.0)
            unit = torch.finfo(self._dtypes[name]).eps
            rounding = torch.nan_to_num(value.abs(), 0.0, 0.0, 0.0) * unit * NEAR_TIE_ROUNDINGS
            is_exact = errors.numel() == 0 or not bool(errors.any())
            made[name] = torch.zeros_like(errors) if is_exact else NEAR_TIE_MULTIPLE * _by_tile(errors) + rounding
        return made

    def near_ties(self, reference: Values, spreads: Spreads) -> int:
        """How many decisions of the reference lie within rounding."""
        return sum(int(_ties(call, reference, spreads).sum()) for call in self.calls)

    def far_ties(self, reference: Values, spreads: Spreads) -> int:
        """How many whole numbers of the reference rounding may move by more than one."""
        count = 0
        for call in self.calls:
            jump = None if is_selection(call) else jump_of(call)
            ties = jump and jump.far_ties(_arguments(call, reference)[0], _spreads_of(call, spreads))
            count += 0 if ties is None else int(ties.sum())
        return count

    def stepped(self, spreads: Spreads, steps: int) -> Substitute:
        """Whole numbers that rounding may move by more than one lie so many steps farther on, where it may move them
        there."""

        def run(call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
            jump = jump_of(call) if id(call) in self._known and not is_selection(call) else None
            if jump is None or jump.whole is None:
                return None
            return jump.stepped(args, _spreads_of(call, spreads), execute(call, args, kwargs), steps)

        return run

    def equal_ties(self, reference: Values) -> int:
        """How many places the selections of the reference would give otherwise if of equal elements the one at the
        lowest place came first."""
        count = 0
        for call in self.selections:
            args, kwargs = _arguments(call, reference)
            made = places_of(call, selection_by_place(call, args, kwargs, self._dtype_of(call)))
            count += int((made != reference[_places_name(call)]).sum())
        return count

    def _dtype_of(self, call: Call) -> torch.dtype:
        return self._dtypes[call.args[0].name]

    def otherwise(self, spreads: Spreads, part: Part, by_place: bool = False) -> Substitute:
        """Decides the near ties of `part` the other way, wherever a run meets them. `by_place`: of elements that are
        equal in their type the one at the lowest place comes first."""

        def run(call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
            equal_in = self._dtype_of(call) if by_place and id(call) in self._chosen else None
            if id(call) not in self._known:
                return None if equal_in is None else selection_by_place(call, args, kwargs, equal_in)
            if is_selection(call):
                return other_selection(call, args, kwargs, spreads[call.args[0].name], part.of_ties, equal_in)
            jump = jump_of(call)
            made = execute(call, args, kwargs)
            ties = jump.ties(args, _spreads_of(call, spreads))
            return torch.where(part.of_ties(ties), jump.other(args, made), made)

        return run


def _arguments(call: Call, reference: Values) -> tuple[list[Any], dict[str, Any]]:
    bound = lambda item: reference[item.name] if isinstance(item, Ref) else item  # noqa: E731
    return [bound(item) for item in call.args], {name: bound(item) for name, item in call.kwargs.items()}


def _places_name(call: Call) -> str:
    return call.results[INDEX_RESULTS[short_name(call.target)][0]].name


def _ties(call: Call, reference: Values, spreads: Spreads) -> torch.Tensor:
    args = _arguments(call, reference)[0]
    if is_selection(call):
        return selection_ties(call, args[0], spreads[call.args[0].name])[2]
    return jump_of(call).ties(args, _spreads_of(call, spreads))


def _spreads_of(call: Call, spreads: Spreads) -> list[torch.Tensor | float]:
    return [spreads.get(item.name, 0.0) if isinstance(item, Ref) else 0.0 for item in call.args[:2]]


def _operands(call: Call) -> list[str]:
    """The tensors whose values decide."""
    return [item.name for item in call.args[: 1 if is_selection(call) else 2] if isinstance(item, Ref)]


def _exact_values(graph: FunctionalProgram) -> set[str]:
    """Inputs and random numbers, and views of them."""
    exact = {value.name for value in graph.values if value.role in (INPUT, RANDOM)}
    for call in graph.calls:
        if short_name(call.target) in VIEWS - _CONVERSIONS and exact.issuperset(_operands(call)):
            exact.update(result.name for result in call.results if result.name)
    return exact


def _by_tile(errors: torch.Tensor) -> torch.Tensor:
    """Each element's error replaced by the largest of its rows', joined to at least _TILE elements."""
    length = errors.shape[-1] if errors.dim() else 1
    rows = errors.reshape(-1, max(1, length))
    joined = -(-_TILE // max(1, length))
    largest = rows.amax(1)
    padded = torch.nn.functional.pad(largest, (0, -largest.numel() % joined)).reshape(-1, joined)
    # The last rows are fewer: they take in the tile before.
    by_tile = padded.amax(1)
    if by_tile.numel() > 1:
        by_tile[-1] = torch.maximum(by_tile[-1], by_tile[-2])
    each = by_tile.repeat_interleave(joined)[: largest.numel()]
    return each[:, None].expand_as(rows).reshape(errors.shape)
