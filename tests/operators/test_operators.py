# SPDX-License-Identifier: Apache-2.0
"""Operators of ATen, each in a program of its own in every dtype that it has: verified, or refused by name. Ten of
them, which the commit chooses; --long: all. `tests/operators/run` feeds them with a record that can be taken up again.
"""
from __future__ import annotations

import pathlib

import pytest

from .catalogue import Operator, every
from .trial import outcomes

TEN = max(1, len(every()) // 10)
SHAPES_SEED = 1


@pytest.mark.usefixtures("preloads")
@pytest.mark.in_parts(TEN)
@pytest.mark.parametrize("operator", every(), ids=lambda operator: operator.name)
def test_operator(operator: Operator, build: pathlib.Path) -> None:
    found = outcomes(str(build / "stitchcuda"), operator, SHAPES_SEED)
    problems = [f"{dtype}: {outcome.kind}: {outcome.sentence}" for dtype, outcome in found.items()
                if not outcome.is_fine]
    assert found and not problems, "\n".join(problems)
