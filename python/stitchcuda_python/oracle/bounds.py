# SPDX-License-Identifier: Apache-2.0
"""What an integer input may hold, read off the operators that use it: rows of a table, classes, positions."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ..graph.flops import short_name
from ..graph.functional import INPUT, Call, FunctionalProgram, Ref, refs_in, used_by

VIEWS = set(
    """view _unsafe_view reshape permute transpose t unsqueeze squeeze expand slice select clone alias contiguous
    flatten _to_copy to lift_fresh_copy detach unbind split split_with_sizes chunk""".split()
)
# (self, dim, index, ...): positions along dim of self.
_BY_DIM = set(
    """gather index_select scatter scatter_add scatter_reduce index_add index_fill index_copy index_reduce""".split()
)


_IGNORED_BY_DEFAULT = -100
_LOSSES = ("cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d")


def integer_bounds(graph: FunctionalProgram) -> dict[str, int]:
    """For every integer input whose users bound it, one more than its greatest legal value (least is 0)."""
    shapes = {name: shape for name, (_dtype, shape) in graph.results().items()}
    found: dict[str, int] = {}
    for value in graph.values:
        if value.role != INPUT or value.dtype.is_floating_point or value.dtype.itemsize == 1:
            continue
        limits = _limits(graph, value.name, shapes)
        if limits:
            found[value.name] = min(limits)
    return found


def index_limits(graph: FunctionalProgram) -> list[tuple[str, int]]:
    """Every value that a call uses as an index, with one more than the greatest that it may be."""
    shapes = {name: shape for name, (_dtype, shape) in graph.results().items()}
    found = []
    for call in graph.calls:
        for name in dict.fromkeys(used_by(call)):
            found += [(name, limit) for limit in _limits_of_call(call, {name}, shapes) if limit > 0]
    return found


def ignored_targets(graph: FunctionalProgram) -> dict[str, int]:
    """For every integer input that only losses bound, the target outside of the classes that they all ignore."""
    shapes = {name: shape for name, (_dtype, shape) in graph.results().items()}
    found: dict[str, int] = {}
    for value in graph.values:
        if value.role != INPUT or value.dtype.is_floating_point or value.dtype.itemsize == 1:
            continue
        aliases, users = _users(graph, value.name)
        bounding = [call for call in users if _limits_of_call(call, aliases, shapes)]
        ignored = {_ignored(call) if short_name(call.target) in _LOSSES else None for call in bounding}
        limits = [limit for call in bounding for limit in _limits_of_call(call, aliases, shapes)]
        index = ignored.pop() if len(ignored) == 1 else None
        if index is not None and not 0 <= index < min(limits):
            found[value.name] = index
    return found


def _ignored(call: Call) -> int:
    index = call.kwargs.get("ignore_index", call.args[4] if len(call.args) > 4 else _IGNORED_BY_DEFAULT)
    return int(index)


def _users(graph: FunctionalProgram, name: str) -> tuple[set[str], list[Call]]:
    """The names of a value and its views, and the calls that use one of them for more than a view."""
    aliases, users = {name}, []
    for call in graph.calls:
        if not aliases.intersection(used_by(call)):
            continue
        if short_name(call.target) in VIEWS:
            aliases.update(result.name for result in call.results)
        else:
            users.append(call)
    return aliases, users


def limiting_calls(graph: FunctionalProgram, name: str) -> list[Call]:
    """The calls that use a value, or a view of it, as an index."""
    shapes = {each: shape for each, (_dtype, shape) in graph.results().items()}
    aliases, users = _users(graph, name)
    return [call for call in users if any(limit > 0 for limit in _limits_of_call(call, aliases, shapes))]


def _limits(graph: FunctionalProgram, name: str, shapes: dict[str, tuple[int, ...]]) -> list[int]:
    aliases, users = _users(graph, name)
    return [limit for call in users for limit in _limits_of_call(call, aliases, shapes) if limit > 0]


def _limits_of_call(call: Call, aliases: set[str], shapes: dict[str, tuple[int, ...]]) -> list[int]:
    operator, args = short_name(call.target), call.args
    given = [isinstance(arg, Ref) and arg.name in aliases for arg in args]
    if operator == "embedding" and given[1]:
        return [shapes[args[0].name][0]]
    if operator in _LOSSES and given[1]:
        scores = shapes[args[0].name]
        return [scores[1] if len(scores) > 1 else scores[0]]
    if operator in _BY_DIM and len(given) > 2 and given[2] and isinstance(args[1], int):
        return [_extent(shapes[args[0].name], args[1])]
    if operator == "take_along_dim" and given[1]:
        shape = shapes[args[0].name]
        return [_extent(shape, args[2]) if isinstance(args[2], int) else prod(shape)]
    if operator in ("take", "put") and given[1]:
        return [prod(shapes[args[0].name])]
    if operator in ("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only") and given[1]:
        return [shapes[args[0].name][0]]
    if operator == "one_hot" and given[0] and isinstance(args[1], int):
        return [args[1]]
    if operator in ("index", "index_put", "_unsafe_index", "_unsafe_index_put") and isinstance(args[1], list):
        return [shapes[args[0].name][axis] for axis, item in enumerate(args[1]) if aliases.intersection(refs_in(item))]
    return []


def _extent(shape: tuple[int, ...], dim: int) -> int:
    return shape[dim] if shape else 1


# Which result of an operator holds positions along an axis, and which argument names the axis.
INDEX_RESULTS = {
    "argmax": (0, 1),
    "argmin": (0, 1),
    "argsort": (0, 1),
    "topk": (1, 2),
    "sort": (1, 1),
    "max": (1, 1),
    "min": (1, 1),
    "median": (1, 1),
    "kthvalue": (1, 2),
    "mode": (1, 1),
    "cummax": (1, 1),
    "cummin": (1, 1),
}
_ORDERS = {"argsort", "topk", "sort"}  # whose positions are all different
# Results in the same order of elements: what holds positions still does.
_SAME_ELEMENTS = {"view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "clone", "alias", "contiguous", "flatten"}


@dataclass(frozen=True)
class IndexSource:
    """What a result of positions points into: a value, the axis (None = all, flattened) and how many positions each
    line of it holds. `distinct`: no position of a line twice; `stable`: those of equal values rise, which is only asked
    where the values are an input's own, since computed ones may be equal in one precision alone."""

    value: str
    axis: int | None
    kept: int
    distinct: bool = False
    stable: bool = False


