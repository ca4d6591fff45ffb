# SPDX-License-Identifier: Apache-2.0
"""fold (col2im) of windows that overlap, taken apart while we export: every window is shown in full size, moved to its
place, and one sum over the elements of a window joins them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F


def window_decompositions() -> dict[Any, Callable[..., Any]]:
    return {torch.ops.aten.col2im.default: _folded}


def _folded(x: Any, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    if all(k <= s and d == 1 for k, s, d in zip(kernel, stride, dilation)):
        return NotImplemented  # nothing overlaps: a view
    batch = x if x.dim() == 3 else x.unsqueeze(0)
    counts = [
        (extent + 2 * p - d * (k - 1) - 1) // s + 1
        for extent, k, d, p, s in zip(size, kernel, dilation, padding, stride)
    ]
    channels = batch.shape[1] // (kernel[0] * kernel[1])
    parts = batch.reshape(batch.shape[0], channels, *kernel, *counts).permute(0, 1, 3, 5, 2, 4)
    parts = _moved(parts, size[0], dilation[0], padding[0], stride[0]).permute(0, 1, 4, 5, 2, 3)
    made = _moved(parts, size[1], dilation[1], padding[1], stride[1]).sum((2, 4))
    return made if x.dim() == 3 else made.squeeze(0)


def _moved(x: Any, extent: int, dilation: int, padding: int, stride: int) -> Any:
    """[..., elements, windows] -> [..., elements, extent]: each element of a window where it is added, zeros between.
    Rows of zeros and elements, laid end to end and read in rows that are `dilation` shorter, slide along."""
    elements, windows = x.shape[-2:]
    x = F.pad(x.unsqueeze(-1), (0, stride - 1)).flatten(-2)
    spread = windows * stride
    before = (elements - 1) * dilation
    length = before + padding + extent
    x = F.pad(x, (before, length - before - spread))
    if elements == 1:
        return x[..., padding:]
    x = x.flatten(-2)[..., padding + before :]
    shorter = length - dilation
    x = F.pad(x, (0, elements * shorter - x.shape[-1]))
    return x.unflatten(-1, (elements, shorter))[..., :extent]
