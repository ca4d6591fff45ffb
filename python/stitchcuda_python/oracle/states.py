# SPDX-License-Identifier: Apache-2.0
"""What the buffers of a program may hold when it is called: not only what their constructor leaves. A state is scaled,
filled and counted up from what calls of the program leave in it; what no call writes stays (a mask, a window, a table),
unless it is a running statistic, constant numbers of the state dict, or the file says what it may hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from ..graph.flops import short_name
from ..graph.functional import CONSTANT, STATE, FunctionalProgram, Ref
from . import constants as c
from .index_values import IndexValues
from .parameters import is_constant, redrawn_mean, redrawn_variance, running_statistics
from .seeds import coin, normal, uniform

Tensors = dict[str, torch.Tensor]
# What makes of a buffer a mask: a number in the place of others, or added to scores.
_MASKING = {"masked_fill", "where", "bitwise_and", "logical_and", "logical_not", "bitwise_not", "lt", "le", "gt", "ge"}
_MASKING |= {"eq", "ne"}


@dataclass
class Seen:
    """What a state held: as constructed and after each of some calls."""

    held: list[torch.Tensor]

    @property
    def last(self) -> torch.Tensor:
        return self.held[-1]

    def low(self) -> float:
        """The least element."""
        return min(float(item.min()) for item in self.held)

    def high(self) -> float:
        """The greatest element."""
        return max(float(item.max()) for item in self.held)

    def is_whole(self) -> bool:
        """Whether it counts: whole numbers, not all zero."""
        return self.high() > self.low() and all(bool((item == item.round()).all()) for item in self.held)


class States:
    """The rules by which buffers of one program are drawn, but for those that the file declares. `held`
    gives, by name, what calls of the program leave in its states, one after another from what the constructor
    leaves."""

    def __init__(
        self,
        graph: FunctionalProgram,
        constructed: Tensors,
        persistent: set[str],
        declared: frozenset[str],
        held: Callable[[], dict[str, list[torch.Tensor]]],
    ) -> None:
        self._constructed, self._held = constructed, held
        self._means, self._variances = running_statistics(graph)
        states = [value for value in graph.of_role(STATE) if 0 not in value.shape and value.binding not in declared]
        self._states = {value.binding: value.name for value in states}
        self._indices = IndexValues(graph, constructed)
        self._written = set(self._states)
        self._constant = _constant_numbers(graph, constructed, persistent) - declared
        self._seen: dict[str, Seen] | None = None
        self.kept: dict[str, str] = {}  # states that stay as constructed, and why

    @property
    def drawn(self) -> list[str]:
        """The buffers that may hold something else than their constructor leaves, apart from running statistics."""
        statistics = self._means | self._variances | self.kept.keys()
        return [name for name in [*sorted(self._written), *sorted(self._constant)] if name not in statistics]

    def tensor(self, name: str, source: torch.Generator, is_bold: bool) -> torch.Tensor:
        """Buffer `name` of a draw."""
        original = self._constructed[name]
        if name in self._means:
            return redrawn_mean(original, source)
        if name in self._variances:
            return redrawn_variance(original, source)
        if not is_bold or name in self.kept:
            return original
        if name in self._constant:
            return redrawn_constant(original, source)
        return self._state(name, source) if name in self._written else original

    def _state(self, name: str, source: torch.Generator) -> torch.Tensor:
        original = self._constructed[name]
        if original.dtype == torch.bool:
            share = c.FLAG_SHARES[int(torch.randint(0, len(c.FLAG_SHARES), (), generator=source, device=source.device))]
            return coin(original, share, source)
        if original.is_floating_point():
            return drawn_state(self._seen_of(name), source)
        made = self._counter(name, source)
        if made is None:
            self.kept[name] = "it is used as an index, and what it may be does not follow from the program"
        return original if made is None else made

    def _seen_of(self, name: str) -> Seen:
        if self._seen is None:
            self._seen = {binding: Seen(held) for binding, held in self._held().items()}
        return self._seen[name]

    def _counter(self, name: str, source: torch.Generator) -> torch.Tensor | None:
        """Whole numbers that the program may have come to; None where none is known to be legal."""
        original, value = self._constructed[name], self._states[name]
        bound = self._indices.bound(value)
        if not self._indices.reaches_index(value):
            return drawn_counter(original, None, source)
        for _ in range(c.COUNTER_TRIES):
            made = drawn_counter(original, bound, source)
            if self._indices.are_legal({value: made}):
                return made
        return None


def redrawn_constant(original: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """In place of zeros numbers of either sign, in place of another constant such of its sign: a variance stays one."""
    first = float(original.reshape(-1)[0])
    if first == 0:
        return redrawn_mean(original, source)
    return original * torch.exp2(uniform(original, -1.0, 1.0, source))


def drawn_state(seen: Seen, source: torch.Generator) -> torch.Tensor:
    """Floats as calls leave them: elements exchanged, scaled, of either sign where they were seen to be, whole where
    they count, and inside -1 and 1 where they have been."""
    last, low, high = seen.last, seen.low(), seen.high()
    if seen.is_whole():
        return _whole(last, low, high, source)
    made = last
    if is_constant(last) and low == high == 0:
        made = redrawn_mean(last, source)
    elif bool(coin(torch.empty(()), 0.5, source)):
        flat = last.reshape(-1)
        flat = flat[flat != 0] if bool(coin(torch.empty(()), 0.5, source)) and bool((flat != 0).any()) else flat
        at = torch.randint(0, flat.numel(), last.shape, generator=source, device=source.device).to(last.device)
        made = flat[at]
    octave = int(torch.randint(-c.STATE_OCTAVES, c.STATE_OCTAVES + 1, (), generator=source, device=source.device))
    made = made * uniform(made, c.PARAMETER_LOW, c.PARAMETER_HIGH, source) * 2.0**octave
    if low < 0 < high:
        made = torch.where(coin(made, 0.5, source), -made, made)
    return made.clamp(-1.0, 1.0) if max(-low, high) <= 1 else made


def _whole(like: torch.Tensor, low: float, high: float, source: torch.Generator) -> torch.Tensor:
    if (low, high) == (0.0, 1.0):  # a flag
        return coin(like, 0.5, source).to(like.dtype)
    made = _log_uniform(like, min(c.COUNTER_BITS, _exact_bits(like.dtype)), source)
    if low < 0:
        made = torch.where(coin(like, 0.5, source), -made, made)
    return made.to(like.dtype)


def _exact_bits(dtype: torch.dtype) -> int:
    """Whole numbers of fewer bits are exact in it."""
    return int(-torch.log2(torch.tensor(torch.finfo(dtype).eps, dtype=torch.float64))) - 1


def _log_uniform(like: torch.Tensor, bits: float, source: torch.Generator) -> torch.Tensor:
    """Whole numbers from 0 on, as many of each number of bits."""
    sizes = torch.rand(like.shape, generator=source, device=source.device, dtype=torch.float32) * bits
    return (torch.exp2(sizes) - 1).floor().to(device=like.device, dtype=torch.int64)


def drawn_counter(original: torch.Tensor, bound: int | None, source: torch.Generator) -> torch.Tensor:
    """Integers from 0 on, below `bound` where it is given."""
    if bound is not None:
        made = torch.randint(0, max(1, bound), original.shape, generator=source, device=source.device)
        return made.to(device=original.device, dtype=original.dtype)
    bits = min(c.COUNTER_BITS, 8 * original.element_size() - 1)
    return _log_uniform(original, bits, source).to(original.dtype)


def _constant_numbers(graph: FunctionalProgram, constructed: Tensors, persistent: set[str]) -> set[str]:
    """Buffers of the state dict that no call writes and whose numbers are all alike, as statistics, scales and first
    states are when they are new; not where they mask."""
    found = set()
    for value in graph.of_role(CONSTANT):
        tensor = constructed.get(value.binding)
        if tensor is None or value.binding not in persistent or not tensor.is_floating_point():
            continue
        if tensor.dim() > 0 and tensor.numel() > 1 and is_constant(tensor) and bool(torch.isfinite(tensor).all()):
            if not _masks(graph, value.name):
                found.add(value.binding)
    return found


def _masks(graph: FunctionalProgram, name: str) -> bool:
    users = [call for call in graph.calls if Ref(name) in [*call.args, *call.kwargs.values()]]
    return any(short_name(call.target) in _MASKING or "attention" in call.target_name for call in users)
