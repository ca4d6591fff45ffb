# SPDX-License-Identifier: Apache-2.0
"""Rewrites an exported graph so that no value in it is complex: each becomes a pair of real ones. What the program is
given and returns stays real."""

from __future__ import annotations

import operator
import os
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import Node
from torch.utils import _pytree as pytree

from ..failures import PROGRAM_INVALID, Failure
from ..graph.live import live_nodes
from ..graph.places import location_in_user_code
from .fourier import MOST, TooLong, fourier_rules
from .movement import MOVES, alike, filled, viewed
from .pair import REAL_DTYPES, Pair, as_real, is_complex, is_number, mapped
from .pointwise import pointwise_rules
from .products import product_rules
from .short_time import short_time_rules
from .writer import Writer

_REAL_PARTS = "Compute it from .real and .imag."


def rewrite_complex(exported: ExportedProgram, folder: str, file: str) -> None:
    """Changes the graph of `exported` in place. A program that is given complex numbers stays as it is, for the caller
    to refuse. Raises a Failure where an operator has no rule, or complex numbers are returned."""
    nodes = list(exported.graph.nodes)
    complex_nodes = [node for node in nodes if _makes_complex(node)]
    kinds = {spec.arg.name: spec.kind for spec in exported.graph_signature.input_specs}
    if complex_nodes and not any(kinds.get(node.name) == InputKind.USER_INPUT for node in complex_nodes):
        _Rewriter(exported, folder, file).run()


