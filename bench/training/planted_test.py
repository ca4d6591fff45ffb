# SPDX-License-Identifier: Apache-2.0
"""The list of planted mistakes fits the code. Cost: nothing; bench/training/mutants takes a minute a mistake."""
from __future__ import annotations

import pathlib
import tomllib

import pytest

HERE = pathlib.Path(__file__).resolve().parent
PLANTED = tomllib.loads((HERE / "planted.toml").read_text())["mutant"]


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda one: one["name"])
def test_a_planted_mistake_has_its_place(mutant: dict) -> None:
    assert (HERE.parents[1] / mutant["file"]).read_text().count(mutant["text"]) == 1
    assert mutant["text"] != mutant["replacement"]
