# SPDX-License-Identifier: Apache-2.0
"""Parameters beyond what a constructor makes: other signs, rows of other sizes, zeros, special structure, none, and
those of another draw but for one element."""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch

from . import constants as c
from .parameters import is_constant, redrawn_parameter
from .seeds import coin, derive, normal, uniform


@dataclass(frozen=True)
class Manner:
    """How the parameters of one draw are made. `turn`: which special structure; in the next regime it is another.
    `share`: of parameters that are given one. `decides`: the program chooses by computed values, and what makes several
    of them equal leaves the choice open: equal rows, biases or diagonals of zeros."""

    kind: str = c.PLAIN
    turn: int = 0
    share: float = 1.0
    decides: bool = False


def manner_of(seed: int, regime: str, number: int) -> str:
    """The kind of a draw's manner: each once in as many draws of a regime, in an order by chance; in some regimes
    `BESIDE` in the place of one, at a place of its own. The first draw as given is plain: by it the program is taken
    in."""
    order = list(c.MANNERS)
    random.Random(derive(seed, regime, "manners")).shuffle(order)
    if regime == "as_given":
        order.remove(c.PLAIN)
        order.insert(0, c.PLAIN)
    if regime in c.BESIDE_INSTEAD:
        place, instead = c.BESIDE_INSTEAD[regime]
        order.remove(instead)
        order.insert(place, c.BESIDE)
    return order[number % len(order)]


QUESTIONS = {
    c.SIGNED: "with parameters of other signs",
    c.SCALED: "with rows of parameters of other sizes, some of them zero",
    c.SPECIAL: "with parameters of special structure",
    c.GENERIC: "with parameters that no constructor makes",
    c.BESIDE: "with parameters of which one element is far larger than all others",
}


class Manners:
    """The manners of one program's draws."""

    def __init__(self, parameters: dict[str, torch.Tensor], decides: bool) -> None:
        matrices = sum(tensor.dim() > 1 for tensor in parameters.values())
        self._share = 1.0 if matrices <= c.FEW_MATRICES else c.STRUCTURED_SHARE
        self._decides = decides

    def of(self, seed: int, regime: str, number: int) -> Manner:
        """The manner of a draw that may have unusual parameters."""
        turn = derive(seed, "turn") % c.TURNS + c.REGIMES.index(regime)
        return Manner(manner_of(seed, regime, number), turn, self._share, self._decides)


def drawn_parameter(
    original: torch.Tensor, manner: Manner, place: int, wide: bool, source: torch.Generator
) -> torch.Tensor:
    """`original`, which is the one of number `place`, in that manner. `wide`: see redrawn_parameter; such a one is
    given no structure."""
    plain = redrawn_parameter(original, source, wide)
    if not original.is_floating_point() or original.numel() == 0 or manner.kind in (c.PLAIN, c.BESIDE):
        return plain
    if manner.kind == c.SIGNED:
        return plain * _signs(plain, 0.5, source)
    if manner.kind == c.SCALED:
        return _scaled(plain, source, manner.decides)
    if manner.kind == c.GENERIC:
        made = _generic(original, source)
        return made + uniform(made, -c.WIDE_SHIFT, c.WIDE_SHIFT, source) if wide else made
    if wide or not bool(coin(torch.empty(()), manner.share, source)):
        return plain
    return _structured(plain, manner, manner.turn + place, source)


