# SPDX-License-Identifier: Apache-2.0
"""Null candidates made from right answers alone: constants, the inputs themselves, and damage done to the right answer.
Each looks at one output at a time; None where it has nothing to say about that one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from ..seeds import coin, generator

TILE_ELEMENTS = 256
WRONG_TILE_SHARE = 1e-3
FLIPPED_SHARE = 0.01
SCALED_BY = 1.05
SATURATED_AT = 0.999


@dataclass
class Answer:
    """`right` is the native result of this draw, `other` that of a draw that no verdict uses, `inputs` what forward was
    called with, by name."""

    right: torch.Tensor
    other: torch.Tensor
    inputs: dict[str, torch.Tensor]
    source: torch.Generator


Made = torch.Tensor | None


def _is_float(answer: Answer) -> bool:
    return answer.right.is_floating_point()


def zeros(answer: Answer) -> Made:
    """N01."""
    return torch.zeros_like(answer.right)


def ones(answer: Answer) -> Made:
    """N02."""
    return torch.ones_like(answer.right)


def other_mean(answer: Answer) -> Made:
    """N03: what another draw's answer is on average, everywhere."""
    finite = answer.other[torch.isfinite(answer.other)]
    if finite.numel() == 0:
        return None
    return torch.full_like(answer.right, finite.double().mean().item())


def row_mean(answer: Answer) -> Made:
    """N04: each row's mean in all of it."""
    return _mean_along(answer, -1) if _is_float(answer) and answer.right.dim() > 0 else None


def column_mean(answer: Answer) -> Made:
    """N04: each column's mean in all of it."""
    if not _is_float(answer) or answer.right.dim() < 2:
        return None
    rows = answer.right.reshape(-1, answer.right.shape[-1])
    return _mean_along(Answer(rows, rows, {}, answer.source), 0).reshape(answer.right.shape)


def _mean_along(answer: Answer, axis: int) -> torch.Tensor:
    mean = answer.right.double().mean(axis, keepdim=True)
    return mean.to(answer.right.dtype).expand(answer.right.shape).contiguous()


def an_input(name: str) -> Callable[[Answer], Made]:
    """N05: an input, repeated or cropped to the output's size."""
    return lambda answer: _fitted_to(answer.right, answer.inputs[name])


def scaled_input(name: str) -> Callable[[Answer], Made]:
    """N06: an input times the number that suits best."""

    def make(answer: Answer) -> Made:
        given = answer.inputs[name]
        if not _is_float(answer) or not given.is_floating_point() or given.numel() == 0:
            return None
        near, right = _fitted_to(answer.right, given).double(), answer.right.double()
        seen = torch.isfinite(near) & torch.isfinite(right)
        near, squares = torch.where(seen, near, 0.0), torch.where(seen, near, 0.0).square().sum()
        factor = (near * torch.where(seen, right, 0.0)).sum() / squares if squares > 0 else 0.0
        return (near * factor).to(answer.right.dtype)

    return make


def _fitted_to(like: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
    if given.numel() == 0 or like.numel() == 0:
        return torch.zeros_like(like)
    flat = given.reshape(-1)
    if given.dim() and like.dim() and given.dim() == like.dim():  # axis by axis, as broadcasting and slicing do it
        for axis, extent in enumerate(like.shape):
            times = -(-extent // given.shape[axis])
            given = given.repeat_interleave(times, axis).narrow(axis, 0, extent) if times > 1 else given
            given = given.narrow(axis, 0, extent)
        return given.to(like.dtype).contiguous()
    times = -(-like.numel() // flat.numel())
    return flat.repeat(times)[: like.numel()].reshape(like.shape).to(like.dtype)


def other_answer(answer: Answer) -> Made:
    """N07: the answer to another draw."""
    return answer.other


def half_right(answer: Answer) -> Made:
    """N13: only the first half right, the rest another draw's."""
    made = answer.right.clone().reshape(-1)
    half = made.numel() // 2
    made[half:] = answer.other.reshape(-1)[half:]
    return made.reshape(answer.right.shape)


def wrong_tile(answer: Answer) -> Made:
    """N14: one part in a thousand, at least an element, from another draw."""
    made = answer.right.clone().reshape(-1)
    if made.numel() == 0:
        return None
    length = max(1, min(TILE_ELEMENTS, int(made.numel() * WRONG_TILE_SHARE)))
    start = int(torch.randint(0, made.numel() - length + 1, (1,), generator=answer.source))
    made[start : start + length] = answer.other.reshape(-1)[start : start + length]
    return made.reshape(answer.right.shape)


def flipped(answer: Answer) -> Made:
    """N16: one element in a hundred, at least one, with its sign turned."""
    right = answer.right
    if right.numel() == 0:
        return None
    chosen = coin(right, FLIPPED_SHARE, answer.source)
    at = int(torch.randint(0, right.numel(), (1,), generator=answer.source))
    chosen.reshape(-1)[at] = True
    return torch.where(chosen, ~right if right.dtype == torch.bool else -right, right)


def shifted(answer: Answer) -> Made:
    """N17: each row where the next one belongs."""
    right = answer.right
    if right.dim() == 0:
        return None
    rows = right.reshape(-1, right.shape[-1]) if right.dim() > 1 else right.reshape(-1, 1)
    return rows.roll(1, 0).reshape(right.shape)


def transposed(answer: Answer) -> Made:
    """N18: the last two axes exchanged, where they are of one size."""
    right = answer.right
    if right.dim() < 2 or right.shape[-1] != right.shape[-2]:
        return None
    return right.transpose(-1, -2).contiguous()


def filled(value: float) -> Callable[[Answer], Made]:
    """N19: NaN or infinity everywhere."""
    return lambda answer: torch.full_like(answer.right, value) if _is_float(answer) else None


def scaled(answer: Answer) -> Made:
    """N20: five per cent too large."""
    return answer.right * SCALED_BY if _is_float(answer) else None


def saturated(answer: Answer) -> Made:
    """N21: cut off at the 99.9th percentile of its magnitudes, at least below the largest."""
    right = answer.right
    if not _is_float(answer) or right.numel() < 2:
        return None
    sizes = right.abs().reshape(-1).float()
    keep = min(right.numel() - 1, max(1, int(right.numel() * SATURATED_AT)))
    limit = float(sizes.kthvalue(keep).values)
    return right.clamp(-limit, limit) if limit == limit else None


# Made from the right answer itself: where it stays what it was, it is no wrong answer.
DAMAGE: frozenset[str] = frozenset({"N04", "N13", "N14", "N16", "N17", "N18", "N20", "N21"})


def leaves_alone(right: torch.Tensor, made: torch.Tensor) -> bool:
    """Whether damage left the right answer as it was, up to the last places of its type."""
    if not right.is_floating_point():
        return torch.equal(right, made)
    near = 4 * torch.finfo(right.dtype).eps
    return torch.allclose(right.double(), made.double(), rtol=near, atol=0.0, equal_nan=True)


def stream(seed: int, regime: str, number: int, key: str) -> torch.Generator:
    """The random choices of one null candidate in one draw; on the CPU, where choices of places are made."""
    return generator("cpu", seed, regime, number, "null", key)
