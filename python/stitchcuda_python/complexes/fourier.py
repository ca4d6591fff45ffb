# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms as products with matrices of cosines and sines, one axis after the other.

A product of n terms in a row rounds more than a fast transform does; the references measure it as they do of any
product. A long axis is taken as a matrix of two short ones (Cooley and Tukey, 1965).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from .fourier_matrix import FourierMatrix
from .pair import Pair, Part, is_number
from .pointwise import times
from .writer import Writer, shape_of

MOST = 4096  # elements along one axis that one matrix transforms: it and its sines take 128 MiB
FEW = 1024  # elements that one matrix always transforms
LEAST_FACTOR = 8

_aten = torch.ops.aten
Parts = tuple[Part, Part]


class TooLong(Exception):
    """A transform of more elements than a matrix is made for, whose number has no factors to go by."""

    def __init__(self, length: int) -> None:
        super().__init__(f"transforms {length} elements along one axis")


def _scale(norm: str | None, length: int, is_inverse: bool) -> float:
    if norm == "ortho":
        return 1 / math.sqrt(length)
    return 1 / length if is_inverse == (norm != "forward") else 1.0


def _ahead(w: Writer, x: Part, axis: int, most: int) -> Part:
    """The first elements along an axis, which becomes the last one."""
    if is_number(x):
        return x
    if shape_of(x)[axis] > most:
        x = w.call(_aten.slice.Tensor, x, axis, 0, most)
    return _exchanged(w, x, axis)


def _exchanged(w: Writer, x: Part, axis: int) -> Part:
    is_last = is_number(x) or axis == len(shape_of(x)) - 1
    return x if is_last else w.call(_aten.transpose.int, x, axis, -1)


def _product(w: Writer, x: Part, matrix: Node) -> Part:
    return 0.0 if is_number(x) else w.call(_aten.matmul.default, x, matrix)


@dataclass(frozen=True)
class _Axis:
    """One axis of a transform, and what it becomes."""

    axis: int
    length: int | None
    norm: str | None
    is_inverse: bool

    def of_complex(self, w: Writer, x: Parts, dtype: torch.dtype) -> Parts:
        """Complex numbers in, as many out."""
        length = self.length or _extent(x, self.axis)
        real, imag = (_ahead(w, part, self.axis, length) for part in x)
        made = self._in_factors(w, (real, imag), length, dtype)
        if made is None:
            matrix = self._matrix(length, _extent((real, imag), -1), length, dtype)
            made = _of_real(w, real, matrix) if is_number(imag) else _of_complex(w, real, imag, matrix)
        return _exchanged(w, made[0], self.axis), _exchanged(w, made[1], self.axis)

    def of_real(self, w: Writer, x: Part, dtype: torch.dtype) -> Parts:
        """Real numbers in, half of the spectrum out."""
        length = self.length or _extent((x, 0.0), self.axis)
        ahead = _ahead(w, x, self.axis, length)
        half = length // 2 + 1
        whole = self._in_factors(w, (ahead, 0.0), length, dtype)
        if whole is None:
            made = _of_real(w, ahead, self._matrix(length, shape_of(ahead)[-1], half, dtype))
        else:
            made = tuple(w.call(_aten.slice.Tensor, part, -1, 0, half) for part in whole)
        return _exchanged(w, made[0], self.axis), _exchanged(w, made[1], self.axis)

    def to_real(self, w: Writer, x: Parts, dtype: torch.dtype) -> Part:
        """Half of a spectrum in, real numbers out."""
        length = self.length or 2 * (_extent(x, self.axis) - 1)
        half = length // 2 + 1
        real, imag = (_ahead(w, part, self.axis, half) for part in x)
        if _factors(length) is None:
            cosines, sines = self._matrix(length, _extent((real, imag), -1), length, dtype, halved=True).parts(w)
            made = w.sub(_product(w, real, cosines), _product(w, imag, sines))
        else:
            whole = _mirrored(w, real, length, 1), _mirrored(w, imag, length, -1)
            made = self._in_factors(w, whole, length, dtype)[0]
        return _exchanged(w, made, self.axis)

    def _in_factors(self, w: Writer, x: Parts, length: int, dtype: torch.dtype) -> Parts | None:
        """The transform of a last axis of `length` = a b elements, which are a matrix: of its columns, then, turned by
        their places, of its rows. None of lengths that one matrix transforms."""
        factors = _factors(length)
        if factors is None:
            return None
        a, b = factors
        batch = shape_of(next(part for part in x if not is_number(part)))[:-1]
        parts = tuple(_as_matrix(w, part, batch, a, b) for part in x)
        plain = "forward" if self.is_inverse else "backward"
        columns, rows = (_Axis(len(batch) + at, None, plain, self.is_inverse) for at in (0, 1))
        turns = self._matrix(length, a, b, dtype).parts(w)
        made = rows.of_complex(w, times(w, columns.of_complex(w, parts, dtype), turns), dtype)
        turned = (w.call(_aten.transpose.int, part, -2, -1) for part in made)
        real, imag = (w.call(_aten.reshape.default, part, [*batch, length]) for part in turned)
        return real, imag

    def _matrix(self, length: int, rows: int, columns: int, dtype: torch.dtype, halved: bool = False) -> FourierMatrix:
        sign = 1 if self.is_inverse else -1
        return FourierMatrix(length, rows, columns, sign, _scale(self.norm, length, self.is_inverse), halved, dtype)


