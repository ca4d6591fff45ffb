# SPDX-License-Identifier: Apache-2.0
"""Convolutions of every kind and recurrent layers left to cuDNN, the emulator's here: they must verify as our own
kernels do.

Cost: three quarters of a minute with an empty cache, 15 s with a warm one.
"""
import json
import pathlib

from test_e2e import ROOT, stitchcuda

PROGRAMS = ROOT / "tests" / "programs"


def by_libraries(build: pathlib.Path, program: str, out: pathlib.Path, math: str, skeleton: str) -> dict[str, str]:
    """The settings of a right program's steps of one skeleton, by name."""
    code, stdout, stderr = stitchcuda(build, "optimize", str(PROGRAMS / program), "--device", "emulated", "--skip-nvcc",
                                      "--out", str(out), "--math", math, "--libraries", "on", "--json")
    assert code == 0, f"{stdout[-900:]} {stderr[-900:]}"
    assert json.loads(stdout)["verdict"]["kind"] == "ok"
    plan = json.loads((out / "plan.json").read_text())
    return {step["name"]: step["setting"]["variant"] for step in plan["steps"] if step["skeleton"] == skeleton}


def test_convolutions_by_library(build, tmp_path):
    steps = by_libraries(build, "library_convolutions.py", tmp_path / "out", "tf32", "convolution")
    assert len(steps) == 6
    # Both layouts are among them: along three axes tensors stay as they lie.
    for name, variant in steps.items():
        assert variant == ("cudnn_tf32_nchw" if "volume" in name else "cudnn_tf32"), f"{name} is left to {variant}"


def test_stacked_recurrent_layers_by_library(build, tmp_path):
    steps = by_libraries(build, "library_recurrent.py", tmp_path / "out", "kernelbench", "recurrent_stack")
    assert list(steps.values()) == ["cudnn_fp32", "cudnn_fp32"]
