# SPDX-License-Identifier: Apache-2.0
"""Redraws a module's parameters and running statistics around what its constructor made."""

from __future__ import annotations

import torch

from ..graph.functional import FunctionalProgram, Ref
from . import constants as c
from .seeds import normal, uniform


def running_statistics(graph: FunctionalProgram) -> tuple[set[str], set[str]]:
    """The bindings that batch norms read as running mean and as running variance."""
    binding = {value.name: value.binding for value in graph.values}
    means: set[str] = set()
    variances: set[str] = set()
    for call in graph.calls:
        if "batch_norm" not in call.target_name or len(call.args) < 5:
            continue
        for argument, group in ((call.args[3], means), (call.args[4], variances)):
            if isinstance(argument, Ref) and argument.name in binding:
                group.add(binding[argument.name])
    return means, variances


def needs_wide_draws(original: torch.Tensor) -> bool:
    """A bias as constructors make it, behind a product and in front of a residual, moves a 16-bit answer by less than
    its rounding does: whoever left it out would pass."""
    return original.is_floating_point() and original.dim() == 1 and original.dtype.itemsize == 2


def is_constant(tensor: torch.Tensor) -> bool:
    """Whether all elements are equal; false of an empty tensor."""
    return tensor.numel() > 0 and bool((tensor == tensor.reshape(-1)[0]).all())


def redrawn_parameter(original: torch.Tensor, source: torch.Generator, wide: bool = False) -> torch.Tensor:
    """`original` x U(0.5, 1.5), element by element; one that is constant is also shifted, so that neither a weight of
    ones nor a bias of zeros hides a mistake. `wide`: shifted far, constant or not."""
    if not original.is_floating_point() or original.numel() == 0:
        return original.clone()
    made = original * uniform(original, c.PARAMETER_LOW, c.PARAMETER_HIGH, source)
    if wide or is_constant(original):
        first = original.reshape(-1)[0]
        shift = c.WIDE_SHIFT if wide else c.CONSTANT_SHIFT * max(1.0, abs(float(first)))
        made = made + uniform(original, -1.0, 1.0, source) * shift
    return made


def redrawn_mean(original: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """A running mean."""
    return c.RUNNING_MEAN_SPREAD * normal(original, source)


def redrawn_variance(original: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """A running variance, well above 0."""
    return torch.exp2(uniform(original, -c.RUNNING_VARIANCE_OCTAVES, c.RUNNING_VARIANCE_OCTAVES, source))
