# SPDX-License-Identifier: Apache-2.0
"""Which integers of a program are used as indices, also by way of arithmetic, and whether some of them are legal: what
is outside of a table raises on a CPU and ends the process on a GPU."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ..graph.functional import CONSTANT, Call, FunctionalProgram, refs_in, used_by
from .bounds import index_limits
from .interpret import Interpreter

Tensors = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Index:
    """A value that is used as an index, one more than the greatest it may be, and what it is computed from."""

    name: str
    limit: int
    origins: frozenset[str]  # values before the first call


class IndexValues:
    """The indices of one program. `constructed` holds its parameters and buffers by state-dict name."""

    def __init__(self, graph: FunctionalProgram, constructed: Tensors) -> None:
        self._graph = graph
        self._given = {value.name for value in graph.values}
        self._producers = graph.producers()
        self._constants = {
            value.name: constructed.get(value.binding, graph.tensors.get(value.binding))
            for value in graph.of_role(CONSTANT)
        }
        self._indices = [
            Index(name, limit, frozenset(self._origins(name))) for name, limit in index_limits(graph)
        ]

    def reaches_index(self, name: str) -> bool:
        """Whether an index is computed from a value before the first call."""
        return any(name in index.origins for index in self._indices)

    def bound(self, name: str) -> int | None:
        """One more than what a value may be where it is used as an index, and a guess where others are computed from
        it: the least extent that they lead into. None where nothing bounds it."""
        limits = [index.limit for index in self._indices if name in index.origins]
        return min(limits, default=None)

    def are_legal(self, values: Tensors) -> bool:
        """Whether all indices that are computed from `values` are legal; false where they are computed from others
        too, whose values are not known here."""
        wanted = [index for index in self._indices if not index.origins.isdisjoint(values)]
        known = {name: tensor.cpu() for name, tensor in {**self._constants, **values}.items() if tensor is not None}
        if any(not index.origins <= known.keys() for index in wanted):
            return False
        names = frozenset(index.name for index in wanted)
        made = known | Interpreter(_up_to(self._graph, self._producers, names), torch.device("cpu")).run(
            known, keep=names
        )
        return all(bool(((made[index.name] >= 0) & (made[index.name] < index.limit)).all()) for index in wanted)

    def _origins(self, name: str) -> set[str]:
        found, waiting, seen = set(), [name], {name}
        while waiting:
            at = waiting.pop()
            if at in self._given:
                found.add(at)
                continue
            for other in used_by(self._producers[at]):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return found


def _up_to(graph: FunctionalProgram, producers: dict[str, Call], names: frozenset[str]) -> FunctionalProgram:
    """The calls that `names` follow from, as a program without outputs."""
    needed, waiting = set(), list(names)
    while waiting:
        call = producers.get(waiting.pop())
        if call is not None and id(call) not in needed:
            needed.add(id(call))
            waiting.extend(refs_in(call.args) + refs_in(call.kwargs))
    return FunctionalProgram(graph.values, [call for call in graph.calls if id(call) in needed], [])
