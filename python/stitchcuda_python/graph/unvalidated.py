# SPDX-License-Identifier: Apache-2.0
"""What PyTorch checks while a program is traced or runs on numbers that we draw: parameters and samples of
torch.distributions, the variance of F.gaussian_nll_loss. These checks branch on values, which no trace can hold, and
change no result."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch.distributions import Distribution


@contextmanager
def values_unvalidated(is_traced: bool = True) -> Iterator[None]:
    """While it lasts, distributions check nothing, but for those made with validate_args=True, and Gaussian losses take
    negative variances, which they clamp anyway. Where nothing is traced the loss is PyTorch's own."""
    before, loss = Distribution._validate_args, F.gaussian_nll_loss

    def of_any_variance(input: Any, target: Any, var: Any, *args: Any, **kwargs: Any) -> Any:
        return loss(input, target, var.clamp(min=0) if isinstance(var, torch.Tensor) else var, *args, **kwargs)

    Distribution.set_default_validate_args(False)
    F.gaussian_nll_loss = _gaussian_nll_loss if is_traced else of_any_variance
    try:
        yield
    finally:
        Distribution.set_default_validate_args(before)
        F.gaussian_nll_loss = loss


def _gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """As PyTorch's, but for the check of values."""
    if not isinstance(var, torch.Tensor):
        var = var * torch.ones_like(input)
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(two for one, two in zip(input.shape, var.shape) if one != two) != 1:
            raise ValueError("var is of incorrect size")  # one axis of one element is spread, no more
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clamp(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()
