# SPDX-License-Identifier: Apache-2.0
"""The toys do what their curves are there to show, one seed of each arm.

Cost: nothing in the short tier, whose conftest leaves out what is long (in this folder alone nobody does);
with --long some minutes of one core, and LibTorch's headers once.
"""
from __future__ import annotations

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from toys_record import CLAIMS, PROGRAM, ROOT, built, curve  # noqa: E402


@pytest.mark.long
@pytest.mark.parametrize("toy, arm", CLAIMS, ids="-".join)
def test_a_toy_shows_what_it_is_to_show(toy: str, arm: str) -> None:
    build = ROOT / os.environ.get("STITCHCUDA_BUILD", "build")
    if not (build / "src" / "train").is_dir():
        pytest.skip(f"no LibTorch, so no {PROGRAM}")
    claim, holds = CLAIMS[toy, arm]
    assert holds(curve(built(build), toy, arm, 1)), claim
