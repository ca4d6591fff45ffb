# SPDX-License-Identifier: Apache-2.0
"""Mode kernelbench on the emulated device: convolutions that the baseline's library rounds are computed in TF32,
everything else in fp32's class, and a program with both is right. Ragged sizes throughout."""
import json
import pathlib

import pytest
from test_e2e import stitchcuda

TEXT = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 21, 3, padding=1)
        self.conv2d = nn.Conv2d(21, 18, 3)
        self.grouped = nn.Conv2d(18, 12, 3, groups=3)
        self.conv_transpose2d = nn.ConvTranspose2d(18, 5, 3, stride=2, padding=1)
        self.conv1d = nn.Conv1d(18, 11, 5)
        self.conv3d = nn.Conv3d(18, 10, 2)
        self.conv_transpose3d = nn.ConvTranspose3d(10, 9, 3, stride=2)
        self.lstm = nn.LSTM(11, 10, batch_first=True)
        self.linear = nn.Linear(11, 19)

    def forward(self, x):
        x = torch.relu(self.conv2d(self.first(x)))
        flat = self.conv1d(x.flatten(2))
        deep = self.conv_transpose3d(self.conv3d(x.unflatten(2, (3, 3))))
        tall = self.lstm(flat.mT)[0]
        return self.grouped(x), self.conv_transpose2d(x), flat, deep, tall, self.linear(flat.mT)


def get_inputs():
    return [torch.randn(3, 3, 11, 13)]


def get_init_inputs():
    return []
"""
ROUNDED = ["conv2d", "conv1d_conv2d", "conv3d", "conv_transpose3d", "conv_transpose2d"]


@pytest.mark.usefixtures("preloads")
def test_convolutions_alone_are_rounded(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "many.py"
    program.write_text(TEXT)
    code, stdout, stderr = stitchcuda(build, "optimize", str(program), "--device", "emulated", "--math", "kernelbench",
                                      "--skip-nvcc", "--no-tune", "--out", str(tmp_path / "out"), "--json")
    assert code == 0, stdout + stderr
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    to_tf32 = ("tf32_", "patch_tf32_", "patch_fp16_", "pointwise_wgmma_", "window_wgmma_", "cudnn_tf32")
    rounded = [step["root"] for step in plan["steps"] if step["setting"]["variant"].startswith(to_tf32)]
    assert rounded == ROUNDED, plan["steps"]
