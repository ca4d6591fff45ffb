# SPDX-License-Identifier: Apache-2.0
"""Integers and flags of a draw: of the whole range that their use allows, repeated, in order and not, of every
density."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import torch

from ..graph.flops import short_name
from ..graph.functional import INPUT, FunctionalProgram, Ref, used_by
from . import constants as c
from .bounds import VIEWS, integer_bounds, limiting_calls
from .index_values import IndexValues
from .seeds import coin

# Positions that these take count from the end where they are negative.
_WRAPPING = {"index", "index_put", "take", "put"}
# What uses integers as numbers: any value is as good as another.
_ARITHMETIC = set("add sub rsub mul neg abs sum mean square sign _to_copy to maximum minimum amax amin".split())
_BAGS = ("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only")
_LAST_OFFSET = 7  # among their arguments: whether the last offset is where the last bag ends


@dataclass(frozen=True)
class Legal:
    """What the elements of an integer input may be: below `bound` where it is given, as many below 0 where they `wrap`;
    any number where they are `wide`; else what the file draws, and 0 unless indices are `derived` from them."""

    bound: int | None = None
    wraps: bool = False
    wide: bool = False
    derived: bool = False


@dataclass(frozen=True)
class Offsets:
    """Where the bags of an input of `count` elements begin; `closed`: the last one is where the last bag ends."""

    count: int
    closed: bool


def legal_integers(graph: FunctionalProgram) -> dict[str, Legal]:
    """What each integer input may hold, by how the program uses it."""
    bounds, indices = integer_bounds(graph), IndexValues(graph, {})
    found: dict[str, Legal] = {}
    for value in graph.of_role(INPUT):
        if value.dtype.is_floating_point or value.dtype.itemsize == 1:
            continue
        users = limiting_calls(graph, value.name)
        wraps = bool(users) and all(short_name(call.target) in _WRAPPING for call in users)
        wide, derived = _is_only_computed_with(graph, value.name), indices.reaches_index(value.name)
        found[value.name] = Legal(bounds.get(value.name), wraps, wide, derived)
    return found


def _is_only_computed_with(graph: FunctionalProgram, name: str) -> bool:
    """Whether sums and products are all that is made of an integer while it is one."""
    results, integers = graph.results(), {name}
    for call in graph.calls:
        if integers.isdisjoint(used_by(call)):
            continue
        if short_name(call.target) not in _ARITHMETIC | VIEWS:
            return False
        made = [result.name for result in call.results if result.name]
        integers.update(each for each in made if not results[each][0].is_floating_point)
    return True


def bag_offsets(graph: FunctionalProgram) -> dict[str, Offsets]:
    """Integer inputs that say where bags begin: from 0 on, and never falling."""
    shapes = {name: shape for name, (_dtype, shape) in graph.results().items()}
    inputs = {value.name for value in graph.of_role(INPUT)}
    found: dict[str, Offsets] = {}
    for call in graph.calls:
        if short_name(call.target) not in _BAGS or not isinstance(call.args[2], Ref) or call.args[2].name not in inputs:
            continue
        closed = len(call.args) > _LAST_OFFSET and bool(call.args[_LAST_OFFSET])
        found[call.args[2].name] = Offsets(prod(shapes[call.args[1].name]), closed)
    return found


def drawn_offsets(tensor: torch.Tensor, offsets: Offsets, source: torch.Generator) -> torch.Tensor:
    """Where bags of many sizes begin, empty ones among them."""
    made = torch.randint(0, offsets.count + 1, tensor.shape, generator=source, device=source.device)
    repeated = coin(made, 0.25, source)
    made = torch.where(repeated, made.roll(1), made).sort().values
    made[:1] = 0
    if offsets.closed:
        made[-1:] = offsets.count
    return made.to(device=tensor.device, dtype=tensor.dtype)


def drawn_flags(
    tensor: torch.Tensor, regime: str, draw: int, source: torch.Generator, is_bold: bool
) -> torch.Tensor:
    """Flags of the regime's density; every second bold draw has another one, all true and all false among them."""
    place = c.REGIMES.index(regime)
    is_other = is_bold and (draw + place) % 2 == 1
    share = c.FLAG_SHARES[(draw + 2 * place) % len(c.FLAG_SHARES)] if is_other else c.TRUE_SHARE[regime]
    return coin(tensor, share, source)


def drawn_integers(
    tensor: torch.Tensor, regime: str, draw: int, legal: Legal, source: torch.Generator, is_bold: bool
) -> torch.Tensor:
    """Integers as a regime has them: many different ones, few different ones, the ends of their range."""
    low, high = _range(tensor, regime, legal, is_bold)
    if regime == "sparse_extreme":  # the ends of the range
        return torch.where(coin(tensor, 0.5, source), high - 1, low).to(tensor.dtype)
    drawn = torch.randint(low, high, tensor.shape, generator=source, device=source.device, dtype=torch.int64)
    if regime == "near_equal":  # many equal ones
        count = 1 if is_bold and draw % 3 == 2 else c.FEW_INTEGERS
        few = torch.randint(low, high, (count,), generator=source, device=source.device, dtype=torch.int64)
        drawn = few[torch.randint(0, count, tensor.shape, generator=source, device=source.device)]
    elif is_bold and draw % 3 == 2:  # in falling order
        drawn = drawn.reshape(-1).sort(descending=True).values.reshape(tensor.shape)
    return drawn.to(tensor.dtype)


def _range(tensor: torch.Tensor, regime: str, legal: Legal, is_bold: bool) -> tuple[int, int]:
    """The least integer and one more than the greatest."""
    if legal.bound is not None:
        return (-legal.bound if is_bold and legal.wraps and regime != "near_equal" else 0), legal.bound
    low, high = int(tensor.min()), int(tensor.max()) + 1
    if not is_bold or legal.derived:
        return low, high
    if legal.wide:
        largest = min(c.WIDE_INTEGER, torch.iinfo(tensor.dtype).max)
        return min(low, -largest), max(high, largest)
    return min(low, 0), high
