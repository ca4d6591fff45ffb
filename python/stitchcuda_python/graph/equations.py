# SPDX-License-Identifier: Apache-2.0
"""Systems of equations, inverses and determinants, taken apart while we export: factors of the matrix, whose kernels we
have, and triangles solved by substitution. Where PyTorch raises, since a matrix is singular, there are infinities or
NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def equation_decompositions() -> dict[Any, Callable[..., Any]]:
    aten = torch.ops.aten
    return {
        aten.cholesky_solve.default: _cholesky_solve,
        aten.cholesky_inverse.default: _cholesky_inverse,
        aten.triangular_solve.default: _triangular_solve,
        aten.linalg_solve.default: _solve,
        aten.linalg_inv.default: _inverse,
        aten.inverse.default: _inverse,
        aten.linalg_det.default: _determinant,
        aten.det.default: _determinant,
        aten.linalg_slogdet.default: _sign_and_logarithm,
        aten.slogdet.default: _sign_and_logarithm,
        aten.logdet.default: _logarithm,
    }


def _cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    lower = factor.mT if upper else factor
    inner = torch.linalg.solve_triangular(lower, b, upper=False)
    return torch.linalg.solve_triangular(lower.mT, inner, upper=True)


def _cholesky_inverse(factor: Any, upper: bool = False) -> Any:
    return _cholesky_solve(_identity(factor), factor, upper)


def _triangular_solve(
    b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Any, Any]:
    """The solution, and the matrix again."""
    turned = a.mT if transpose else a
    solution = torch.linalg.solve_triangular(turned, b, upper=upper != transpose, unitriangular=unitriangular)
    return solution, a.clone()


def _solve(a: Any, b: Any, *, left: bool = True) -> Any:
    """The X of A X = B, or of X A = B. B is one vector for each matrix where it has their shape without the last
    axis."""
    if b.dim() == 1 or (a.dim() == b.dim() + 1 and b.shape == a.shape[:-1]):
        return _solved(a, b.unsqueeze(-1)).squeeze(-1)
    return _solved(a, b) if left else _solved(a.mT, b.mT).mT


def _solved(a: Any, b: Any) -> Any:
    rows, lower, upper = _factors(a)
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = b.expand(*batch, *b.shape[-2:])
    b = b.gather(-2, rows.unsqueeze(-1).expand(b.shape))
    inner = torch.linalg.solve_triangular(lower, b, upper=False, unitriangular=True)
    return torch.linalg.solve_triangular(upper, inner, upper=True)


def _factors(a: Any) -> tuple[Any, Any, Any]:
    """Which row of `a` each row of L U is, L and U."""
    permutation, lower, upper = torch.linalg.lu(a)
    return permutation.argmax(-2), lower, upper


def _inverse(a: Any) -> Any:
    return _solved(a, _identity(a))


def _identity(like: Any) -> Any:
    return torch.eye(like.shape[-1], dtype=like.dtype, device=like.device).expand(like.shape)


def _sign(rows: Any) -> Any:
    """Of a permutation: -1 where an odd number of pairs is out of order."""
    later_is_less = rows.unsqueeze(-2) < rows.unsqueeze(-1)
    return 1 - 2 * (later_is_less.triu(1).sum((-2, -1)) % 2)


def _determinant(a: Any) -> Any:
    rows, _lower, upper = _factors(a)
    return _sign(rows).to(a.dtype) * upper.diagonal(0, -2, -1).prod(-1)


def _sign_and_logarithm(a: Any) -> tuple[Any, Any]:
    rows, _lower, upper = _factors(a)
    diagonal = upper.diagonal(0, -2, -1)
    return _sign(rows).to(a.dtype) * diagonal.sign().prod(-1), diagonal.abs().log().sum(-1)


def _logarithm(a: Any) -> Any:
    sign, logarithm = _sign_and_logarithm(a)
    return torch.where(sign < 0, float("nan"), logarithm)
