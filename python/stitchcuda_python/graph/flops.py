# SPDX-License-Identifier: Apache-2.0
"""Counts floating-point work from shapes alone: 2 per multiply-add of a contraction, 1 per element made elsewhere."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from .functional import Call, FunctionalProgram, Ref, refs_in, used_by

Shape = tuple[int, ...]

_CONTRACTIONS = {"mm", "bmm", "matmul", "linear", "addmm", "baddbmm", "addbmm", "mv", "dot", "addmv"}
_CONVOLUTIONS = {"conv1d", "conv2d", "conv3d", "convolution"}
_TRANSPOSED = {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
_RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
_CELLS = {f"{name}_cell" for name in _RECURRENT}
_PICKING = {"embedding", "gather", "index_select", "index", "take", "take_along_dim"}
_FREE = set("""view _unsafe_view reshape permute transpose t expand slice select squeeze unsqueeze alias detach flatten
    unflatten split split_with_sizes unbind chunk clone contiguous lift_fresh_copy empty zeros ones full arange
    as_strided narrow movedim swapaxes""".split())


def call_flops(operator: str, shapes: list[Shape | None], out_shapes: list[Shape], transposed: bool = False) -> int:
    """Work of one call. `operator` is the short name ("linear"), `shapes` those of its tensor arguments in order."""
    made = sum(prod(shape) for shape in out_shapes)
    present = [shape for shape in shapes if shape is not None]
    if operator in _FREE or not out_shapes:
        return 0
    if operator in ("addmm", "baddbmm", "addmv") and len(present) > 1:
        return 2 * made * present[1][-1] + made
    if operator in _CONTRACTIONS and present:
        return 2 * made * present[0][-1] if present[0] else made
    if operator in _TRANSPOSED or (operator in _CONVOLUTIONS and transposed):
        return 2 * prod(present[0]) * prod(present[1][1:])
    if operator in _CONVOLUTIONS:
        return 2 * made * prod(present[1][1:])
    if operator.startswith(("scaled_dot_product", "_scaled_dot_product")) and len(present) > 2:
        scores = prod(present[0][:-1]) * present[1][-2]
        return 2 * scores * (present[0][-1] + present[2][-1]) + 4 * scores
    return max([made] + [prod(shape) for shape in present if operator not in ("embedding", "gather")])


def is_free(operator: str) -> bool:
    """Whether it only looks at its operand in another way."""
    return operator in _FREE


def count_flops(graph: FunctionalProgram) -> int:
    """Work of one call of the whole program."""
    table = graph.results()
    return sum(call_work(call, table) for call in graph.calls)


def call_work(call: Call, table: dict[str, tuple[torch.dtype, Shape]]) -> int:
    """Work of one operator call. `table` is the program's results()."""
    if short_name(call.target) in _RECURRENT | _CELLS:
        return _recurrent_flops(call, table)
    shapes = [table[arg.name][1] if isinstance(arg, Ref) else None for arg in call.args]
    outs = [result.shape for result in call.results if result.dtype is not None and result.dtype != torch.bool]
    transposed = "convolution" in call.target_name and len(call.args) > 6 and bool(call.args[6])
    return call_flops(short_name(call.target), shapes, outs, transposed)


def call_bytes(call: Call, table: dict[str, tuple[torch.dtype, Shape]]) -> int:
    """Bytes that one call reads and writes when nothing is fused with it; 0 for a view."""
    name = short_name(call.target)
    if name in _FREE:
        return 0
    made = sum(prod(table[each.name][1]) * table[each.name][0].itemsize for each in call.results if each.name in table)
    read = [table[value] for value in dict.fromkeys(used_by(call))]
    sizes = [prod(shape) * dtype.itemsize for dtype, shape in read]
    if name in _PICKING and sizes:  # as much of the first as there are results
        sizes[0] = min(sizes[0], made)
    return made + sum(sizes)


def is_product(call: Call) -> bool:
    """Whether it multiplies matrices, which tensor cores do where the arithmetic allows."""
    return is_contraction(short_name(call.target))


def is_contraction(name: str) -> bool:
    """The same of an operator's short name."""
    known = _CONTRACTIONS | _CONVOLUTIONS | _TRANSPOSED | _RECURRENT | _CELLS | {"baddbmm", "addbmm", "addmv"}
    return name in known or "scaled_dot_product" in name


def _recurrent_flops(call: Call, table: dict[str, tuple[torch.dtype, Shape]]) -> int:
    """Every weight matrix meets every sample of every time step once; a layer's cells are 1 per result."""
    whole = short_name(call.target) in _RECURRENT
    weights = [table[name][1] for name in refs_in(call.args[2] if whole else call.args[2:4])]
    matrices = sum(prod(shape) for shape in weights if len(shape) == 2)
    samples = prod(table[refs_in(call.args[0])[0]][1][:-1])
    return 2 * samples * matrices + sum(prod(result.shape) for result in call.results)


def short_name(target: Any) -> str:
    """ "linear" for aten.linear.default."""
    parts = str(target).split(".")
    return parts[1] if len(parts) > 2 else parts[-1]
