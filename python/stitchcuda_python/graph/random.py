# SPDX-License-Identifier: Apache-2.0
"""Operators that draw, as functions of numbers that are handed in: each such call of a program gets a value of its own,
uniform in [0, 1) or standard normal, from which its result follows. References and candidate then see the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .flops import short_name
from .functional import Call, FunctionalProgram, Ref

UNIFORM, NORMAL = "uniform", "normal"
NUMBERS, STREAM = "random", "random_stream"  # keyword arguments of a call that draws

_Numbers = torch.Tensor


def _as_float32(probability: float) -> float:
    """A probability as kernels compare it, so that every precision drops the same elements."""
    return float(torch.tensor(probability, dtype=torch.float32))


def _dropout(numbers: _Numbers, x: Any, p: float, _train: Any = True) -> Any:
    mask = numbers < _as_float32(1.0 - p)
    return x * torch.where(mask, 1.0 / (1.0 - p), 0.0).to(x.dtype), mask


def _bernoulli(numbers: _Numbers, x: Any, p: Any = None) -> Any:
    limit = x if p is None else p
    limit = limit if isinstance(limit, torch.Tensor) else _as_float32(limit)
    return (numbers < limit).to(x.dtype)


def _bernoulli_in_place(numbers: _Numbers, x: Any, p: Any = 0.5) -> Any:
    return _bernoulli(numbers, x, p)


def _numbers_themselves(numbers: _Numbers, *_size: Any) -> Any:
    return numbers


def _uniform(numbers: _Numbers, _x: Any, low: float = 0.0, high: float = 1.0) -> Any:
    return numbers * (high - low) + low


def _normal_like(numbers: _Numbers, _x: Any, mean: float = 0.0, deviation: float = 1.0) -> Any:
    return numbers * deviation + mean


def _normal(numbers: _Numbers, mean: Any = 0.0, deviation: Any = 1.0, *_size: Any) -> Any:
    return numbers * deviation + mean


def _exponential(numbers: _Numbers, _x: Any, rate: float = 1.0) -> Any:
    return torch.log1p(-numbers) * (-1.0 / rate)


# By short name, in-place forms with their underscore: which numbers, and what becomes of them.
_RULES: dict[str, tuple[str, Callable[..., Any]]] = {
    "native_dropout": (UNIFORM, _dropout),
    "bernoulli": (UNIFORM, _bernoulli),
    "bernoulli_": (UNIFORM, _bernoulli_in_place),
    "rand": (UNIFORM, _numbers_themselves),
    "rand_like": (UNIFORM, _numbers_themselves),
    "randn": (NORMAL, _numbers_themselves),
    "randn_like": (NORMAL, _numbers_themselves),
    "uniform": (UNIFORM, _uniform),
    "uniform_": (UNIFORM, _uniform),
    "normal_functional": (NORMAL, _normal_like),
    "normal_": (NORMAL, _normal_like),
    "normal": (NORMAL, _normal),
    "exponential": (UNIFORM, _exponential),
    "exponential_": (UNIFORM, _exponential),
}


def numbers_drawn(target: Any, args: list[Any]) -> str | None:
    """UNIFORM or NORMAL for a call that draws, None for one that does not."""
    operator = short_name(target)
    if operator == "native_dropout" and (args[1] in (0.0, 1.0) or (len(args) > 2 and args[2] is False)):
        return None  # nothing is left to chance
    return _RULES[operator][0] if operator in _RULES else None


def result_from(target: Any, numbers: torch.Tensor, args: list[Any]) -> Any:
    """What `target` makes of `args` with these numbers; for an in-place operator its new contents."""
    return _RULES[short_name(target)][1](numbers, *args)


def calls_that_draw(graph: FunctionalProgram) -> list[tuple[str, Call]]:
    """Calls that draw, in order, with the names of the values that hold their numbers."""
    return [(call.kwargs[NUMBERS].name, call) for call in graph.calls if isinstance(call.kwargs.get(NUMBERS), Ref)]
