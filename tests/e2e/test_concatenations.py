# SPDX-License-Identifier: Apache-2.0
"""Concatenations whose parts are written to their places by the steps that make them, on the emulated device: of
convolutions, pools, rows and columns, along each axis, of ragged extents; beside parts that have to be copied."""
import json
import pathlib

import pytest
from test_e2e import stitchcuda

CHANNELS = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.squeeze = nn.Conv2d(5, 3, 1)
        self.one = nn.Conv2d(3, 7, 1)
        self.three = nn.Conv2d(3, 6, 3, padding=1)
        self.up = nn.ConvTranspose2d(3, 4, 3, padding=1)
        self.grouped = nn.Conv2d(10, 4, 3, padding=1, groups=2)
        self.head = nn.Conv2d(36, 4, 1)

    def forward(self, x):
        squeezed = torch.relu(self.squeeze(x))
        fire = torch.cat([torch.relu(self.one(squeezed)), torch.sigmoid(self.three(squeezed))], 1)
        pooled = torch.max_pool2d(squeezed, 3, 1, 1)
        mixed = torch.cat([self.up(squeezed), pooled, nn.functional.avg_pool2d(pooled, 3, 1, 1)], 1)
        outer = torch.cat([fire, mixed, torch.cat([self.up(squeezed).tanh(), torch.zeros_like(x[:, :0])], 1)], 1)
        rest = torch.cat([x, self.grouped(torch.cat([x, x * 2], 1))], -3)
        return self.head(torch.cat([outer, rest], 1)), outer.mean((2, 3))


def get_inputs():
    return [torch.randn(3, 5, 9, 7)]


def get_init_inputs():
    return []
"""

AXES = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.long = nn.Linear(6, 5)
        self.short = nn.Linear(6, 4)
        self.norm = nn.LayerNorm(6)

    def forward(self, x, y):
        first = torch.cat([torch.softmax(x, -1), self.norm(y)], 0)
        last = torch.cat([torch.relu(self.long(x)), torch.cumsum(x, 1), torch.sigmoid(self.short(y))], -1)
        shown = torch.softmax(y, 0)
        beside_shown = torch.cat([shown, torch.softmax(x, 0)], 1)
        twice = torch.tanh(self.long(x))
        both = torch.cat([twice, twice], 1)
        inner = torch.cat([torch.softmax(x * 2, 2), torch.softmax(y * 3, 2)], 2)
        same_axis = torch.cat([inner, torch.cumsum(y, 2)], 2)
        other = torch.cat([torch.softmax(x, 1), torch.softmax(y, 1)], 1)
        other_axis = torch.cat([other, torch.cumsum(torch.exp(torch.cat([x, y], 1)), 2)], 2)
        half = torch.cat([torch.softmax(x.half(), -1), torch.cumsum(y.half(), 1)], 1)
        brain = torch.cat([torch.softmax(x.bfloat16(), 1), torch.softmax(y.bfloat16(), -1)], 0)
        counts = torch.cat([torch.argmax(x, -1, keepdim=True), torch.argmin(y, -1, keepdim=True)], 2)
        return first, last, shown, beside_shown, both, same_axis, other_axis, half, brain, counts


def get_inputs():
    return [torch.randn(3, 4, 6), torch.randn(3, 4, 6)]


def get_init_inputs():
    return []
"""


def optimized(build: pathlib.Path, folder: pathlib.Path, text: str, *options: str) -> dict[str, str]:
    """The names of the parts that lie in wholes, by part."""
    program = folder / "program.py"
    program.write_text(text)
    code, stdout, stderr = stitchcuda(build, "optimize", str(program), "--device", "emulated", "--skip-nvcc",
                                      "--no-tune", *options, "--out", str(folder / "out"), "--json")
    assert code == 0, stdout + stderr
    plan = json.loads((folder / "out" / "plan.json").read_text())
    return {buffer["name"]: buffer["part_of"] for buffer in plan["buffers"] if "part_of" in buffer}


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("options", [[], ["--math", "kernelbench"]], ids=["fp32", "kernelbench"])
def test_channels_are_stored_side_by_side(build: pathlib.Path, tmp_path: pathlib.Path, options: list[str]) -> None:
    parts = optimized(build, tmp_path, CHANNELS, *options)
    assert len(parts) >= 3, parts


@pytest.mark.usefixtures("preloads")
def test_parts_lie_along_any_axis(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    parts = optimized(build, tmp_path, AXES)
    assert set(parts.values()) >= {"cat_1"} and "softmax_1" not in parts, parts
    folder = str(tmp_path / "out")
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    numbers = [step["index"] for step in plan["steps"] if any(name in parts for name in step["results"])]
    for number in [numbers[0], numbers[-1]]:
        code, stdout, stderr = stitchcuda(build, "verify", folder, "--device", "emulated", "--step", str(number))
        assert code == 0, stdout + stderr
