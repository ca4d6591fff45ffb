# SPDX-License-Identifier: Apache-2.0
"""Convolutions of one tap in fp32's class on the emulated device: groups of odd sizes, with what follows each output
in its step, and infinities."""
import copy
import json
import pathlib

import pytest
import torch
from test_convolution_moments import ask, module_of

TEXT = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(111, 129, 1, groups=3)

    def forward(self, x, y):
        return torch.relu(self.conv(x)) + y


def get_inputs():
    return [torch.randn(5, 111, {0}), torch.randn(5, 129, {0})]


def get_init_inputs():
    return []
"""
# By four places, and one by one.
PROGRAMS = {"pointwise_tf32x3_128x40": "8, 9", "pointwise_tf32x3_256x80": "7, 9"}


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("variant", PROGRAMS)
def test_groups(variant: str, build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    from stitchcuda_runtime import Program, load_library
    file, graph, plan, out = (tmp_path / part for part in ("groups.py", "graph.ir", "plan.json", "out"))
    file.write_text(TEXT.format(PROGRAMS[variant]))
    ask(build, "import", str(file), "--out", str(graph))
    ask(build, "plan", str(graph), "--target", "sm_90a", "--math", "kernelbench", "--libraries", "off", "--out",
        str(plan))
    chosen = json.loads(plan.read_text())
    assert [step["skeleton"] for step in chosen["steps"]] == ["convolution"]
    chosen["steps"][0]["setting"] = {"variant": variant, "splits": 1}
    plan.write_text(json.dumps(chosen))
    ask(build, "emit", str(plan), "--target", "sm_90a", "--out", str(out))
    ask(build, "build", str(out), "--device", "emulated", "--out", str(out / "program.so"))
    program = Program(load_library(str(out / "program.so"), emulator=str(build / "libstitch_emulator.so")))
    torch.manual_seed(6)
    module = module_of(file)
    model = module.Model()
    x, y = module.get_inputs()
    for value in (1.0, torch.inf, torch.nan):
        x[1, 40, 3, 2] = value
        state = {name: each.clone() for name, each in model.state_dict().items()}
        program.prepare(state)
        outputs, _ = program.run([x, y], state)
        wanted = copy.deepcopy(model).double()(x.double(), y.double()).detach()
        torch.testing.assert_close(outputs[0].double(), wanted, rtol=2e-6, atol=2e-6, equal_nan=True)
