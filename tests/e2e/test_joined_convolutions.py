# SPDX-License-Identifier: Apache-2.0
"""Convolutions of few channels with what follows them in one step on the emulated device: softmaxes over channels,
windows of two pools in one and a whole axis, of ragged extents throughout."""
import json
import pathlib

import pytest
from test_e2e import stitchcuda

TEXT = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cube = nn.Conv3d(3, 11, 3)
        self.deep = nn.Conv3d(3, 20, 3, padding=1)

    def forward(self, x):
        cube = torch.max_pool3d(torch.max_pool3d(torch.softmax(self.cube(x), 1) * 2, 2), 2)
        least = torch.softmax(torch.min(self.deep(x), 2)[0] * 0.5, 1)
        return cube, least


def get_inputs():
    return [torch.randn(5, 3, 14, 19, 14)]


def get_init_inputs():
    return []
"""


@pytest.mark.usefixtures("preloads")
def test_what_follows_a_convolution_is_computed_in_its_step(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "joined.py"
    program.write_text(TEXT)
    code, stdout, stderr = stitchcuda(build, "optimize", str(program), "--device", "emulated", "--skip-nvcc",
                                      "--no-tune", "--out", str(tmp_path / "out"), "--json")
    assert code == 0, stdout + stderr
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert [step["nodes"] for step in plan["steps"]] == [["cube", "softmax", "mul", "max_pool3d_1"],
                                                         ["deep", "min", "mul_1", "softmax_1"]]
    assert all(step["setting"]["variant"].startswith("direct_windows_fp16x3_") for step in plan["steps"])
