# SPDX-License-Identifier: Apache-2.0
"""A module in Python is judged at reduced sizes where that is asked for; sources have theirs in their text.
Cost: 20 s.
"""
from __future__ import annotations

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 0.5


def get_inputs():
    return [torch.rand(65536, 4096)]


def get_init_inputs():
    return []
"""


def test_a_module_is_judged_at_reduced_sizes(pytestconfig, tmp_path):
    build = (pytestconfig.rootpath / pytestconfig.getoption("--build")).resolve()
    (tmp_path / "large.py").write_text(LARGE)
    (tmp_path / "little.py").write_text(LARGE.replace("65536, 4096", "300, 400"))
    (tmp_path / "model_new.py").write_text(LARGE.replace("class Model(", "class ModelNew("))

    def judged(candidate: pathlib.Path, program: str = "large.py") -> tuple[int, dict]:
        words = ["verify", "--candidate", candidate, "--program", tmp_path / program, "--device", "emulated",
                 "--scale", "small", "--json", "--quiet"]
        done = subprocess.run([build / "stitchcuda", *words], capture_output=True, text=True, check=False, timeout=300)
        return done.returncode, json.loads(done.stdout)

    _, answer = judged(tmp_path / "model_new.py")
    assert answer["candidate"]["reduced_sizes"].startswith("inputs ["), answer
    assert answer["verdict"]["kind"] in ("ok", "cheated"), answer["verdict"]
    assert judged(tmp_path / "model_new.py", "little.py")[1]["candidate"]["reduced_sizes"] is None  # little as it is
    status, answer = judged(ROOT / "tests/honest/native/numerics/plain_linear_relu/candidate")
    assert status == 2 and "has its sizes in its text" in answer["error"]["sentence"]
