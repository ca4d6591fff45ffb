# SPDX-License-Identifier: Apache-2.0
"""Convolutions that map their input while they read it, behind trained norms: planned where that pays, run on the
emulated device with few images, beside PyTorch in double precision. Ragged channels and pictures, activations that
make something of zero, and what is not finite. Windows map too, but no plan has them do so untimed: they are in
runtime/tests/conv_mapped_test.cu.

Cost: a minute with an empty cache.
"""
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
    # Places one by one; 61 channels are a slice and a part; a norm whose shift makes something of what is not there.
    "odd_pictures": ("""
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(61, momentum=0.3)
        self.conv = nn.Conv2d(61, 70, 1)
        self.train()

    def forward(self, x):
        return F.relu(self.conv(F.relu(self.norm(x)))) * 0.5
""", "2048, 61, 7, 9", "pointwise_wgmma"),
    # Stored by four; silu, and a residual of what is mapped.
    "even_pictures": ("""
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(40, affine=False)
        self.conv = nn.Conv2d(40, 40, 1, bias=False)
        self.train()

    def forward(self, x):
        return self.conv(F.silu(self.norm(x))) + x
""", "2048, 40, 12, 18", "pointwise_wgmma"),
    # Something else than zero of zero, of channels that no norm is in front of.
    "of_parameters": ("""
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(33, 1, 1))
        self.shift = nn.Parameter(torch.randn(33, 1, 1))
        self.conv = nn.Conv2d(33, 20, 1)

    def forward(self, x):
        return self.conv(torch.abs(torch.clamp(x * self.scale, -2.0, 6.0)) + self.shift)
""", "2048, 33, 8, 20", "pointwise_wgmma"),
    # Each channel by itself, in fp32; padding is zero behind the norm's activation.
    "depthwise": ("""
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(21, momentum=0.2)
        self.conv = nn.Conv2d(21, 21, 3, padding=1, groups=21)
        self.train()

    def forward(self, x):
        return F.relu(self.conv(F.relu6(self.norm(x))))
""", "2048, 21, 13, 15", "depthwise"),
    "depthwise_volumes": ("""
    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(6, 1, 1, 1))
        self.conv = nn.Conv3d(6, 6, 3, padding=1, groups=6, bias=False)

    def forward(self, x):
        return self.conv(torch.clamp(x + self.shift, min=0.25))
""", "4096, 6, 5, 7, 9", "depthwise"),
}


def ask(build: pathlib.Path, *arguments: str) -> None:
    done = subprocess.run([str(build / "stitchcuda"), *arguments], text=True, capture_output=True, timeout=600,
                          check=False)
    assert done.returncode == 0, f"{arguments[0]}: {done.stdout[-600:]} {done.stderr[-2000:]}"


def module_of(path: pathlib.Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rounded(values: torch.Tensor) -> torch.Tensor:
    """To TF32, as convolutions read what lies in memory."""
    finite = values.isfinite()
    bits = torch.where(finite, values.float(), 0.0).view(torch.int32)
    return torch.where(finite, ((bits + 0x1000) & ~0x1FFF).view(torch.float32), values.float())


class Rounding(torch.nn.Module):
    """A convolution in double precision of operands in TF32."""

    def __init__(self, conv: torch.nn.Conv2d) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bias = None if self.conv.bias is None else self.conv.bias.double()
        return torch.nn.functional.conv2d(rounded(x.float()).double(), rounded(self.conv.weight).double(), bias,
                                          self.conv.stride, self.conv.padding)


def compare(program: object, module: types.ModuleType, model: torch.nn.Module, x: torch.Tensor) -> None:
    state = {name: value.clone() for name, value in model.state_dict().items()}
    program.prepare(state)
    outputs, states = program.run([x], state)
    exact = module.Model()
    exact.load_state_dict(state)
    exact.double()
    if model.conv.groups == 1:
        exact.conv = Rounding(model.conv)
    wanted = exact(x.double()).detach()
    # An element that is nearly half-way between two of TF32 may be rounded to the other. Sums beside one that is not
    # finite are of operands as they are.
    torch.testing.assert_close(outputs[0].double(), wanted, rtol=1e-4, atol=2e-3 if x.isfinite().all() else 2e-2,
                               equal_nan=True)
    for name, value in states.items():
        torch.testing.assert_close(value.double(), exact.state_dict()[name].double(), rtol=2e-5, atol=1e-6,
                                   equal_nan=True)


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("name", PROGRAMS)
def test_maps_in_front_of_convolutions(name: str, build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    from stitchcuda_runtime import Program, load_library
    text, shape, family = PROGRAMS[name]
    file, graph, plan, out = (tmp_path / part for part in (f"{name}.py", "graph.ir", "plan.json", "out"))
    file.write_text(HEAD + text.lstrip("\n") + TAIL.format(shape))
    ask(build, "import", str(file), "--out", str(graph))
    ask(build, "plan", str(graph), "--target", "sm_90a", "--math", "kernelbench", "--libraries", "off", "--out",
        str(plan))
    steps = {step["skeleton"]: step["setting"]["variant"] for step in json.loads(plan.read_text())["steps"]}
    assert steps.get("mapped_convolution", "").startswith(family), steps
    ask(build, "emit", str(plan), "--target", "sm_90a", "--out", str(out))
    ask(build, "build", str(out), "--device", "emulated", "--out", str(out / "program.so"))
    program = Program(load_library(str(out / "program.so"), emulator=str(build / "libstitch_emulator.so")))
    torch.manual_seed(5)
    module = module_of(file)
    model = module.Model()
    for parameter in model.parameters():
        parameter.data = torch.randn_like(parameter)
    extents = [int(extent) for extent in shape.split(",")][1:]
    compare(program, module, model, torch.randn(3, *extents) * 3 + 1)
    compare(program, module, model, torch.randn(1, *extents))
    images = torch.randn(2, *extents)
    images[1, 0, 2, 3] = torch.nan
    compare(program, module, model, images)
    images = torch.randn(2, *extents)
    if not list(model.buffers()):
        images[0, 1, 1, 2] = torch.inf
    images[1, 2] = -1e12
    compare(program, module, model, images)
