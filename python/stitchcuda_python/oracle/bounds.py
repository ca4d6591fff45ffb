# SPDX-License-Identifier: Apache-2.0
"""What an integer input may hold, read off the operators that use it: rows of a table, classes, positions."""

from __future__ import annotations

from ..graph.flops import short_name
from ..graph.functional import INPUT, Call, FunctionalProgram, Ref, refs_in, used_by

_VIEWS = set(
    """view _unsafe_view reshape permute transpose t unsqueeze squeeze expand slice select clone alias contiguous
    flatten _to_copy to lift_fresh_copy detach unbind split split_with_sizes chunk""".split()
)
_BY_DIM = {
    "gather",
    "index_select",
    "scatter",
    "scatter_add",
    "index_add",
    "index_fill",
    "index_copy",
    "take_along_dim",
}


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


def _limits(graph: FunctionalProgram, name: str, shapes: dict[str, tuple[int, ...]]) -> list[int]:
    aliases, limits = {name}, []
    for call in graph.calls:
        if not aliases.intersection(used_by(call)):
            continue
        if short_name(call.target) in _VIEWS:
            aliases.update(result.name for result in call.results)
        else:
            limits += [limit for limit in _limits_of_call(call, aliases, shapes) if limit > 0]
    return limits


def _limits_of_call(call: Call, aliases: set[str], shapes: dict[str, tuple[int, ...]]) -> list[int]:
    operator, args = short_name(call.target), call.args
    given = [isinstance(arg, Ref) and arg.name in aliases for arg in args]
    if operator == "embedding" and given[1]:
        return [shapes[args[0].name][0]]
    if operator in ("cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d") and given[1]:
        scores = shapes[args[0].name]
        return [scores[1] if len(scores) > 1 else scores[0]]
    if operator in _BY_DIM and len(given) > 2 and given[2] and isinstance(args[1], int):
        return [shapes[args[0].name][args[1]]]
    if operator == "one_hot" and given[0] and isinstance(args[1], int):
        return [args[1]]
    if operator == "index" and isinstance(args[1], list):
        return [shapes[args[0].name][axis] for axis, item in enumerate(args[1]) if aliases.intersection(refs_in(item))]
    return []


INDEX_RESULTS = {
    "argmax": 0,
    "argmin": 0,
    "argsort": 0,
    "topk": 1,
    "sort": 1,
    "max": 1,
    "min": 1,
    "median": 1,
    "kthvalue": 1,
    "mode": 1,
}


def index_source(graph: FunctionalProgram, output: str) -> tuple[str, int | None] | None:
    """For an output that holds positions, the value they point into and the axis (None = flattened)."""
    call = graph.producers().get(output)
    if call is None or short_name(call.target) not in INDEX_RESULTS or not isinstance(call.args[0], Ref):
        return None
    position = INDEX_RESULTS[short_name(call.target)]
    if position >= len(call.results) or call.results[position].name != output:
        return None
    operator = short_name(call.target)
    axis = call.args[2] if operator in ("topk", "kthvalue") else call.args[1] if len(call.args) > 1 else None
    return call.args[0].name, axis if isinstance(axis, int) and not isinstance(axis, bool) else None
