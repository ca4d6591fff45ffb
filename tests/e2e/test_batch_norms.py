# SPDX-License-Identifier: Apache-2.0
"""Batch norms in training mode, each one step with what follows it: short rows and long ones, columns, ragged pictures,
states in place, several readers of one norm. Long rows of other norms, which clusters keep.

Cost: half a minute with an empty cache.
"""
import json
import pathlib

import pytest
from test_e2e import stitchcuda

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n"
TAIL = "\n\ndef get_init_inputs():\n    return []\n\n\ndef get_inputs():\n    return [{}]\n"
PROGRAMS = {
    # Pictures of 13 x 28 take lanes of four, of 9 x 7 none; the third norm has a residual, the fourth is pooled.
    "pictures": ("""
    def __init__(self):
        super().__init__()
        self.first = nn.BatchNorm2d(5)
        self.second = nn.BatchNorm2d(5, momentum=0.3)
        self.third = nn.BatchNorm2d(5, affine=False)
        self.odd = nn.BatchNorm2d(3, momentum=None)
        self.train()

    def forward(self, x, odd):
        y = torch.relu(self.first(x) + x * 0.5)
        z = F.max_pool2d(torch.relu(self.third(y)), 2)
        return torch.relu(self.second(y) + x), z, F.silu(self.odd(odd))
""", "torch.randn(3, 5, 13, 28), torch.randn(2, 3, 9, 7)", 3, {"row"}),
    # Rows of 28,800 elements, and columns.
    "long_and_flat": ("""
    def __init__(self):
        super().__init__()
        self.long = nn.BatchNorm2d(2)
        self.flat = nn.BatchNorm1d(37)
        self.train()

    def forward(self, x, flat):
        return torch.relu(self.long(x)), torch.tanh(self.flat(flat)) + flat
""", "torch.randn(3, 2, 96, 100), torch.randn(19, 37)", 1, {"tile"}),
    # Two norms that are added, one norm that two steps read.
    "joined": ("""
    def __init__(self):
        super().__init__()
        self.left = nn.BatchNorm2d(6)
        self.right = nn.BatchNorm2d(6)
        self.both = nn.BatchNorm2d(6)
        self.train()

    def forward(self, x, y):
        s = self.left(x) + self.right(y)
        n = self.both(s)
        return torch.relu(n), F.max_pool2d(n, 2), n.mean((2, 3))
""", "torch.randn(2, 6, 10, 8), torch.randn(2, 6, 10, 8)", 2, {"row"}),
    # Four channels of 10,395 places each: read by fours, written one by one. Rows of 39,999 are read one by one, too.
    "clusters": ("""
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x, y):
        return F.hardswish(self.norm(x)), y - y.mean((2, 3), keepdim=True)
""", "torch.randn(1, 8, 63, 165), torch.randn(2, 1, 201, 199)", 1, {"cluster"}),
}


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("name", PROGRAMS)
def test_batch_norms(name: str, build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    text, inputs, joined, kinds = PROGRAMS[name]
    program = tmp_path / f"{name}.py"
    program.write_text(HEAD + text.lstrip("\n") + TAIL.format(inputs))
    code, stdout, stderr = stitchcuda(build, "optimize", str(program), "--device", "emulated", "--skip-nvcc",
                                      "--no-tune", "--out", str(tmp_path / "out"), "--json")
    assert code == 0, stdout + stderr
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    steps = {step["name"]: step["setting"]["variant"] for step in plan["steps"] if step["skeleton"] == "reduce"}
    norms = {step["setting"]["variant"] for step in plan["steps"] if step["skeleton"] == "layer_norm"}
    settings = {variant.split("_")[0] for variant in steps.values()}
    assert kinds <= settings, steps
    assert all(variant.startswith("cluster") for variant in norms), norms
    assert sum(not variant.startswith("rows") for variant in steps.values()) == joined, steps
