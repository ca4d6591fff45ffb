# SPDX-License-Identifier: Apache-2.0
"""Normalisations and variances rebuilt from Arithmetic (see rules.py)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch

from .arithmetic import Arithmetic, every_axis


def _affine(x: torch.Tensor, weight: Any, bias: Any) -> torch.Tensor:
    """Written into `x`, of which nobody else knows: memory may hold few tensors of its size."""
    x = x if weight is None else x.mul_(weight)
    return x if bias is None else x.add_(bias)


def _native_layer_norm(a: Arithmetic, x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    mean, variance = a.moments(x, range(x.dim() - len(shape), x.dim()))
    inverse = torch.rsqrt(variance + eps)
    return _affine((x - mean).mul_(inverse), weight, bias), mean, inverse


def _layer_norm(
    a: Arithmetic, x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_cudnn: Any
) -> Any:
    return _native_layer_norm(a, x, shape, weight, bias, eps)[0]


def _rms_norm(a: Arithmetic, x: Any, shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    mean = a.mean(x * x, range(x.dim() - len(shape), x.dim()), keepdim=True)
    return _affine(x * torch.rsqrt(mean + eps), weight, None)


def _native_group_norm(
    a: Arithmetic, x: Any, weight: Any, bias: Any, batch: int, channels: int, _area: int, groups: int, eps: float
) -> Any:
    grouped = x.reshape(batch, groups, -1)
    mean, variance = a.moments(grouped, [2])
    inverse = torch.rsqrt(variance + eps)
    normal = (grouped - mean).mul_(inverse).reshape(x.shape)
    per_channel = (1, channels, *[1] * (x.dim() - 2))
    weight, bias = (item if item is None else item.reshape(per_channel) for item in (weight, bias))
    return _affine(normal, weight, bias), mean.reshape(batch, groups), inverse.reshape(batch, groups)


def _normalised_by_channel(
    a: Arithmetic, x: Any, weight: Any, bias: Any, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The normalised tensor, and per channel the batch's mean, inverse deviation and biased variance."""
    axes = [axis for axis in range(x.dim()) if axis != 1]
    mean, variance = a.moments(x, axes)
    inverse = torch.rsqrt(variance + eps)
    weight, bias = (item if item is None else item.reshape(mean.shape) for item in (weight, bias))
    made = _affine((x - mean).mul_(inverse), weight, bias)
    return made, mean.reshape(-1), inverse.reshape(-1), variance.reshape(-1)


def _batch_norm(
    a: Arithmetic, x: Any, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, rate: float, eps: float
) -> Any:
    if not training:
        return None
    made, batch_mean, inverse, batch_variance = _normalised_by_channel(a, x, weight, bias, eps)
    count = x.numel() // x.shape[1]
    unbiased = batch_variance * (count / max(1, count - 1))
    return made, batch_mean, inverse, mean + rate * (batch_mean - mean), variance + rate * (unbiased - variance)


def _batch_norm_without_state(
    a: Arithmetic, x: Any, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, rate: float, eps: float
) -> Any:
    if not training or mean is not None:  # it would update its running statistics in place
        return None
    return _normalised_by_channel(a, x, weight, bias, eps)[:3]


def _batch_norm_no_stats(a: Arithmetic, x: Any, weight: Any, bias: Any, *how: Any) -> Any:
    if len(how) != 3 or not how[0]:  # the overload with running statistics has five
        return None
    return _normalised_by_channel(a, x, weight, bias, how[2])[:3]


def _variance_of(a: Arithmetic, x: Any, dim: Any, correction: Any, keepdim: bool) -> tuple[Any, Any]:
    axes = every_axis(x, dim)
    count = prod(x.shape[axis] for axis in axes)
    mean, variance = a.moments(x, axes)
    divisor = count - (1 if correction is None else correction)
    variance = variance * (count / divisor) if divisor > 0 else variance * float("nan")
    return (variance, mean) if keepdim else (variance.squeeze(axes), mean.squeeze(axes))


def _variance_rule(root: bool, with_mean: bool) -> Callable[..., Any]:
    def rule(a: Arithmetic, x: Any, dim: Any = None, *more: Any, correction: Any = None, keepdim: bool = False) -> Any:
        if more or isinstance(dim, bool):
            return None  # an overload that is made of the one with `correction`
        variance, mean = _variance_of(a, x, dim, correction, keepdim)
        variance = variance.sqrt() if root else variance
        return (variance, mean) if with_mean else variance

    return rule


NORM_RULES: dict[str, Callable[..., Any]] = {
    "layer_norm": _layer_norm,
    "native_layer_norm": _native_layer_norm,
    "rms_norm": _rms_norm,
    "native_group_norm": _native_group_norm,
    "_native_batch_norm_legit_functional": _batch_norm,
    "_native_batch_norm_legit": _batch_norm_no_stats,
    "native_batch_norm": _batch_norm_without_state,
    "var": _variance_rule(root=False, with_mean=False),
    "std": _variance_rule(root=True, with_mean=False),
    "var_mean": _variance_rule(root=False, with_mean=True),
    "std_mean": _variance_rule(root=True, with_mean=True),
}
