# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transforms: overlapping pieces of a signal, each transformed by itself."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from .fourier import fourier_rules
from .pair import Pair, Part, is_number
from .writer import Writer, shape_of

_aten = torch.ops.aten


def _padded_window(w: Writer, window: Any, size: int, win_length: int | None, dtype: torch.dtype) -> Part:
    """The window in the middle of `size` elements; 1.0 where it changes nothing."""
    length = size if win_length is None else win_length
    if window is None:
        if length == size:
            return 1.0
        window = w.tensor(1.0, (length,), dtype)
    left = (size - length) // 2
    return w.call(_aten.constant_pad_nd.default, window, [left, size - length - left], 0.0) if length < size else window


def _stft(
    w: Writer,
    x: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:
    if isinstance(x, Pair) or isinstance(window, Pair) or align_to_window or return_complex is False:
        return NotImplemented
    dtype = x.meta["val"].dtype
    pieces = w.call(_aten.unfold.default, x, -1, n_fft, hop_length or n_fft // 4)
    pieces = w.mul(pieces, _padded_window(w, window, n_fft, win_length, dtype))
    name = "fft_fft" if onesided is False else "fft_rfft"
    made = fourier_rules()[name](w, pieces, norm="ortho" if normalized else None)
    return tuple(part if is_number(part) else w.call(_aten.transpose.int, part, -2, -1) for part in made)


def _istft(
    w: Writer,
    x: Pair,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Any:
    """The sum of the pieces, over that of the squares of the windows that they were seen through."""
    hop, count = hop_length or n_fft // 4, x.shape[-1]
    total, begin = n_fft + hop * (count - 1), n_fft // 2 if center else 0
    end = begin + length if length is not None else total - begin
    if isinstance(window, Pair) or return_complex or n_fft % hop != 0 or end > total:
        return NotImplemented
    turned = (w.tensor(part, x.shape, x.dtype) for part in (x.real, x.imag))
    parts = tuple(w.call(_aten.transpose.int, part, -2, -1) for part in turned)
    spectrum = Pair(*parts, (*x.shape[:-2], count, x.shape[-2]), x.dtype)
    is_half = x.shape[-2] != n_fft if onesided is None else onesided
    norm = "ortho" if normalized else None
    if is_half:
        pieces = fourier_rules()["fft_irfft"](w, spectrum, n_fft, norm=norm)
    else:
        pieces = fourier_rules()["fft_ifft"](w, spectrum, norm=norm)[0]
    seen = _padded_window(w, window, n_fft, win_length, x.dtype)
    squares = w.tensor(w.mul(seen, seen), (count, n_fft), x.dtype)
    sums = [_overlapping(w, item, hop) for item in (w.mul(pieces, seen), squares)]
    made = w.div(*(w.call(_aten.slice.Tensor, item, -1, begin, end) for item in sums))
    return made


def _overlapping(w: Writer, pieces: Node, hop: int) -> Node:
    """[..., count, size] -> [..., (count - 1) hop + size]: the sum of the pieces, each `hop` behind the one before it,
    which divides their size."""
    *batch, count, size = shape_of(pieces)
    parts = size // hop
    cut = w.call(_aten.reshape.default, pieces, [*batch, count, parts, hop])
    made: Any = 0.0
    for at in range(parts):
        part = w.call(_aten.select.int, cut, -2, at)
        made = w.add(made, w.call(_aten.constant_pad_nd.default, part, [0, 0, at, parts - 1 - at], 0.0))
    return w.call(_aten.reshape.default, made, [*batch, (count + parts - 1) * hop])


def short_time_rules() -> dict[str, Any]:
    """By the operator's name without its overload."""
    return {"stft": _stft, "istft": _istft}