def _factors(length: int) -> tuple[int, int] | None:
    """Two factors as near to each other as may be; None where one matrix does. Raises TooLong where neither goes."""
    if length <= FEW:
        return None
    low = next(low for low in range(math.isqrt(length), 0, -1) if length % low == 0)
    if low >= LEAST_FACTOR:
        return low, length // low
    if length > MOST:
        raise TooLong(length)
    return None


def _of_real(w: Writer, x: Part, matrix: FourierMatrix) -> Parts:
    both, columns = _product(w, x, matrix.side_by_side(w)), matrix.columns
    real, imag = (w.call(_aten.slice.Tensor, both, -1, begin, begin + columns) for begin in (0, columns))
    return real, imag


def _of_complex(w: Writer, real: Part, imag: Part, matrix: FourierMatrix) -> Parts:
    cosines, sines = matrix.parts(w)
    return (
        w.sub(_product(w, real, cosines), _product(w, imag, sines)),
        w.add(_product(w, real, sines), _product(w, imag, cosines)),
    )


def _as_matrix(w: Writer, part: Part, batch: tuple[int, ...], a: int, b: int) -> Part:
    if is_number(part):
        return part
    return w.call(_aten.reshape.default, _filled_up(w, part, a * b), [*batch, a, b])


def _filled_up(w: Writer, part: Node, length: int) -> Node:
    missing = length - shape_of(part)[-1]
    return w.call(_aten.constant_pad_nd.default, part, [0, missing], 0.0) if missing > 0 else part


def _mirrored(w: Writer, half: Part, length: int, sign: int) -> Part:
    """The whole spectrum of which this is half, of real numbers: the other half is its mirror image."""
    if is_number(half):
        return half
    half = _filled_up(w, half, length // 2 + 1)
    other = w.call(_aten.flip.default, w.call(_aten.slice.Tensor, half, -1, 1, (length + 1) // 2), [-1])
    return w.call(_aten.cat.default, [half, w.mul(other, sign)], -1)


def _extent(x: Parts, axis: int) -> int:
    part = next(part for part in x if not is_number(part))
    return shape_of(part)[axis]


def _operand(w: Writer, x: Any) -> tuple[Parts, int, torch.dtype]:
    """Parts, of which one is a tensor, number of axes, and the element type of the parts."""
    if isinstance(x, Pair):
        parts = (x.real, x.imag)
        if is_number(x.real):
            parts = (w.tensor(x.real, x.shape, x.dtype), x.imag)
        return parts, len(x.shape), x.dtype
    example = x.meta["val"]
    dtype = example.dtype if example.is_floating_point() else torch.get_default_dtype()
    return (w.tensor(x, example.shape, dtype), 0.0), example.dim(), dtype


def _axes(rank: int, s: Any, dim: Any) -> list[tuple[int, int | None]]:
    """The axes of a transform, each with its length where one is asked for."""
    if dim is None:
        dim = range(rank) if s is None else range(rank - len(s), rank)
    dim = [dim] if isinstance(dim, int) else list(dim)
    lengths = [None] * len(dim) if s is None else [s] if isinstance(s, int) else list(s)
    return [(axis % rank, None if length in (None, -1) else length) for axis, length in zip(dim, lengths)]


def _rule(kind: str, is_inverse: bool, default: Any) -> Callable[..., Any]:
    """`kind`: complex, to_half (real numbers in), from_half (real numbers out)."""

    def rule(w: Writer, x: Any, s: Any = None, dim: Any = default, norm: str | None = None) -> Any:
        parts, rank, dtype = _operand(w, x)
        axes = [_Axis(axis, length, norm, is_inverse) for axis, length in _axes(rank, s, dim)]
        last = axes.pop() if kind != "complex" else None
        if kind == "to_half":
            parts = last.of_real(w, parts[0], dtype)
        for axis in axes if kind == "from_half" else reversed(axes):
            parts = axis.of_complex(w, parts, dtype)
        return last.to_real(w, parts, dtype) if kind == "from_half" else parts

    return rule


def fourier_rules() -> dict[str, Callable[..., Any]]:
    """By the operator's name without its overload."""
    made = {}
    for several, default in (("", -1), ("2", (-2, -1)), ("n", None)):
        made[f"fft_fft{several}"] = _rule("complex", False, default)
        made[f"fft_ifft{several}"] = _rule("complex", True, default)
        made[f"fft_rfft{several}"] = _rule("to_half", False, default)
        made[f"fft_irfft{several}"] = _rule("from_half", True, default)
        made[f"fft_hfft{several}"] = _rule("from_half", False, default)
        made[f"fft_ihfft{several}"] = _rule("to_half", True, default)
    return made
