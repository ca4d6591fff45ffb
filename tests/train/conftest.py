# SPDX-License-Identifier: Apache-2.0
"""What the suites here share: the program that trains."""
from __future__ import annotations

import pathlib

import pytest


@pytest.fixture(scope="session")
def program(build: pathlib.Path) -> pathlib.Path:
    found = build / "stitchcuda-train"
    if not found.exists():
        pytest.skip("stitchcuda-train is not built: CMake found no LibTorch (STITCH_TRAIN), or neither PCRE2 nor ICU")
    return found
