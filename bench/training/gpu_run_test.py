# SPDX-License-Identifier: Apache-2.0
"""What training is asked on a GPU, tried on the processor: every part ends and says that it is met. Cost: 30 s."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent


def test_every_part_is_met_on_a_processor(pytestconfig: pytest.Config, tmp_path: pathlib.Path) -> None:
    build = (pytestconfig.rootpath / pytestconfig.getoption("--build", "build")).resolve()
    program, probe = build / "stitchcuda-train", build / "models-probe"
    if not program.exists() or not probe.exists():
        pytest.skip("there is no stitchcuda-train: CMake found no LibTorch, PCRE2 or ICU")
    asked = {"do": "train", "texts": ["ab ab user"], "to": str(tmp_path / "tokenizer.json"), "vocab_size": 262,
             "min_count": 2, "is_composed": False, "splits_digits": True,
             "special_tokens": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]}
    subprocess.run([probe], input=json.dumps(asked) + "\n", capture_output=True, text=True, check=True)
    done = subprocess.run([sys.executable, HERE / "gpu_run", program, tmp_path / "out", "--device", "cpu", "--small",
                           "--tokenizer", tmp_path / "tokenizer.json"], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    parts = {"parity", "bf16", "resume", "grpo", "speed", "draw", "together", "large"}
    assert {line["part"] for line in lines} == parts
    assert all(line["is_met"] for line in lines if "is_met" in line), lines
