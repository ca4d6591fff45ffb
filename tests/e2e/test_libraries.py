# SPDX-License-Identifier: Apache-2.0
"""Convolutions of every kind and recurrent layers left to cuDNN, the emulator's here: they must verify as our own
kernels do.

Cost: three quarters of a minute with an empty cache, 15 s with a warm one.
"""
import json
import pathlib

from test_e2e import ROOT, stitchcuda

PROGRAMS = ROOT / "tests" / "programs"


def by_libraries(
    build: pathlib.Path, program: pathlib.Path, out: pathlib.Path, math: str, skeleton: str
) -> dict[str, str]:
    """The settings of a right program's steps of one skeleton, by name."""
    code, stdout, stderr = stitchcuda(build, "optimize", str(program), "--device", "emulated", "--skip-nvcc",
                                      "--out", str(out), "--math", math, "--libraries", "on", "--json")
    assert code == 0, f"{stdout[-900:]} {stderr[-900:]}"
    assert json.loads(stdout)["verdict"]["kind"] == "ok"
    plan = json.loads((out / "plan.json").read_text())
    return {step["name"]: step["setting"]["variant"] for step in plan["steps"] if step["skeleton"] == skeleton}


def test_convolutions_by_library(build, tmp_path):
    steps = by_libraries(build, PROGRAMS / "library_convolutions.py", tmp_path / "out", "tf32", "convolution")
    assert len(steps) == 6
    # By the estimates so few pixels do not repay turning them.
    assert set(steps.values()) == {"cudnn_tf32_nchw"}


def test_a_convolution_of_many_pixels_is_turned_to_channels_last(build, tmp_path):
    program = ROOT / "problems" / "conv_bn_relu_pool.py"
    steps = by_libraries(build, program, tmp_path / "out", "tf32", "convolution")
    assert list(steps.values()) == ["cudnn_tf32"]


def test_stacked_recurrent_layers_by_library(build, tmp_path):
    steps = by_libraries(build, PROGRAMS / "library_recurrent.py", tmp_path / "out", "kernelbench", "recurrent_stack")
    assert list(steps.values()) == ["cudnn_fp32", "cudnn_fp32"]
