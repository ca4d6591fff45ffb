# SPDX-License-Identifier: Apache-2.0
"""Losses that PyTorch's own decompositions do not describe as its kernels compute them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_MEAN, _SUM = 1, 2  # ATen's numbers of reductions


def loss_decompositions() -> dict[Any, Callable[..., Any]]:
    return {torch.ops.aten.multilabel_margin_loss_forward.default: _multilabel_margin}


def _multilabel_margin(x: Any, target: Any, reduction: int) -> Any:
    """The labels of a row end before the first -1. PyTorch's description adds a margin to class 0 for each place after
    that."""
    rows, labels = torch.atleast_2d(x), torch.atleast_2d(target)
    classes = rows.shape[1]
    index = torch.arange(classes, device=target.device)
    end = torch.amin(torch.where(labels == -1, index, classes), dim=-1, keepdim=True)
    is_label = index < end
    scores = torch.gather(rows, -1, torch.where(is_label, labels, 0))
    is_target = torch.any(index == torch.where(is_label, labels, -1).unsqueeze(-1), dim=1)
    margins = (1.0 - scores.unsqueeze(-1) + rows.unsqueeze(1)).clamp_min(0) / classes
    counts = is_label.unsqueeze(-1) & ~is_target.unsqueeze(1)
    sums = torch.where(counts, margins, 0.0).sum(dim=(1, 2))
    loss = sums.mean() if reduction == _MEAN else sums.sum() if reduction == _SUM else sums
    if reduction not in (_MEAN, _SUM) and x.dim() < 2:
        loss = loss.reshape(())
    return loss, is_target.to(x.dtype).reshape(target.shape)
