# SPDX-License-Identifier: Apache-2.0
"""How each operator that sums is rebuilt from Arithmetic. A rule takes the operator's own arguments and returns its
results, or None to let the operator run as it is. Operators that do not sum need no rule; composite ones without a rule
are caught at the smaller operators they are made of."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
import torch.nn.functional as F

from .arithmetic import Arithmetic
from .rounding import ConvolutionCall
from .rules_index import INDEX_RULES
from .rules_linalg import LINALG_RULES
from .rules_norm import NORM_RULES
from .rules_resample import RESAMPLE_RULES
from .rules_rnn import RNN_RULES

_NONE, _MEAN = 0, 1


def _linear(a: Arithmetic, x: Any, weight: Any, bias: Any = None) -> Any:
    made = a.contraction(F.linear, x, weight, x.shape[-1])
    return made if bias is None else made + bias


def _matmul(a: Arithmetic, left: Any, right: Any) -> Any:
    return a.matmul(left, right)


def _addmm(a: Arithmetic, bias: Any, left: Any, right: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    made = a.matmul(left, right) * alpha
    return made if beta == 0 else bias * beta + made


def _convolution(a: Arithmetic, x: Any, weight: Any, bias: Any, *how: Any) -> Any:
    transposed, groups = bool(how[3]), int(how[5])
    results = weight.shape[1] * groups if transposed else weight.shape[0]
    a = a.of_convolution(ConvolutionCall(x.shape[1], results, groups, transposed, weight.shape[2:], how[0], how[1]))
    length = prod(weight.shape[2:]) * (weight.shape[0] // groups if transposed else weight.shape[1])
    made = a.contraction(lambda left, right: torch.convolution(left, right, None, *how), x, weight, length)
    return made if bias is None else made + bias.reshape(-1, *[1] * (made.dim() - 2))


def _sum(a: Arithmetic, x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _floating(x, dtype) and a.sum(x, dim, keepdim)


def _mean(a: Arithmetic, x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _floating(x, dtype) and a.mean(x, dim, keepdim)


def _floating(x: torch.Tensor, dtype: torch.dtype | None) -> bool | None:
    """True where a reduction stays in the type of x; None otherwise."""
    return True if x.is_floating_point() and dtype in (None, x.dtype) else None


def _cumsum(a: Arithmetic, x: Any, dim: int, *, dtype: Any = None) -> Any:
    if not _floating(x, dtype) or x.dim() == 0:
        return None
    return a.disturbed(x.cumsum(dim), lambda: (x * x).cumsum_(dim).sqrt_(), x.shape[dim])


def _vector_norm(
    a: Arithmetic, x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    return a.sum(x * x, dim, keepdim).sqrt() if ord == 2 and _floating(x, dtype) else None


def _softmax(a: Arithmetic, x: Any, dim: int, *_half_to_float: Any, **_dtype: Any) -> Any:
    return a.softmax(x, dim) if x.is_floating_point() and x.dim() else None


def _log_softmax(a: Arithmetic, x: Any, dim: int, *_half_to_float: Any, **_dtype: Any) -> Any:
    return a.log_softmax(x, dim) if x.is_floating_point() and x.dim() else None


def _safe_softmax(a: Arithmetic, x: Any, dim: int, dtype: Any = None) -> Any:
    if dtype not in (None, x.dtype):
        return None
    return torch.where((x == float("-inf")).all(dim, keepdim=True), 0.0, a.softmax(x, dim))


def _logsumexp(a: Arithmetic, x: Any, dim: Any, keepdim: bool = False) -> Any:
    top = x.amax(dim, keepdim=True)
    top = torch.where(torch.isfinite(top), top, 0.0)
    made = a.sum(torch.exp(x - top), dim, keepdim=True).log() + top
    return made if keepdim else made.squeeze(dim)


def _attention(
    a: Arithmetic,
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    dropout: float = 0.0,
    causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    if dropout:
        return None
    if enable_gqa:
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        v = v.repeat_interleave(q.shape[-3] // v.shape[-3], -3)
    scores = a.matmul(q, k.transpose(-2, -1)) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
    return a.matmul(a.softmax(scores, -1), v)


def _average_pool(operator: Any) -> Callable[..., Any]:
    def rule(a: Arithmetic, x: Any, window: Any, *how: Any, **also: Any) -> Any:
        made = operator(x, window, *how, **also)
        adaptive = "adaptive" in str(operator)
        if adaptive:
            length = max(1, x.numel() // max(1, made.numel()))
        else:
            axes = made.dim() - 2 if made.dim() > 2 else 1
            length = prod(window) if len(window) > 1 else window[0] ** axes
        return a.disturbed(made, lambda: operator(x * x, window, *how, **also).div_(length).sqrt_(), length)

    return rule


def _nll(operator: Any) -> Callable[..., Any]:
    def rule(a: Arithmetic, logp: Any, target: Any, weight: Any, reduction: int, ignored: int) -> Any:
        loss, total = operator(logp, target, weight, reduction, ignored)
        if reduction == _NONE:
            return loss, total
        picked = operator(logp, target, weight, _NONE, ignored)[0]
        divisor = total if reduction == _MEAN else 1.0
        return a.disturbed(loss, lambda: (picked * picked).sum().sqrt() / divisor, picked.numel()), total

    return rule


def _loss(operator: Any, reduction_position: int) -> Callable[..., Any]:
    def rule(a: Arithmetic, *args: Any) -> Any:
        padded = list(args) + [_MEAN] * (reduction_position + 1 - len(args))
        reduction, padded[reduction_position] = padded[reduction_position], _NONE
        terms = operator(*padded)
        return terms if reduction == _NONE else a.mean(terms) if reduction == _MEAN else a.sum(terms)

    return rule


_aten = torch.ops.aten
Rules = dict[str, Callable[..., Any]]

# Of the operators whose operands the baseline's library may round.
LIBRARY_RULES: Rules = {"convolution": _convolution}

RULES: Rules = {
    **LIBRARY_RULES,
    "linear": _linear,
    "matmul": _matmul,
    "mm": _matmul,
    "bmm": _matmul,
    "mv": _matmul,
    "dot": _matmul,
    "addmm": _addmm,
    "baddbmm": _addmm,
    "sum": _sum,
    "mean": _mean,
    "cumsum": _cumsum,
    "linalg_vector_norm": _vector_norm,
    "softmax": _softmax,
    "_softmax": _softmax,
    "_safe_softmax": _safe_softmax,
    "log_softmax": _log_softmax,
    "_log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "scaled_dot_product_attention": _attention,
    "avg_pool2d": _average_pool(_aten.avg_pool2d.default),
    "avg_pool3d": _average_pool(_aten.avg_pool3d.default),
    "_adaptive_avg_pool2d": _average_pool(_aten.adaptive_avg_pool2d.default),
    "adaptive_avg_pool2d": _average_pool(_aten.adaptive_avg_pool2d.default),
    "_adaptive_avg_pool3d": _average_pool(_aten._adaptive_avg_pool3d.default),
    "adaptive_avg_pool3d": _average_pool(_aten.adaptive_avg_pool3d.default),
    "nll_loss_forward": _nll(_aten.nll_loss_forward.default),
    "nll_loss2d_forward": _nll(_aten.nll_loss2d_forward.default),
    "mse_loss": _loss(_aten.mse_loss.default, 2),
    "huber_loss": _loss(_aten.huber_loss.default, 2),
    "smooth_l1_loss": _loss(_aten.smooth_l1_loss.default, 2),
    "binary_cross_entropy": _loss(_aten.binary_cross_entropy.default, 3),
    **NORM_RULES,
    **RNN_RULES,
    **INDEX_RULES,
    **LINALG_RULES,
    **RESAMPLE_RULES,
}
