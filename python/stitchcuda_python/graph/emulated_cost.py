# SPDX-License-Identifier: Apache-2.0
"""What the emulated device takes for an operator, estimated from shapes alone. `bench/verdict/reduced` prints such
estimates beside what was measured."""

from __future__ import annotations

from math import ceil, prod
from typing import Any

from .flops import Shape, is_contraction, is_free

_BY_ROWS = ("softmax", "loss", "layer_norm", "cross_entropy")

# Seconds of one core.
_PER_FLOP = 4e-9  # of a product: most of it is a tile's loads and stores in shared memory
_PER_ELEMENT = 50e-9  # read, or written, by a kernel that does little with it
_PER_ELEMENT_OF_A_ROW = 200e-9  # where a block takes a row and its threads wait for each other
_PER_TAP = 10e-9  # of a pool's window
_PER_CALL = 3e-4  # blocks that have little to do
_PIXELS_OF_A_TILE = 64  # the fewest that a convolution's block computes, whatever the images have


def call_seconds(operator: str, args: Any, shapes: list[Shape], outs: list[Shape], flops: int) -> float:
    """Seconds of one call that is not under sanitizers. `operator` is the short name, `shapes` those of its tensor
    arguments, `flops` its counted work."""
    if is_free(operator) or not outs:
        return 0.0
    if is_contraction(operator):
        return _PER_CALL + _PER_FLOP * flops
    elements = max(map(prod, [*shapes, *outs]))
    each = _PER_ELEMENT_OF_A_ROW if any(part in operator for part in _BY_ROWS) else _PER_ELEMENT
    return _PER_CALL + each * elements + _PER_TAP * _taps(operator, args, outs)


def idle_seconds(operator: str, args: Any, outs: list[Shape], flops: int) -> float:
    """Of one call beside call_seconds: what a convolution's blocks compute of pixels that are not there. Smaller images
    save nothing of it."""
    if operator != "convolution" or not outs or args[8] > 1:  # one in groups has kernels without tiles
        return 0.0
    pixels = max(1, outs[0][0] * prod(outs[0][2:]))
    return _PER_FLOP * flops * (ceil(pixels / _PIXELS_OF_A_TILE) * _PIXELS_OF_A_TILE / pixels - 1)


def _taps(operator: str, args: Any, outs: list[Shape]) -> int:
    if "pool" not in operator or "adaptive" in operator or len(args) < 2:
        return 0
    window = args[1] if isinstance(args[1], (list, tuple)) else []
    return prod(outs[0]) * prod(window)
