# SPDX-License-Identifier: Apache-2.0
"""Every operator that is tried, family by family, under ATen's names."""

import random

from . import network, pointwise, reduction, refused, shape
from .case import Case, Operand, Operator

FAMILIES: dict[str, list[Operator]] = {
    "pointwise": pointwise.OPERATORS,
    "reductions, scans, sorting": reduction.OPERATORS,
    "shape, movement, indexing": shape.OPERATORS,
    "networks": network.OPERATORS,
    "seldom used": refused.OPERATORS,
}


def chosen(only: str, sample: int, part: int) -> list[Operator]:
    """The operators named in `only` (with commas between), or `sample` of all, others for each `part`; or all.
    KeyError for a name that is not there."""
    every = {operator.name: operator for operators in FAMILIES.values() for operator in operators}
    if only:
        return [every[name] for name in only.split(",")]
    return random.Random(part).sample(list(every.values()), min(sample, len(every))) if sample else list(every.values())


__all__ = ["FAMILIES", "Case", "Operand", "Operator", "chosen"]
