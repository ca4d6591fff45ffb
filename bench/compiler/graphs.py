# SPDX-License-Identifier: Apache-2.0
"""Programs of any size, as graph.ir text: what grows is the number of nodes alone."""

from __future__ import annotations

import random
from collections.abc import Callable


class Graph:
    def __init__(self, name: str) -> None:
        self.lines = [f"graph {name} mode=eval"]
        self.nodes = 0

    def input(self, name: str, shape: str, role: str = "input") -> str:
        self.lines.append(f'{name}: f32[{shape}] = {role} "{name}"')
        return name

    def add(self, call: str) -> str:
        name = f"v{self.nodes}"
        self.lines.append(f"{name} = {call}  @ model.py:{self.nodes + 1}")
        self.nodes += 1
        return name

    def text(self, *results: str) -> str:
        outputs = [f'output "{number}" = {value}' for number, value in enumerate(results)]
        return "\n".join([*self.lines, "return " + ", ".join(outputs)]) + "\n"


def layers(count: int) -> str:
    """A chain: linear with a weight of its own, then relu."""
    graph = Graph("layers")
    weights = [graph.input(f"w{number}", "32,32", "parameter") for number in range(count // 2)]
    value = graph.input("x", "8,32")
    for weight in weights:
        value = graph.add(f"relu({graph.add(f'linear({value}, {weight}, none)')})")
    return graph.text(value)


def steps(count: int) -> str:
    """A loop over time, unrolled: every step has the same weights and reads one part of the input."""
    graph = Graph("steps")
    graph.input("w_in", "32,16", "parameter")
    graph.input("w_state", "32,32", "parameter")
    length = count // 5
    graph.input("x", f"{length},8,16")
    value = graph.input("h", "8,32")
    for step in range(length):
        part = graph.add(f"select(x; dim=0, index={step})")
        shares = graph.add(f"linear({part}, w_in, none)"), graph.add(f"linear({value}, w_state, none)")
        value = graph.add(f"tanh({graph.add(f'add({shares[0]}, {shares[1]})')})")
    return graph.text(value)


def dense(count: int) -> str:
    """Each layer joins what the last eight made; every fourth is normalised with statistics that are prepared."""
    graph = Graph("dense")
    weights = [graph.input(f"w{number}", "32,32", "parameter") for number in range(count // 4)]
    scales = [graph.input(f"s{number}", "32", "parameter") for number in range(count // 4)]
    made = [graph.input("x", "8,32")]
    for weight, scale in zip(weights, scales):
        others = random.Random(len(made)).sample(made[-8:], min(2, len(made)))
        value = graph.add(f"linear({others[0]}, {weight}, none)")
        value = graph.add(f"mul({value}, {graph.add(f'rsqrt({scale})')})")
        made.append(graph.add(f"add({value}, {others[-1]})"))
    return graph.text(made[-1])


def pointwise(count: int) -> str:
    """Pointwise operators alone, in a chain."""
    graph = Graph("pointwise")
    value = graph.input("x", "64,32")
    for number in range(count):
        value = graph.add(f"{('tanh', 'relu', 'sigmoid', 'abs')[number % 4]}({value})")
    return graph.text(value)


def reductions(count: int) -> str:
    """Rows that are reduced and put back, with a value that all of them read."""
    graph = Graph("reductions")
    first = graph.input("x", "64,32")
    value = first
    for _ in range(count // 3):
        mean = graph.add(f"mean({value}; dim=[1], keepdim=true)")
        value = graph.add(f"add({graph.add(f'sub({value}, {mean})')}, {first})")
    return graph.text(value)


KINDS: dict[str, Callable[[int], str]] = {
    "layers": layers,
    "steps": steps,
    "dense": dense,
    "pointwise": pointwise,
    "reductions": reductions,
}
