# SPDX-License-Identifier: Apache-2.0
"""Operators that do the same to both parts of complex numbers: they move elements or add them up."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from .pair import REAL_DTYPES, Pair, Part, is_number, mapped, parts_of
from .writer import Writer, shape_of

_aten = torch.ops.aten

_NAMES = """view _unsafe_view reshape permute transpose t slice select unsqueeze squeeze expand clone contiguous alias
    detach lift_fresh_copy lift_fresh cat stack split split_with_sizes chunk unbind flip roll repeat tile slice_scatter
    select_scatter diagonal_scatter copy index index_select gather flatten unflatten movedim swapaxes narrow diagonal
    diag_embed tril triu unfold repeat_interleave constant_pad_nd pad where masked_fill sum mean cumsum rot90
    fft_fftshift fft_ifftshift index_add index_copy scatter_add""".split()
_FILLS = ("value", "other", "self")  # what schemas call a number that comes among the elements


def alike(w: Writer, target: Any, *args: Any, **kwargs: Any) -> Any:
    """The operator itself, of the real parts and of the imaginary ones. A part that is 0 everywhere stays a number."""
    names = [argument.name for argument in target._schema.arguments]
    given = [_filling(name, value) for name, value in zip(names, args)]
    named = {name: _filling(name, value) for name, value in kwargs.items()}
    made = [_part(w, target, index, given, named) for index in (0, 1)]
    lists = [part for part in made if isinstance(part, list)]
    if not lists:
        return made[0], made[1]
    return list(zip(*(part if isinstance(part, list) else [part] * len(lists[0]) for part in made)))


def _filling(name: str, value: Any) -> Any:
    return complex(value) if name in _FILLS and is_number(value) else value


def _part(w: Writer, target: Any, index: int, args: list[Any], kwargs: dict[str, Any]) -> Any:
    zeros: list[bool] = []
    mapped(lambda value: zeros.extend(_is_zero(index, value)), [args, list(kwargs.values())])
    if all(zeros):
        return 0.0
    taken = lambda value: _taken(w, index, value)  # noqa: E731
    made = w.call(target, *mapped(taken, args), **{name: mapped(taken, value) for name, value in kwargs.items()})
    example = made.meta["val"]
    return [w.item(made, at) for at in range(len(example))] if isinstance(example, (list, tuple)) else made


def _is_zero(index: int, value: Any) -> list[bool]:
    """Of an argument that gives elements: whether that part of them is the number 0. Nothing of others."""
    if isinstance(value, (Pair, complex)):
        part = parts_of(value)[index]
        return [is_number(part) and part == 0]
    return [index == 1] if _gives_elements(value) else []


def _gives_elements(value: Any) -> bool:
    """Whether it is a tensor of real numbers; integers and flags choose elements."""
    return isinstance(value, Node) and value.meta["val"].is_floating_point()


def _taken(w: Writer, index: int, value: Any) -> Any:
    if isinstance(value, Pair):
        return w.tensor(value.part(index), value.shape, value.dtype)
    if isinstance(value, complex):
        return parts_of(value)[index]
    if isinstance(value, torch.dtype):
        return REAL_DTYPES.get(value, value)
    if index == 1 and _gives_elements(value):
        return w.tensor(0.0, shape_of(value), value.meta["val"].dtype)
    return value


def viewed(w: Writer, target: Any, x: Any, to: Any) -> Any:
    """A view in another shape; or as another type: two real numbers in a row are a complex one."""
    if not isinstance(to, torch.dtype):
        return alike(w, target, x, to)
    if isinstance(x, Pair) and to == x.dtype:
        return w.call(_aten.reshape.default, w.stacked(x.real, x.imag, x.shape, x.dtype), [*x.shape[:-1], -1])
    if isinstance(x, Node) and REAL_DTYPES.get(to) == x.meta["val"].dtype:
        paired = w.call(_aten.reshape.default, x, [*shape_of(x)[:-1], -1, 2])
        return tuple(w.call(_aten.select.int, paired, -1, index) for index in (0, 1))
    return NotImplemented


MOVES = frozenset(_NAMES)

_ZEROS = ("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty")
_ONES = ("ones", "ones_like", "new_ones")
_FILL_PLACES = {"full": 1, "full_like": 1, "fill": 1, "new_full": 2, "scalar_tensor": 0}


def filled(name: str, args: Any) -> tuple[Part, Part] | None:
    """The number that a call makes a complex tensor of; None of other calls."""
    if name in _ZEROS:
        return 0.0, 0.0
    if name in _ONES:
        return 1.0, 0.0
    place = _FILL_PLACES.get(name, len(args))
    return parts_of(args[place]) if place < len(args) and is_number(args[place]) else None
