# SPDX-License-Identifier: Apache-2.0
"""bench/agents/crowd, small: two runs at once are within all limits, and one that nobody can keep fails the bench."""
from __future__ import annotations

import json
import pathlib
import subprocess

import pytest

CROWD = pathlib.Path(__file__).resolve().parents[2] / "bench" / "agents" / "crowd"
pytestmark = pytest.mark.usefixtures("preloads")

TINY = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x * 2).sum(dim=0)

def get_inputs():
    return [torch.randn(6, 24)]

def get_init_inputs():
    return []
"""


def test_two_runs_share_a_server_and_a_device(tmp_path: pathlib.Path, build: pathlib.Path, cache: pathlib.Path) -> None:
    (tmp_path / "tiny.py").write_text(TINY)
    own = ["--limit", "own_ms=0.001", "--limit", "overlap=0.001", "--limit", "wait=3"]
    told = subprocess.run([str(CROWD), "--build", str(build), "--runs", "2", "--rounds", "2", "--answer-seconds", "0.5",
                           "--no-expert", "--cache", str(cache), "--json", "kept.json", *own, "tiny.py"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert told.returncode == 1, told.stderr
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert [each.split()[0] for each in kept["failed"]] == ["own_ms"], told.stderr
    assert "own_ms is " in told.stderr and "at most 0.001" in told.stderr
    assert [run["rounds"] for run in kept["runs"]] == [2, 2]
    assert all(run["own_ms"] > 0.1 and run["own_mb"] > 5 for run in kept["runs"])
    assert kept["figures"]["turns"] >= 6 and kept["figures"]["on_device"] >= 1
    assert 0 < kept["figures"]["overlap"] < 1 and kept["figures"]["device_seconds"] > 0
