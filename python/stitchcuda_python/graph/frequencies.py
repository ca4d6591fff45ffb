# SPDX-License-Identifier: Apache-2.0
"""The frequencies of a Fourier transform's results, taken apart while we export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def frequency_decompositions() -> dict[Any, Callable[..., Any]]:
    return {torch.ops.aten.fft_fftfreq.default: _fftfreq, torch.ops.aten.fft_rfftfreq.default: _rfftfreq}


def _fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, **_where: Any) -> Any:
    """Those from half of the way on are negative."""
    places = torch.arange(n, dtype=dtype or torch.get_default_dtype(), device=device)
    return torch.where(places > (n - 1) // 2, places - n, places) * (1.0 / (n * d))


def _rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, **_where: Any) -> Any:
    return torch.arange(n // 2 + 1, dtype=dtype or torch.get_default_dtype(), device=device) * (1.0 / (n * d))