def index_source(graph: FunctionalProgram, output: str) -> IndexSource | None:
    """For an output that holds positions, or a reshape of such, what they point into; else None."""
    producers = graph.producers()
    call = producers.get(output)
    while call is not None and short_name(call.target) in _SAME_ELEMENTS and isinstance(call.args[0], Ref):
        output = call.args[0].name
        call = producers.get(output)
    if call is None or short_name(call.target) not in INDEX_RESULTS or not isinstance(call.args[0], Ref):
        return None
    position, axis_argument = INDEX_RESULTS[short_name(call.target)]
    if position >= len(call.results) or call.results[position].name != output:
        return None
    axis = call.kwargs.get("dim", call.args[axis_argument] if len(call.args) > axis_argument else None)
    axis = axis if isinstance(axis, int) and not isinstance(axis, bool) else None
    table = graph.results()
    shape = table[call.args[0].name][1]
    if axis is None or not shape:
        return IndexSource(call.args[0].name, None, 1)
    axis %= len(shape)
    lines = prod(shape) // max(1, shape[axis])
    inputs = {value.name for value in graph.values if value.role == INPUT}
    distinct = short_name(call.target) in _ORDERS
    stable = distinct and call.kwargs.get("stable") is True and call.args[0].name in inputs
    return IndexSource(call.args[0].name, axis, prod(table[output][1]) // max(1, lines), distinct, stable)
