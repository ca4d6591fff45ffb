# SPDX-License-Identifier: Apache-2.0
"""NaN, infinities, subnormal numbers and zeros of either sign among the inputs of programs whose operators say what
becomes of them: one element by itself, quotients and logarithms too, or sums, in whatever order they are made. Products
of matrices are left out: honest kernels skip zeros, and an operand that is split into coarser ones makes NaN of an
infinity."""

from __future__ import annotations

import torch

from ..graph.flops import short_name
from ..graph.functional import FunctionalProgram
from .bounds import VIEWS
from .decisions import Decisions
from .seeds import coin

_SMALL = (0.0, -0.0, 1e-40, -3e-41)
_INFINITE = (*_SMALL, float("inf"), float("-inf"))
_UNDEFINED = (*_INFINITE, float("nan"))
# The draws of sparse_extreme that have them, and the share of elements.
_FIRST_DRAW = 3
_SHARE = 1 / 16
_MOVES = {"cat", "stack", "flip", "roll", "index_select", "gather", "embedding", "index", "repeat", "tril", "triu"}
_MOVES |= {"constant_pad_nd", "full", "full_like", "zeros_like", "ones_like", "scalar_tensor", "arange"}
# Of each element alone; a sum or product of two makes of NaN and infinities what IEEE 754 says.
_BY_RULE = {"neg", "abs", "add", "sub", "rsub", "mul", "where", "masked_fill", "sign", "isnan", "isinf", "isfinite"}
_BY_RULE |= {"nan_to_num", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not", "signbit"}
# Of which the C library and PyTorch say different things where an operand is NaN.
_ORDERED = {"relu", "clamp", "clamp_min", "clamp_max", "maximum", "minimum", "amax", "amin", "max", "min", "threshold"}

# Sums, beside what neither multiplies nor chooses: a term that is left out for its factor of zero could be NaN.
_SUMS = {"sum", "mean"}
_BESIDE_SUMS = {"cat", "stack", "flip", "roll", "repeat", "neg", "abs", "add", "sub", "rsub"}
_ONE_INFINITE = (*_SMALL, float("inf"))  # of one sign: a draw is left out where infinities make NaN
_MOST_IN_SUMS = 8  # elements of a tensor: other sums are to stay finite


# Quotients, roots and logarithms, which make infinities of zeros by their sign. No subnormal numbers: an honest
# reciprocal of the special function unit takes them for zeros.
_OF_ZEROS = {"div", "reciprocal", "sqrt", "rsqrt", "log", "log2", "log10", "log1p"}
_NOT_SUBNORMAL = (0.0, -0.0, float("inf"), float("-inf"), float("nan"))


class SpecialValues:
    """What one program may be given."""

    def __init__(self, graph: FunctionalProgram) -> None:
        names = {short_name(call.target) for call in graph.calls}
        known = VIEWS | _MOVES | _BY_RULE
        self._mixtures: list[tuple[float, ...]] = []
        self.most: int | None = None  # elements of a tensor that become special; None: any number
        if names <= known | _ORDERED and not Decisions(graph).calls:
            self._mixtures = [_INFINITE, _UNDEFINED if names <= known else _INFINITE]
        elif names & _OF_ZEROS and names <= known | _OF_ZEROS and not Decisions(graph).calls:
            # Zeros and infinities of both make NaN, which is asked only where NaN is given.
            self._mixtures = [_NOT_SUBNORMAL]
        elif names & _SUMS and names <= VIEWS | _SUMS | _BESIDE_SUMS:
            self._mixtures = [_ONE_INFINITE, _UNDEFINED]
            self.most = _MOST_IN_SUMS

    def of_draw(self, regime: str, number: int) -> tuple[float, ...]:
        """The special values of a draw; none in most."""
        if regime != "sparse_extreme" or number < _FIRST_DRAW or not self._mixtures:
            return ()
        return self._mixtures[(number - _FIRST_DRAW) % len(self._mixtures)]


def with_specials(
    tensor: torch.Tensor, values: tuple[float, ...], source: torch.Generator, most: int | None = None
) -> torch.Tensor:
    """Some elements of a float tensor become special; at least one, and `most` at most."""
    if not values or not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    chosen = torch.randint(0, len(values), tensor.shape, generator=source, device=source.device)
    where = coin(tensor, _SHARE, source)
    where.reshape(-1)[:1] = True
    if most is not None:  # each of the values, where there is room
        places = torch.randint(0, tensor.numel(), (most,), generator=source, device=source.device)
        chosen.view(-1)[places] = torch.arange(most, device=source.device) % len(values)
        where = torch.zeros_like(where)
        where.view(-1)[places.to(tensor.device)] = True
    special = torch.tensor(values, dtype=tensor.dtype, device=tensor.device)[chosen.to(tensor.device)]
    return torch.where(where, special, tensor)


def are_alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two floats are infinite and no numbers at the same places."""
    kinds = [torch.where(torch.isinf(each), each.sign(), 0).double() for each in (one, other)]
    return torch.equal(torch.isnan(one), torch.isnan(other)) and torch.equal(*kinds)
