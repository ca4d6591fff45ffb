# SPDX-License-Identifier: Apache-2.0
"""Every operator that is tried, family by family, under ATen's names."""

import random

from . import (
    algebra,
    complexes,
    factors,
    losses,
    methods,
    modules,
    network,
    pointwise,
    recurrent,
    reduction,
    refused,
    sampling,
    shape,
    windows,
)
from .case import Case, Operand, Operator

FAMILIES: dict[str, list[Operator]] = {
    "pointwise": pointwise.OPERATORS,
    "reductions, scans, sorting": reduction.OPERATORS,
    "shape, movement, indexing": shape.OPERATORS,
    "networks": network.OPERATORS,
    "recurrent networks": recurrent.OPERATORS,
    "sampling": sampling.OPERATORS,
    "modules and their arguments": modules.OPERATORS,
    "losses and their arguments": losses.OPERATORS,
    "pools, resampling, pads and their arguments": windows.OPERATORS,
    "linear algebra": algebra.OPERATORS,
    "factors of matrices": factors.OPERATORS,
    "complex numbers": complexes.OPERATORS,
    "methods of tensors": methods.OPERATORS,
    "seldom used": refused.OPERATORS,
}


def every() -> list[Operator]:
    return [operator for operators in FAMILIES.values() for operator in operators]


def chosen(only: str, sample: int, part: int, family: str = "") -> list[Operator]:
    """The operators named in `only` (with commas between), or those of the families whose names begin as one of
    `family`, or `sample` of all, others for each `part`; or all. KeyError for a name that is not there."""
    if only:
        named = {operator.name: operator for operator in every()}
        return [named[name] for name in only.split(",")]
    if family:
        names = [name for name in FAMILIES if name.startswith(tuple(family.split(",")))]
        return [operator for name in names for operator in FAMILIES[name]]
    return random.Random(part).sample(every(), min(sample, len(every()))) if sample else every()


__all__ = ["FAMILIES", "Case", "Operand", "Operator", "chosen", "every"]
