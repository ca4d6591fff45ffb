# SPDX-License-Identifier: Apache-2.0
"""Every operator that is tried, family by family, under ATen's names."""

from . import network, pointwise, reduction, refused, shape
from .case import Case, Operand, Operator

FAMILIES: dict[str, list[Operator]] = {
    "pointwise": pointwise.OPERATORS,
    "reductions, scans, sorting": reduction.OPERATORS,
    "shape, movement, indexing": shape.OPERATORS,
    "networks": network.OPERATORS,
    "seldom used": refused.OPERATORS,
}

__all__ = ["FAMILIES", "Case", "Operand", "Operator"]
