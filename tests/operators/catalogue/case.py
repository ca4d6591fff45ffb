# SPDX-License-Identifier: Apache-2.0
"""What one operator is tried with: an expression, and how its operands are drawn."""

import dataclasses
import random
import re
from collections.abc import Callable

FLOATS = ("float32", "bfloat16")
INTEGERS = ("int64", "int32")
NUMBERS = ("float32", "int64")


@dataclasses.dataclass(frozen=True)
class Operand:
    """A tensor of `shape`. `dtype` None is the dtype under test. Floats are normal numbers, or uniform in [low, high];
    integers are uniform in [low, high). `strided` operands reach the operator as a view that is not contiguous."""

    shape: tuple[int, ...]
    dtype: str | None = None
    low: float | None = None
    high: float | None = None
    strided: bool = False


@dataclasses.dataclass(frozen=True)
class Case:
    expression: str
    operands: dict[str, Operand]


@dataclasses.dataclass(frozen=True)
class Operator:
    """`name` is ATen's. `make` draws a case; it is called once for each shape."""

    name: str
    dtypes: tuple[str, ...]
    make: Callable[[random.Random, int], Case]


def shape(rng: random.Random, rank: int, low: int = 2, high: int = 19) -> tuple[int, ...]:
    """Random extents; one of them is long enough for more than one warp."""
    extents = [rng.randint(low, high) for _ in range(rank)]
    if rank:
        extents[rng.randrange(rank)] = rng.randint(33, 70)
    return tuple(extents)


def axis(rng: random.Random, rank: int) -> int:
    return rng.randrange(-rank, rank)


def operator(name: str, expression: str, dtypes: tuple[str, ...] = FLOATS, **operands: object) -> Operator:
    """An operator with a fixed expression; each operand is an Operand or a function of the random generator."""

    def make(rng: random.Random, _: int) -> Case:
        return Case(expression, {key: value(rng) if callable(value) else value for key, value in operands.items()})

    return Operator(name, dtypes, make)


def forms(name: str, expressions: list[str], dtypes: tuple[str, ...] = FLOATS, **operands: object) -> Operator:
    """As operator(), but each case has another of the expressions, which use all operands or some of them."""

    def make(rng: random.Random, index: int) -> Case:
        expression = expressions[index % len(expressions)]
        names = set(re.findall(r"\w+", expression))
        drawn = {key: value(rng) if callable(value) else value for key, value in operands.items()}
        return Case(expression, {key: value for key, value in drawn.items() if key in names})

    return Operator(name, dtypes, make)