def with_one_element_changed(tensor: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """A copy of which one element is larger than all others, of either sign."""
    made = tensor.detach().clone()
    if made.is_floating_point() and made.numel() > 0:
        place = int(torch.randint(made.numel(), (), generator=source, device=source.device))
        like = torch.empty((), dtype=torch.float32)
        size = uniform(like, c.BESIDE_LOW, c.BESIDE_HIGH, source) * _signs(like, 0.5, source)
        largest = float(made.abs().max()) or 1.0
        made.reshape(-1)[place] = float(size) * largest
    return made


def _signs(like: torch.Tensor, share: float, source: torch.Generator) -> torch.Tensor:
    return torch.where(coin(like, share, source), -1.0, 1.0).to(like.dtype)


def _scaled(plain: torch.Tensor, source: torch.Generator, decides: bool) -> torch.Tensor:
    """Rows times powers of two; some rows and elements zero."""
    rows = plain if plain.dim() < 2 else plain.reshape(plain.shape[0], -1)[:, :1]
    is_far = plain.dtype.itemsize >= 4 and bool(coin(torch.empty(()), 0.5, source))
    least = -(c.FAR_ROW_OCTAVES if is_far else c.ROW_OCTAVES)
    octaves = torch.randint(least, c.ROW_OCTAVES + 1, rows.shape, generator=source, device=source.device)
    factor = torch.exp2(octaves.to(torch.float32))
    # Not always: what a norm makes of equal numbers is rounding.
    if not decides and bool(coin(torch.empty(()), 0.5, source)):
        factor = factor * ~coin(rows, c.ZERO_WEIGHT_ROW_SHARE, source)
    if plain.dim() > 1:
        factor = factor.reshape(-1, *[1] * (plain.dim() - 1))
    elif decides:
        return plain * factor.to(plain.dtype)
    return plain * factor.to(plain.dtype) * ~coin(plain, c.ZERO_ELEMENT_SHARE, source)


def _generic(original: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """Normal numbers as large as the original's: of its zeros, signs, diagonals and equal rows nothing is left."""
    if is_constant(original):
        first = float(original.reshape(-1)[0])
        return original + c.GENERIC_SPREAD * max(1.0, abs(first)) * normal(original, source)
    size = original.float().square().mean().sqrt().to(original.dtype)
    return normal(original, source) * size


def _structured(plain: torch.Tensor, manner: Manner, turn: int, source: torch.Generator) -> torch.Tensor:
    if manner.decides:
        return plain if plain.dim() < 2 else _symmetric(plain, source)
    if plain.dim() < 2:
        made = (torch.ones_like(plain), torch.zeros_like(plain), torch.full_like(plain, float(plain.reshape(-1)[0])))
        return made[turn % len(made)]
    last = _permuted if bool(coin(torch.empty(()), 0.5, source)) else _constant
    kinds = (_identity, _diagonal, _symmetric, last)
    return kinds[turn % len(kinds)](plain, source)


def _matrices(tensor: torch.Tensor) -> torch.Tensor:
    """A view of the matrices of a parameter, last: of a convolution's kernels those of outputs by inputs, at each
    place; of a stack of matrices, which no kernel is as wide as, each of them."""
    is_kernel = tensor.dim() > 3 or (tensor.dim() == 3 and tensor.shape[-1] <= c.WIDEST_KERNEL)
    return tensor.movedim((0, 1), (-2, -1)) if is_kernel else tensor


def _eye(plain: torch.Tensor) -> torch.Tensor:
    """Ones where output and input are the same, round again where there are more outputs; of a kernel with places, at
    the middle one."""
    made = torch.zeros_like(plain)
    matrices = _matrices(made)
    is_kernel = matrices is not made
    rows = torch.arange(matrices.shape[-2], device=made.device)
    middle = tuple(size // 2 for size in matrices.shape[:-2]) if is_kernel else ()
    matrices[middle][..., rows, rows % matrices.shape[-1]] = 1.0
    return made


def _identity(plain: torch.Tensor, _source: torch.Generator) -> torch.Tensor:
    return _eye(plain)


def _diagonal(plain: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    return _eye(plain) * uniform(plain, c.PARAMETER_LOW, c.PARAMETER_HIGH, source) * _signs(plain, 0.5, source)


def _symmetric(plain: torch.Tensor, _source: torch.Generator) -> torch.Tensor:
    """The upper triangle of the largest square is also the lower one."""
    made = plain.clone()
    matrices = _matrices(made)
    size = min(matrices.shape[-2:])
    square = matrices[..., :size, :size]
    square.copy_(square.triu() + square.triu(1).mT)
    return made


def _permuted(plain: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    order = torch.randperm(plain.shape[0], generator=source, device=source.device).to(plain.device)
    return _eye(plain)[order]


def _constant(plain: torch.Tensor, _source: torch.Generator) -> torch.Tensor:
    size = plain.float().square().mean().sqrt().to(plain.dtype)
    return torch.ones_like(plain) * size
