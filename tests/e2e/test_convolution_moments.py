# SPDX-License-Identifier: Apache-2.0
"""Convolutions that take mean and variance for the norm behind them: planned where outputs are many, run on the
emulated device with few images, beside PyTorch in double precision. Ragged pictures and volumes, means far from zero,
states, and what is not finite.

Cost: half a minute with an empty cache.
"""
import copy
import importlib.util
import json
import pathlib
import subprocess
import sys
import types

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "runtime" / "python"))
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n"
TAIL = "\n\ndef get_init_inputs():\n    return []\n\n\ndef get_inputs():\n    return [torch.randn({})]\n"
PROGRAMS = {
    # Planes of 665 pixels, which are stored one by one; 70 channels are two blocks of them.
    "odd_pictures": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(7, 70, 3)
        self.norm = nn.BatchNorm2d(70, momentum=0.3)
        self.train()

    def forward(self, x):
        return self.norm(torch.tanh(self.conv(x)) * 2.0) * 0.5
""", "4096, 7, 21, 37", "fp32"),
    # Stored by four; rows of products reach over the ends of those of outputs; a second reader of what is normed.
    "even_pictures": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, (3, 5), padding=(1, 0), bias=False)
        self.norm = nn.BatchNorm2d(64)
        self.train()

    def forward(self, x):
        y = self.conv(x)
        return F.relu(self.norm(y)) + y
""", "4096, 3, 20, 36", "fp32"),
    # Sixteen channels, of which a warp has all, and lines of 32 pixels.
    "few_channels": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, stride=2)
        self.norm = nn.BatchNorm2d(16)
        self.train()

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))
""", "4096, 3, 39, 77", "fp32"),
    "volumes": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(5, 40, (2, 3, 3), padding=(0, 1, 1))
        self.norm = nn.BatchNorm3d(40, affine=False)
        self.train()

    def forward(self, x):
        return F.silu(self.norm(self.conv(x)))
""", "2048, 5, 6, 9, 20", "fp32"),
    # All phases of a transposed convolution, whose rows end within a warp's.
    "phases": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose3d(3, 12, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm3d(12)
        self.train()

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))
""", "1024, 3, 4, 6, 18", "kernelbench"),
    # Tiles that two warpgroups take in turn, of more channels than a block has.
    "by_groups": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(33, 70, 3, padding=1)
        self.norm = nn.BatchNorm2d(70)
        self.train()

    def forward(self, x):
        return self.norm(F.hardswish(self.conv(x)))
""", "4096, 33, 17, 35", "kernelbench"),
    # Rows of eight channels of an image, which no block keeps; of odd numbers of elements, and with a residual.
    "groups_of_phases": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose3d(3, 16, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(2, 16)
        self.train()

    def forward(self, x):
        return F.hardswish(self.norm(F.silu(self.conv(x))))
""", "512, 3, 8, 16, 32", "kernelbench"),
    "groups_of_tiles": ("""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(24, 32, 3, padding=1, bias=False)
        self.norm = nn.GroupNorm(2, 32, eps=1e-3)
        self.train()

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))
""", "256, 24, 150, 152", "kernelbench"),
}
SETTINGS = {"fp32": "direct_", "kernelbench": "patch_"}


def ask(build: pathlib.Path, *arguments: str) -> None:
    done = subprocess.run([str(build / "stitchcuda"), *arguments], text=True, capture_output=True, timeout=600,
                          check=False)
    assert done.returncode == 0, f"{arguments[0]}: {done.stdout[-600:]} {done.stderr[-2000:]}"


def module_of(path: pathlib.Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_few_bits(values: torch.Tensor) -> torch.Tensor:
    """Which TF32 and fp16 hold, so that what is rounded is what is drawn."""
    return (values * 256).round().clamp(-1023, 1023) / 256


def compare(program: object, model: torch.nn.Module, x: torch.Tensor) -> None:
    """Of one call: outputs and new states, in units of what fp32 can hold of them."""
    state = {name: value.clone() for name, value in model.state_dict().items()}
    program.prepare(state)
    outputs, states = program.run([x], state)
    exact = copy.deepcopy(model).double()
    wanted = exact(x.double()).detach()
    torch.testing.assert_close(outputs[0].double(), wanted, rtol=2e-5, atol=3e-4 if wanted.isfinite().all() else 1e-3,
                               equal_nan=True)
    for name, value in states.items():
        torch.testing.assert_close(value.double(), exact.state_dict()[name].double(), rtol=2e-5, atol=1e-6,
                                   equal_nan=True)


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("name", PROGRAMS)
def test_norms_behind_convolutions(name: str, build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    from stitchcuda_runtime import Program, load_library
    text, shape, math = PROGRAMS[name]
    file, graph, plan, out = (tmp_path / part for part in (f"{name}.py", "graph.ir", "plan.json", "out"))
    file.write_text(HEAD + text.lstrip("\n") + TAIL.format(shape))
    ask(build, "import", str(file), "--out", str(graph))
    ask(build, "plan", str(graph), "--target", "sm_90a", "--math", math, "--libraries", "off", "--out",
        str(plan))
    steps = {step["skeleton"]: step["setting"]["variant"] for step in json.loads(plan.read_text())["steps"]}
    skeleton = "normed_convolution" if name.startswith("groups_of") else "convolution_moments"
    assert steps.get(skeleton, "").startswith(SETTINGS[math]), steps
    ask(build, "emit", str(plan), "--target", "sm_90a", "--out", str(out))
    ask(build, "build", str(out), "--device", "emulated", "--out", str(out / "program.so"))
    program = Program(load_library(str(out / "program.so"), emulator=str(build / "libstitch_emulator.so")))
    torch.manual_seed(5)
    model = module_of(file).Model()
    model.conv.weight.data = of_few_bits(model.conv.weight.data * 4)  # deviations of about one
    extents = [int(extent) for extent in shape.split(",")][1:]
    if skeleton == "convolution_moments":
        compare(program, model, of_few_bits(torch.randn(3, *extents)))
    compare(program, model, of_few_bits(torch.randn(1, *extents)))
    images = of_few_bits(torch.randn(2, *extents))
    images[1, 0] = torch.nan
    compare(program, model, images)
    if model.conv.bias is not None:
        with torch.no_grad():
            model.conv.bias[::3] = -1000.0
        compare(program, model, of_few_bits(torch.randn(3, *extents)))
