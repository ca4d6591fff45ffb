# SPDX-License-Identifier: Apache-2.0
"""torch.bincount, taken apart while we export, where its size is known.

It makes as many counts as its greatest value asks for, and at least `minlength`. How many are wanted is known where the
program takes no more than those of `minlength`, or uses them beside a tensor of that size. Others are refused here, for
afterwards nothing tells them apart."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.experimental.symbolic_shapes import statically_known_true

from ..failures import PROGRAM_INVALID, Failure
from .places import location_in_user_code

_ATEN = torch.ops.aten
# What is asked of a size that is free; the trace holds it for each bincount.
_OF_SIZE = (_ATEN.sym_size.int, operator.ge, operator.le)


def count_decompositions() -> dict[Any, Callable[..., Any]]:
    return {_ATEN.bincount.default: _bincount}


def refuse_unknown_counts(exported: ExportedProgram, folder: str, file: str) -> None:
    """Raises a Failure for a bincount whose size follows from numbers alone."""
    for part in exported.graph_module.modules():
        for node in part.graph.nodes if isinstance(part, GraphModule) else []:
            if node.target is _ATEN.bincount.default and not _has_known_size(node):
                place = location_in_user_code(node.meta.get("stack_trace"), folder)
                raise _refusal(_length(node), os.path.join(folder, place) if place else file)


def _refusal(length: int, location: str) -> Failure:
    message = (
        "aten.bincount makes as many counts as its greatest value asks for, whatever minlength is: its size depends on "
        "the values of a tensor."
    )
    wanted = str(length) if length > 0 else "n"
    remedy = f"Take as many as there are classes, torch.bincount(x, minlength={wanted})[:{wanted}]."
    return Failure(PROGRAM_INVALID, message, location, remedy)


def _length(node: Node) -> int:
    length = node.args[2] if len(node.args) > 2 else node.kwargs.get("minlength", 0)
    return length if isinstance(length, int) else 0


def _has_known_size(node: Node) -> bool:
    length, made = _length(node), node.meta["val"]
    if length <= 0:
        return False
    takes_known = all(user.target in _OF_SIZE or _takes_part(user, length) for user in node.users)
    return takes_known or statically_known_true(made.shape[0] == length)


def _takes_part(user: Node, length: int) -> bool:
    """Whether no more than the first `length` counts reach the user."""
    numbers = [*user.args[1:]]
    if user.target is _ATEN.select.int:
        dim, index = numbers
        return dim in (0, -1) and isinstance(index, int) and 0 <= index < length
    if user.target is _ATEN.narrow.default:
        dim, start, count = numbers
        end = start + count if isinstance(start, int) and isinstance(count, int) else None
    elif user.target is _ATEN.slice.Tensor:
        dim, start, end, *_step = [*numbers, *[0, 0, None][len(numbers) :]]
    else:
        return False
    start = 0 if start is None else start
    return dim in (0, -1) and isinstance(start, int) and start >= 0 and isinstance(end, int) and 0 <= end <= length


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """The first `minlength` counts; what lies beyond them is counted in one more, which is left out."""
    place = x.to(torch.int64).clamp(0, minlength)
    if weights is None:
        added = torch.ones_like(place)
    else:
        added = weights if weights.dtype == torch.float32 else weights.to(torch.float64)
    return added.new_zeros(minlength + 1).scatter_add(0, place, added)[:minlength]
