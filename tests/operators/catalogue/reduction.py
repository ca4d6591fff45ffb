# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans, sorting."""

import random

from .case import FLOATS, INTEGERS, NUMBERS, Case, Operand, Operator, axis, shape

ALONG_AN_AXIS = {
    "sum.dim_IntList": ("torch.sum(x, {dim}, keepdim={keep})", NUMBERS),
    "mean.dim": ("torch.mean(x, {dim}, keepdim={keep})", FLOATS),
    "amax": ("torch.amax(x, {dim}, keepdim={keep})", FLOATS),
    "amin": ("torch.amin(x, {dim}, keepdim={keep})", FLOATS),
    "aminmax": ("torch.aminmax(x, dim={dim}, keepdim={keep})", FLOATS),
    "max.dim": ("torch.max(x, {dim}, keepdim={keep})", FLOATS),
    "min.dim": ("torch.min(x, {dim}, keepdim={keep})", FLOATS),
    "argmax": ("torch.argmax(x, {dim}, keepdim={keep})", FLOATS),
    "argmin": ("torch.argmin(x, {dim}, keepdim={keep})", FLOATS),
    "prod.dim_int": ("torch.prod(x, {dim}, keepdim={keep})", FLOATS),
    "any.dim": ("torch.any(x > 1, {dim}, keepdim={keep})", NUMBERS),
    "all.dim": ("torch.all(x > -1, {dim}, keepdim={keep})", NUMBERS),
    "count_nonzero": ("torch.count_nonzero(x > 0, {dim})", NUMBERS),
    "nansum": ("torch.nansum(x, {dim}, keepdim={keep})", FLOATS),
    "logsumexp": ("torch.logsumexp(x, {dim}, keepdim={keep})", FLOATS),
    "var.correction": ("torch.var(x, {dim}, correction=1, keepdim={keep})", FLOATS),
    "std.correction": ("torch.std(x, {dim}, correction=0, keepdim={keep})", FLOATS),
    "var_mean.correction": ("torch.var_mean(x, {dim}, correction=1, keepdim={keep})", FLOATS),
    "std_mean.correction": ("torch.std_mean(x, {dim}, correction=1, keepdim={keep})", FLOATS),
    "linalg_vector_norm.2": ("torch.linalg.vector_norm(x, 2, {dim}, keepdim={keep})", FLOATS),
    "linalg_vector_norm.1": ("torch.linalg.vector_norm(x, 1, {dim}, keepdim={keep})", FLOATS),
    "linalg_vector_norm.inf": ("torch.linalg.vector_norm(x, float('inf'), {dim}, keepdim={keep})", FLOATS),
    "linalg_vector_norm.3": ("torch.linalg.vector_norm(x, 3, {dim}, keepdim={keep})", FLOATS),
    "norm.ScalarOpt_dim": ("torch.norm(x, 2, {dim}, keepdim={keep})", FLOATS),
    "median.dim": ("torch.median(x, {dim}, keepdim={keep})", FLOATS),
    "kthvalue": ("torch.kthvalue(x, 2, {dim}, keepdim={keep})", FLOATS),
    "mode": ("torch.mode(x, {dim}, keepdim={keep})[0]", INTEGERS),
    "softmax": ("torch.softmax(x, {dim})", FLOATS),
    "log_softmax": ("torch.log_softmax(x, {dim})", FLOATS),
    "softmin": ("F.softmin(x, {dim})", FLOATS),
    "cumsum": ("torch.cumsum(x, {dim})", NUMBERS),
    "cumprod": ("torch.cumprod(x, {dim})", FLOATS),
    "cummax": ("torch.cummax(x, {dim})", FLOATS),
    "cummin": ("torch.cummin(x, {dim})", FLOATS),
    "logcumsumexp": ("torch.logcumsumexp(x, {dim})", FLOATS),
    "topk": ("torch.topk(x, 2, {dim})", FLOATS),
    "topk.smallest": ("torch.topk(x, 2, {dim}, largest=False)", FLOATS),
    "sort": ("torch.sort(x, dim={dim})", FLOATS),
    "sort.stable_descending": ("torch.sort(x, stable=True, dim={dim}, descending=True)", FLOATS),
    "argsort": ("torch.argsort(x, {dim})", FLOATS),
    "diff": ("torch.diff(x, dim={dim})", FLOATS),
    "normalize": ("F.normalize(x, dim={dim})", FLOATS),
    "quantile": ("torch.quantile(x, 0.3, dim={dim}, keepdim={keep})", ("float32",)),
    "quantile.several": ("torch.quantile(x, torch.tensor([0.1, 0.75]), dim={dim}, keepdim={keep})", ("float32",)),
    "nanquantile": (
        "torch.nanquantile(torch.where(x > 1, float('nan'), x), 0.3, dim={dim}, keepdim={keep})",
        ("float32",),
    ),
    "unbind": ("torch.unbind(x, {dim})[1]", FLOATS),
    "trapezoid": ("torch.trapezoid(x, dim={dim})", FLOATS),
}

WHOLE = {
    "sum": ("torch.sum(x)", NUMBERS),
    "mean": ("torch.mean(x)", FLOATS),
    "max": ("torch.max(x)", FLOATS),
    "min": ("torch.min(x)", FLOATS),
    "prod": ("torch.prod(x * 0.2 + 1)", FLOATS),
    "any": ("torch.any(x > 1)", NUMBERS),
    "all": ("torch.all(x > -9)", NUMBERS),
    "argmax.flat": ("torch.argmax(x)", FLOATS),
    "argmin.flat": ("torch.argmin(x)", FLOATS),
    "var": ("torch.var(x)", FLOATS),
    "std": ("torch.std(x)", FLOATS),
    "median": ("torch.median(x)", FLOATS),
    "sum.dtype": ("torch.sum(x, dtype=torch.float64)", FLOATS),
    "norm.Scalar": ("torch.norm(x)", FLOATS),
}


def along(name: str, expression: str, dtypes: tuple[str, ...]) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        rank = index + 1 + rng.randrange(2)
        text = expression.format(dim=axis(rng, rank), keep=bool(rng.randrange(2)))
        return Case(text, {"x": Operand(shape(rng, rank), strided=index == 2)})

    return Operator(name, dtypes, make)


def whole(name: str, expression: str, dtypes: tuple[str, ...]) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        return Case(expression, {"x": Operand(shape(rng, index + 1), strided=index == 2)})

    return Operator(name, dtypes, make)


def several_axes(name: str) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        dims = tuple(sorted(rng.sample(range(4), 2 + index % 2)))
        return Case(f"torch.{name}(x, {dims}, keepdim={bool(index % 2)})", {"x": Operand(shape(rng, 4, 2, 9))})

    return Operator(f"{name}.several_axes", FLOATS, make)


OPERATORS = (
    [along(name, *form) for name, form in ALONG_AN_AXIS.items()]
    + [whole(name, *form) for name, form in WHOLE.items()]
    + [several_axes(name) for name in ("sum", "mean", "amax", "var", "logsumexp")]
)
