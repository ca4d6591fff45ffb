# SPDX-License-Identifier: Apache-2.0
"""Batch norms without a momentum while a program is traced.

In train mode, eager takes the count of batches out of its tensor and gives 1 / count to the kernel as the momentum; a
trace holds no such number. The same averages are written with the count as the tensor that it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch.nn.modules.batchnorm import _BatchNorm


@contextmanager
def cumulative_averages_by_count() -> Iterator[None]:
    """While it lasts, a batch norm with momentum=None that updates its statistics reads its count as a tensor. In eval
    mode, and without statistics, it stays as it is."""
    plain = _BatchNorm.forward

    def forward(module: _BatchNorm, x: torch.Tensor) -> torch.Tensor:
        mean, variance, count = module.running_mean, module.running_var, module.num_batches_tracked
        updates = module.training and module.track_running_stats
        if module.momentum is not None or not updates or mean is None or variance is None or count is None:
            return plain(module, x)
        module._check_input_dim(x)
        count.add_(1)
        # With a momentum of one, what begins as zeros becomes the statistics of the batch.
        batch = [torch.zeros_like(mean), torch.zeros_like(variance)]
        result = F.batch_norm(x, *batch, module.weight, module.bias, True, 1.0, module.eps)
        share = 1.0 / count.to(mean.dtype)
        for running, new in zip((mean, variance), batch):
            running.copy_(new * share + running * (1.0 - share))
        return result

    _BatchNorm.forward = forward  # type: ignore[method-assign]
    try:
        yield
    finally:
        _BatchNorm.forward = plain  # type: ignore[method-assign]
