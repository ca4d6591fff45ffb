# SPDX-License-Identifier: Apache-2.0
"""Convolutions of every kind left to cuDNN, the emulator's here: they must verify as our own kernels do.

Cost: half a minute with an empty cache, 10 s with a warm one.
"""
import json
import pathlib

from test_e2e import ROOT, stitchcuda

PROGRAM = str(ROOT / "tests" / "programs" / "library_convolutions.py")


def convolutions(out: pathlib.Path) -> dict[str, str]:
    """The settings of convolution steps by name."""
    plan = json.loads((out / "plan.json").read_text())
    return {step["name"]: step["setting"]["variant"] for step in plan["steps"] if step["skeleton"] == "convolution"}


def test_convolutions_by_library(build, tmp_path):
    out = tmp_path / "out"
    code, stdout, stderr = stitchcuda(build, "optimize", PROGRAM, "--device", "emulated", "--skip-nvcc", "--out",
                                      str(out), "--math", "tf32", "--libraries", "on", "--json")
    assert code == 0, f"{stdout[-900:]} {stderr[-900:]}"
    assert json.loads(stdout)["verdict"]["kind"] == "ok"
    steps = convolutions(out)
    assert len(steps) == 6
    # Both layouts are among them: along three axes tensors stay as they lie.
    for name, variant in steps.items():
        assert variant == ("cudnn_tf32_nchw" if "volume" in name else "cudnn_tf32"), f"{name} is left to {variant}"
