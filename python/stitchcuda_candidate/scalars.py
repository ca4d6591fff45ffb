# SPDX-License-Identifier: Apache-2.0
"""Tensor.tolist of a few numbers reads them one by one, as item() does: its own way is past the dispatcher."""

from __future__ import annotations

from typing import Any

import torch

_FEW = 16  # as many as src/observer lets pass in a call


def install() -> None:
    """In the place of PyTorch's method, which stays what it is for more numbers."""
    whole = torch.Tensor.tolist

    def tolist(self: torch.Tensor) -> Any:
        if self.numel() > _FEW:
            return whole(self)
        return self.item() if self.dim() == 0 else [tolist(row) for row in self.unbind(0)]

    torch.Tensor.tolist = tolist  # type: ignore[method-assign]
