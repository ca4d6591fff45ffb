# SPDX-License-Identifier: Apache-2.0
"""Writes real operators into a traced graph, in front of the complex one that they stand for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from .pair import Part, is_number

_aten = torch.ops.aten


class Writer:
    """Of one graph. `place` is the node in front of which is written; what is written has its place in the user's
    code and its layer's name. `kept` values lie in front of all others, and belong to no layer."""

    def __init__(self, graph: Graph, first: Node, mode: Any) -> None:
        self._graph, self._first, self._mode = graph, first, mode
        self._kept: dict[Any, Node] = {}
        self._is_keeping = False
        self.place = first

    def call(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        """A call of an operator."""
        shown = lambda value: map_arg(value, lambda node: node.meta["val"])  # noqa: E731
        with self._mode, torch.no_grad():
            example = target(*shown(args), **shown(kwargs))
        with self._graph.inserting_before(self._first if self._is_keeping else self.place):
            made = self._graph.call_function(target, args, kwargs)
        names = ("stack_trace",) if self._is_keeping else ("stack_trace", "nn_module_stack")
        made.meta = {name: self.place.meta[name] for name in names if name in self.place.meta} | {"val": example}
        return made

    def item(self, several: Node, at: int) -> Node:
        """One of the results of a call that makes several."""
        with self._graph.inserting_before(self.place):
            made = self._graph.call_function(operator.getitem, (several, at))
        made.meta = {**several.meta, "val": several.meta["val"][at]}
        return made

    def kept(self, key: Any, write: Callable[[], Node]) -> Node:
        """What `write` writes, in front of the whole graph and once for all who ask with this key."""
        if key not in self._kept:
            before, self._is_keeping = self._is_keeping, True
            self._kept[key] = write()
            self._is_keeping = before
        return self._kept[key]

    def add(self, a: Part, b: Part) -> Part:
        if is_number(a) and is_number(b):
            return a + b
        if is_number(a):
            a, b = b, a
        if is_number(b):
            return a if b == 0 else self.call(_aten.add.Scalar, a, b)
        return self.call(_aten.add.Tensor, a, b)

    def sub(self, a: Part, b: Part) -> Part:
        if is_number(a) and is_number(b):
            return a - b
        if is_number(b):
            return self.add(a, -b)
        if is_number(a):
            return self.neg(b) if a == 0 else self.call(_aten.rsub.Scalar, b, a)
        return self.call(_aten.sub.Tensor, a, b)

    def mul(self, a: Part, b: Part) -> Part:
        if is_number(a) and is_number(b):
            return a * b
        if is_number(a):
            a, b = b, a
        if is_number(b):
            return 0.0 if b == 0 else a if b == 1 else self.neg(a) if b == -1 else self.call(_aten.mul.Scalar, a, b)
        return self.call(_aten.mul.Tensor, a, b)

    def div(self, a: Part, b: Part) -> Part:
        """`b` is a tensor, or a number other than 0."""
        if is_number(a) and is_number(b):
            return a / b
        if is_number(b):
            return a if b == 1 else self.call(_aten.div.Scalar, a, b)
        if is_number(a):
            return 0.0 if a == 0 else self.mul(self.call(_aten.reciprocal.default, b), a)
        return self.call(_aten.div.Tensor, a, b)

    def neg(self, a: Part) -> Part:
        return -a if is_number(a) else self.call(_aten.neg.default, a)

    def tensor(self, part: Part, shape: Sequence[int], dtype: torch.dtype) -> Node:
        """`part` as a tensor of this shape and element type."""
        if is_number(part):
            return self.call(_aten.full.default, list(shape), part, dtype=dtype)
        example = part.meta["val"]
        if example.dtype != dtype:
            part = self.call(_aten._to_copy.default, part, dtype=dtype)
        if tuple(example.shape) != tuple(shape):
            part = self.call(_aten.expand.default, part, list(shape))
        return part

    def stacked(self, real: Part, imag: Part, shape: Sequence[int], dtype: torch.dtype) -> Node:
        """Both parts side by side, along a new last axis."""
        parts = [self.tensor(part, shape, dtype) for part in (real, imag)]
        return self.call(_aten.stack.default, parts, -1)


def shape_of(node: Node) -> tuple[int, ...]:
    """The shape of a traced tensor."""
    return tuple(node.meta["val"].shape)
