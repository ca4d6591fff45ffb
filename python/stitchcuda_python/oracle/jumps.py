# SPDX-License-Identifier: Apache-2.0
"""Element by element: calls whose result jumps at some values of their operand, how near an element is to a jump, and
what lies on its other side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from ..graph.flops import short_name
from ..graph.functional import Call

_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
Spread = torch.Tensor | float


@dataclass(frozen=True)
class Jump:
    """`position` gives, from a call's first two arguments and how far rounding moves them, a number and how far
    rounding moves that; it jumps where the number is as `distance` 0 says. `across` is the result on the other side.
    `whole` makes a whole number of any; None where the result is none."""

    position: Callable[[list[Any], list[Spread]], tuple[torch.Tensor, Spread]]
    distance: Callable[[torch.Tensor], torch.Tensor]
    across: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    whole: Callable[[torch.Tensor], torch.Tensor] | None = None

    def ties(self, args: list[Any], spreads: list[Spread]) -> torch.Tensor:
        """The elements that rounding alone may move across a jump. One that stands on it stands there for a reason (a
        zero of a ReLU, a number of a few bits), in any kernel."""
        number, spread = self.position(args, spreads)
        distance = self.distance(number)
        return (distance > 0) & (distance <= spread)

    def range(self, args: list[Any], spreads: list[Spread]) -> tuple[torch.Tensor, torch.Tensor]:
        """Between which whole numbers the result lies, however operands are rounded."""
        assert self.whole is not None
        number, spread = self.position(args, spreads)
        return self.whole(number - spread), self.whole(number + spread)

    def far_ties(self, args: list[Any], spreads: list[Spread]) -> torch.Tensor | None:
        """The elements that rounding may move by several whole numbers; None where there can be none."""
        if self.whole is None:
            return None
        low, high = self.range(args, spreads)
        return high - low > 1

    def stepped(self, args: list[Any], spreads: list[Spread], made: torch.Tensor, steps: int) -> torch.Tensor:
        """The result so many whole numbers farther on where rounding may move it there, else as far as it may."""
        low, high = self.range(args, spreads)
        moved = (made + steps).clamp(low, high)
        return torch.where(high - low > 1, moved, made).to(made.dtype)

    def other(self, args: list[Any], made: torch.Tensor) -> torch.Tensor:
        """What the call gives on the other side of the nearest jump."""
        return self.across(self.position(args, [0.0, 0.0])[0], made).to(made.dtype)


def _first(args: list[Any], spreads: list[Spread]) -> tuple[torch.Tensor, Spread]:
    return args[0], spreads[0]


def _difference(args: list[Any], spreads: list[Spread]) -> tuple[torch.Tensor, Spread]:
    return args[0] - args[1], spreads[0] + spreads[1]


def _quotient(args: list[Any], spreads: list[Spread]) -> tuple[torch.Tensor, Spread]:
    made = args[0] / args[1]
    divisor = abs(args[1])
    return made, (spreads[0] + made.abs() * spreads[1]) / divisor


def _to_whole(number: torch.Tensor) -> torch.Tensor:
    return (number - number.round()).abs()


def _to_half(number: torch.Tensor) -> torch.Tensor:
    return (number - number.floor() - 0.5).abs()


def _to_whole_but_zero(number: torch.Tensor) -> torch.Tensor:
    """Truncation does not jump at zero."""
    return torch.where(number.round() == 0, torch.inf, _to_whole(number))


def _below(number: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
    return 2 * number.round() - 1 - made


def _above(number: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
    return 2 * number.round() + 1 - made


_COMPARISON = Jump(_difference, torch.abs, lambda number, made: ~made)
_FLOOR = Jump(_first, _to_whole, _below, torch.floor)
_TRUNCATION = Jump(
    _first,
    _to_whole_but_zero,
    lambda number, made: torch.where(number > 0, _below(number, made), _above(number, made)),
    torch.trunc,
)
_JUMPS = {
    **dict.fromkeys(("gt", "lt", "ge", "le", "eq", "ne"), _COMPARISON),
    "floor": _FLOOR,
    "ceil": Jump(_first, _to_whole, _above, torch.ceil),
    "trunc": _TRUNCATION,
    "fix": _TRUNCATION,
    "round": Jump(_first, _to_half, lambda number, made: 2 * number.floor() + 1 - made, torch.round),
    "sign": Jump(_first, torch.abs, lambda number, made: -made),
    "floor_divide": Jump(_quotient, _to_whole, _below, torch.floor),
}
_DIVISIONS = {
    "floor": _JUMPS["floor_divide"],
    "trunc": Jump(_quotient, _to_whole_but_zero, _TRUNCATION.across, torch.trunc),
}


def jump_of(call: Call) -> Jump | None:
    """How the call jumps; None where it does not, or in a way that is not known here."""
    name = short_name(call.target)
    if name == "div":
        return _DIVISIONS.get(call.kwargs.get("rounding_mode"))
    if name == "_to_copy":
        return _TRUNCATION if call.kwargs.get("dtype") in _INTEGERS else None
    if name == "round" and (call.kwargs.get("decimals") or len(call.args) > 1):
        return None
    return _JUMPS.get(name)
