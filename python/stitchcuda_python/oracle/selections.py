# SPDX-License-Identifier: Apache-2.0
"""Calls that select elements of a line by their order (top-k, sort, the place of the largest), and the selection that
another rounding would have made: neighbours in the order exchanged where they are within rounding of each other. Which
of equal elements comes first is open: PyTorch's own top-k has an order that follows from its way of searching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..graph.flops import short_name
from ..graph.functional import Call
from .bounds import INDEX_RESULTS
from .interpret import execute

_DESCENDING = {"argmax", "max"}
_BY_ARGUMENT = {"topk": ("largest", 3, True), "sort": ("descending", 2, False), "argsort": ("descending", 2, False)}
_KNOWN = {"argmax", "argmin", "max", "min", "kthvalue", "median", *_BY_ARGUMENT}


def is_selection(call: Call) -> bool:
    """Whether it names places by the order of the elements there."""
    name = short_name(call.target)
    if name not in _KNOWN:
        return False
    place = INDEX_RESULTS[name][0]
    return place < len(call.results) and bool(call.results[place].name)


def selection_ties(
    call: Call, values: torch.Tensor, spread: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The lines of `values` in the call's order (last axis), the places of those elements, and for each element but the
    last whether the call depends on its being before the next one though rounding might exchange them. Equal elements
    are left to `selection_by_place()`: every kernel sees them equal."""
    lines, spreads = _lines(call, values), _lines(call, spread)
    ordered, places = lines.sort(dim=-1, descending=_is_descending(call), stable=True)
    around = spreads.gather(-1, places)
    gap = (ordered[..., 1:] - ordered[..., :-1]).abs()
    ties = (gap > 0) & (gap <= around[..., 1:] + around[..., :-1])
    ranks = torch.arange(gap.shape[-1], device=gap.device)
    first, last = _ranks(call, lines.shape[-1])
    ties = ties & (ranks >= first) & (ranks <= last)
    ties[..., 1:] &= ~ties[..., :-1].clone()  # an element changes place with one neighbour
    return ordered, places, ties


def other_selection(
    call: Call,
    args: list[Any],
    kwargs: dict[str, Any],
    spread: torch.Tensor,
    chosen: Callable[..., torch.Tensor],
    equal_in: torch.dtype | None = None,
) -> Any:
    """What the call gives where the ties that `chosen` leaves of all are decided the other way. With `equal_in`, what
    is equal in that type is taken by place."""
    values = args[0]
    ordered, places, ties = selection_ties(call, values, spread)
    ties = chosen(ties)
    upper = torch.nn.functional.pad(ties, (0, 1))
    lower = torch.nn.functional.pad(ties, (1, 0))
    exchanged = torch.where(upper, places.roll(-1, -1), torch.where(lower, places.roll(1, -1), places))
    seen = _unlined(call, torch.zeros_like(ordered).scatter(-1, exchanged, ordered), values)
    seen = seen if equal_in is None else _ranked(call, seen, equal_in)
    made = execute(call, [seen, *args[1:]], kwargs)
    return _with_values(call, values, made)


def selection_by_place(call: Call, args: list[Any], kwargs: dict[str, Any], equal_in: torch.dtype) -> Any:
    """What the call gives where of elements that are equal in the type `equal_in` the one at the lowest place comes
    first. The type is the operand's own: numbers that differ in fp64 alone are equal to every kernel."""
    made = execute(call, [_ranked(call, args[0], equal_in), *args[1:]], kwargs)
    return _with_values(call, args[0], made)


def places_of(call: Call, made: Any) -> torch.Tensor:
    """Of what the call gives, the places."""
    return made[INDEX_RESULTS[short_name(call.target)][0]] if call.multiple else made


def _ranked(call: Call, values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Numbers without equals that the call orders as it orders `values` in `dtype`, equal ones by place. Lines with
    NaN stay: the calls differ in what they make of it."""
    lines = _lines(call, values)
    descending = _is_descending(call)
    places = lines.to(dtype).sort(dim=-1, descending=descending, stable=True)[1]
    ranks = torch.arange(lines.shape[-1], device=lines.device).expand_as(lines)
    rank = torch.zeros_like(places).scatter(-1, places, ranks)
    rank = -rank if descending else rank
    has_nan = lines.isnan().any(-1, keepdim=True)
    # Of integers too these are int64: a small type could not hold them.
    rank = rank.to(lines.dtype) if lines.is_floating_point() else rank
    return _unlined(call, torch.where(has_nan, lines, rank), values)


def pinned_selection(call: Call, args: list[Any], kwargs: dict[str, Any], decided: list[torch.Tensor | None]) -> Any:
    """What the call gives at the places in `decided`, whatever the order of `args[0]` is."""
    place = INDEX_RESULTS[short_name(call.target)][0]
    made = execute(call, args, kwargs)
    if not call.multiple:
        return decided[place]
    made = list(made)
    made[place] = decided[place]
    return _with_values(call, args[0], made)


def _with_values(call: Call, values: torch.Tensor, made: Any) -> Any:
    """`made` with the elements of `values` that its places name."""
    if not call.multiple:
        return made
    made = list(made)
    index = made[1]
    axis = _axis(call)
    if values.dim() == 0:
        return made
    is_kept = index.dim() == values.dim()
    places = index if is_kept else index.unsqueeze(axis)
    picked = values.gather(axis, places)
    made[0] = picked if is_kept else picked.squeeze(axis)
    return made


def _axis(call: Call) -> int | None:
    where = INDEX_RESULTS[short_name(call.target)][1]
    axis = call.kwargs.get("dim", call.args[where] if len(call.args) > where else None)
    return axis if isinstance(axis, int) and not isinstance(axis, bool) else None


def _lines(call: Call, values: torch.Tensor) -> torch.Tensor:
    axis = _axis(call)
    if axis is None or values.dim() == 0:
        return values.reshape(-1)
    return values.movedim(axis, -1)


def _unlined(call: Call, lines: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    axis = _axis(call)
    if axis is None or like.dim() == 0:
        return lines.reshape(like.shape)
    return lines.movedim(-1, axis)


def _is_descending(call: Call) -> bool:
    name = short_name(call.target)
    if name not in _BY_ARGUMENT:
        return name in _DESCENDING
    key, place, default = _BY_ARGUMENT[name]
    given = call.kwargs.get(key, call.args[place] if len(call.args) > place else default)
    if isinstance(given, bool):
        return given
    return default


def _ranks(call: Call, length: int) -> tuple[int, int]:
    """The first and last place of the order whose element must come before the next one."""
    name = short_name(call.target)
    if name in ("sort", "argsort"):
        return 0, length - 1
    if name == "topk":
        return 0, int(call.args[1]) - 1
    if name in ("kthvalue", "median"):
        place = int(call.args[1]) - 1 if name == "kthvalue" else (length - 1) // 2
        return place - 1, place
    return 0, 0
