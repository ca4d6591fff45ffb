# SPDX-License-Identifier: Apache-2.0
"""Questions that verdicts on a program cannot ask, whatever candidates do: what is alike in every draw, and outputs
that no call changes. A candidate that relies on it is not found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from ..graph.functional import CONSTANT, INPUT, OUTPUT, PARAMETER, RANDOM, STATE, FunctionalProgram, used_by

Values = dict[str, torch.Tensor]
_NOUNS = {INPUT: "input", PARAMETER: "parameter", CONSTANT: "buffer", STATE: "state"}


def alike(names: Iterable[str], draws: Iterator[Values]) -> set[str]:
    """Of these values those that are the same in all draws; no further draw is taken once there are none."""
    left, first = set(names), None
    for values in draws:
        first = values if first is None else first
        left = {name for name in left if _is_same(values[name], first[name])}
        if not left:
            break
    return left


def standing(
    graph: FunctionalProgram, persistent: set[str], declared: frozenset[str], draws: Iterator[Values]
) -> list[str]:
    """In words; what no state dict holds is a part of the program, and no question. `declared`: what get_states()
    draws."""
    values = [value for value in graph.of_role(INPUT, PARAMETER, CONSTANT, STATE) if 0 not in value.shape]
    asked = [value for value in values if value.role == INPUT or value.binding in persistent]
    found = alike([value.name for value in asked], draws)
    alike_ones = [value for value in asked if value.name in found]
    named = [(value.role, value.name if value.role == INPUT else value.binding) for value in alike_ones]
    return [*_contents(graph), *(_question(role, name, name in declared) for role, name in named)]


def _question(role: str, name: str, is_declared: bool) -> str:
    why = "no call writes it, and there is no get_states() to tell what else it may hold"
    if is_declared:
        why = "get_states() gives the same each time"
    elif role in (INPUT, STATE):
        why = "nothing tells what else it may hold"
    return f"{_NOUNS[role]} {name} otherwise than it is in every draw: {why}"


def _contents(graph: FunctionalProgram) -> list[str]:
    """What of the answers no contents change."""
    changing = {value.name for value in graph.of_role(INPUT, RANDOM, STATE) if 0 not in value.shape}
    if not changing:
        return ["contents that change from call to call: it takes no input, and has no state"]
    for call in graph.calls:
        if changing & set(used_by(call)):
            changing |= {result.name for result in call.results if result.name}
    outputs = [output.value for output in graph.outputs if output.role == OUTPUT]
    fixed = [f"output {number}" for number, name in enumerate(outputs) if name not in changing]
    return [f"other answers in {name} from call to call: it follows from parameters alone" for name in fixed]


def _is_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    equal = one == other
    return bool((equal | ((one != one) & (other != other))).all())
