# SPDX-License-Identifier: Apache-2.0
"""Functions of single numbers that follow from others, taken apart while we export: lcm, angle,
mvlgamma."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch


def number_decompositions() -> dict[Any, Callable[..., Any]]:
    aten = torch.ops.aten
    return {aten.lcm.default: _lcm, aten.angle.default: _angle, aten.mvlgamma.default: _mvlgamma}


def _lcm(a: Any, b: Any) -> Any:
    divisor = torch.gcd(a, b)
    quotient = torch.div(a, torch.where(divisor == 0, 1, divisor), rounding_mode="trunc")
    return torch.where(divisor == 0, 0, (quotient * b).abs())


def _angle(x: Any) -> Any:
    """Of a real number: 0 or pi, and NaN as it is."""
    if x.is_complex():
        return NotImplemented
    wide = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    return torch.where(wide < 0, math.pi, torch.where(wide == wide, 0.0, wide))


def _mvlgamma(x: Any, p: int) -> Any:
    """The logarithm of the multivariate gamma function of p dimensions."""
    wide = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    total = torch.lgamma(wide)
    for number in range(1, p):
        total = total + torch.lgamma(wide - number / 2)
    return total + p * (p - 1) / 4 * math.log(math.pi)
