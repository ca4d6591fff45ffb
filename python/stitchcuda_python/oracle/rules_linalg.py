# SPDX-License-Identifier: Apache-2.0
"""Rules (see rules.py) of factors and of systems of equations. What a loop loses on the way is what exact arithmetic
gives for a matrix nearby (Higham, Accuracy and Stability of Numerical Algorithms, theorems 8.5, 9.3 and 10.3): that
matrix is disturbed, as a sum of so many products is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .arithmetic import Arithmetic

_LEAST_LEFT = 4  # units of rounding, for each column


def _cholesky(a: Arithmetic, x: Any, upper_first: bool = False, *, upper: bool = False) -> Any:
    """Raises where a factor that is rounded otherwise may not exist (Higham, theorem 10.7), as a program that asks for
    it may."""
    is_upper = upper or upper_first
    near = _near_factored(a, x, is_upper)
    if a.source is not None and near.numel() > 0:
        lost = _LEAST_LEFT * near.shape[-1] * torch.finfo(near.dtype).eps
        torch.linalg.cholesky(near - torch.diag_embed(near.diagonal(0, -2, -1) * lost), upper=is_upper)
    return torch.linalg.cholesky(near, upper=is_upper)


def _cholesky_ex(a: Arithmetic, x: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    return tuple(torch.linalg.cholesky_ex(_near_factored(a, x, upper), upper=upper, check_errors=check_errors))


def _near_factored(a: Arithmetic, x: Any, is_upper: bool) -> Any:
    made = torch.linalg.cholesky_ex(x, upper=is_upper).L
    lower = made.mT if is_upper else made
    return _near(a, x, lambda: _product_of_squares(lower, lower.mT))


def _lu(a: Arithmetic, x: Any, *, pivot: bool = True) -> Any:
    permutation, lower, upper = torch.linalg.lu(x, pivot=pivot)
    near = _near(a, x, lambda: permutation @ _product_of_squares(lower, upper))
    return tuple(torch.linalg.lu(near, pivot=pivot))


def _solve_triangular(a: Arithmetic, matrix: Any, b: Any, **how: Any) -> Any:
    return torch.linalg.solve_triangular(_near(a, matrix, matrix.abs), b, **how)


def _near(a: Arithmetic, matrix: Any, magnitude: Callable[[], Any]) -> Any:
    return a.disturbed(matrix.clone(), magnitude, matrix.shape[-1])


def _product_of_squares(left: Any, right: Any) -> Any:
    return ((left * left) @ (right * right)).sqrt()


LINALG_RULES: dict[str, Callable[..., Any]] = {
    "cholesky": _cholesky,
    "linalg_cholesky": _cholesky,
    "linalg_cholesky_ex": _cholesky_ex,
    "linalg_lu": _lu,
    "linalg_solve_triangular": _solve_triangular,
}