class _Rewriter:
    """Node by node, in order; `_pairs` holds what became of the complex ones."""

    def __init__(self, exported: ExportedProgram, folder: str, file: str) -> None:
        self._exported, self._folder, self._file = exported, folder, file
        graph = exported.graph
        first = next(node for node in graph.nodes if node.op != "placeholder")
        mode = next(leaf.fake_mode for node in graph.nodes for leaf in _leaves(node) if hasattr(leaf, "fake_mode"))
        self._w = Writer(graph, first, mode)
        self._pairs: dict[Node, Any] = {}
        self._rules = pointwise_rules() | fourier_rules() | short_time_rules()
        self._rules_of_operators = product_rules() | {"view": viewed}

    def run(self) -> None:
        live = live_nodes(self._exported.graph)
        for node in [node for node in self._exported.graph.nodes if node in live]:
            if node.op == "placeholder" and is_complex(node.meta.get("val")):
                self._give(node)
            elif node.op == "call_function" and (_is_concerned(node) or self._reads_complex(node)):
                self._w.place = node
                self._replace(node)
            elif node.op == "output":
                self._return(node)
        self._exported.graph.lint()

    def _reads_complex(self, node: Node) -> bool:
        return any(item in self._pairs for item in node.all_input_nodes)

    def _give(self, node: Node) -> None:
        """A parameter or buffer becomes a real one with a last axis of two, which is the same memory."""
        example = node.meta["val"]
        with example.fake_mode:
            node.meta["val"] = as_real(example)
        parts = [self._w.kept((node, index), lambda index=index: self._selected(node, index)) for index in (0, 1)]
        self._pairs[node] = Pair(*parts, tuple(example.shape), REAL_DTYPES[example.dtype])

    def _selected(self, node: Node, index: int) -> Node:
        return self._w.call(torch.ops.aten.select.int, node, -1, index)

    def _replace(self, node: Node) -> None:
        self._take_parts(node)
        if not node.users:
            return
        made, example = self._made(node), node.meta.get("val")
        if made is NotImplemented or not (isinstance(made, Node) or _makes_complex(node)):
            raise self._unsupported(node)
        if isinstance(example, (list, tuple)):
            self._pairs[node] = [self._settled(*pair) for pair in zip(made, example)]
        elif is_complex(example):
            self._pairs[node] = self._settled(made, example)
        else:
            node.replace_all_uses_with(self._w.tensor(made, example.shape, example.dtype))

    def _unsupported(self, node: Node) -> Failure:
        message = f"{node.target} works on complex numbers, for which it is not supported."
        return Failure(PROGRAM_INVALID, message, self._where(node), _REAL_PARTS)

    def _take_parts(self, node: Node) -> None:
        """Where both parts are shown side by side and one of them is selected, that one is there already."""
        shown = self._pairs.get(node.args[0]) if node.target is torch.ops.aten.view_as_real.default else None
        for user in list(node.users) if shown is not None else []:
            if user.target is torch.ops.aten.select.int and user.args[1] in (-1, len(shown.shape)):
                part = self._w.tensor(shown.part(user.args[2] % 2), shown.shape, shown.dtype)
                user.replace_all_uses_with(part)
                user.args = (part, *user.args[1:])

    def _settled(self, made: Any, example: torch.Tensor) -> Pair:
        """A pair whose parts have the shape and type that the complex value has."""
        shape, dtype = tuple(example.shape), REAL_DTYPES[example.dtype]
        real, imag = (part if is_number(part) else self._w.tensor(part, shape, dtype) for part in made)
        return Pair(real, imag, shape, dtype)

    def _made(self, node: Node) -> Any:
        """What the rule for this call writes; NotImplemented where there is none, or none for such arguments."""
        args, kwargs = mapped(self._known, node.args), {key: mapped(self._known, v) for key, v in node.kwargs.items()}
        if node.target is operator.getitem:
            made = args[0][args[1]]
            return (made.real, made.imag) if isinstance(made, Pair) else made
        text = str(node.target)
        name = text.split(".")[1] if text.startswith("aten.") else ""
        number = filled(name, args) if _makes_complex(node) else None
        if number is not None:
            return number
        try:
            return self._written(name, node.target, args, kwargs)
        except TooLong as error:
            message = f"{node.target} {error}, a number above {MOST} without factors that are near to each other."
            raise Failure(PROGRAM_INVALID, message, self._where(node), "Pad it to a power of two.") from error
        except (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError) as error:  # unknown arguments
            raise self._unsupported(node) from error

    def _written(self, name: str, target: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if name in self._rules:
            return self._rules[name](self._w, *args, **kwargs)
        if name in self._rules_of_operators:
            return self._rules_of_operators[name](self._w, target, *args, **kwargs)
        return alike(self._w, target, *args, **kwargs) if name in MOVES else NotImplemented

    def _known(self, argument: Any) -> Any:
        return self._pairs.get(argument, argument) if isinstance(argument, Node) else argument

    def _return(self, output: Node) -> None:
        """New states are stacked again; a complex result is refused."""
        specs = self._exported.graph_signature.output_specs
        self._w.place, leaves = output, []
        for node, spec in zip(output.args[0], specs):
            pair = self._pairs.get(node) if isinstance(node, Node) else None
            if pair is not None and spec.kind == OutputKind.USER_OUTPUT:
                name = str(node.meta["val"].dtype).removeprefix("torch.")
                message = f"forward returns a complex tensor ({name})."
                raise Failure(PROGRAM_INVALID, message, self._file, "Return torch.view_as_real() of it.")
            leaves.append(node if pair is None else self._w.stacked(pair.real, pair.imag, pair.shape, pair.dtype))
        output.args = (tuple(leaves),)

    def _where(self, node: Node) -> str:
        place = location_in_user_code(node.meta.get("stack_trace"), self._folder)
        return os.path.join(self._folder, place) if place else self._file


def _leaves(node: Node) -> list[Any]:
    return pytree.tree_leaves(node.meta.get("val"))


def _is_concerned(node: Node) -> bool:
    """The imaginary part of a conjugate is a view of the real numbers with other signs: `_neg_view`."""
    return _makes_complex(node) or node.target is torch.ops.aten._neg_view.default


def _makes_complex(node: Node) -> bool:
    return any(is_complex(leaf) for leaf in _leaves(node))
