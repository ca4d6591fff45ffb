# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and how it is told: each case of cases/ gives the program something bad, and compares its exit
status and its sentence. Nothing may be left behind: no stack trace, no process, no file that is only half there.

Without --long half of them, but for what takes more than ten seconds: two minutes on two cores. --update writes down
what was seen.
"""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from case import Case, read_case

HERE = pathlib.Path(__file__).resolve().parent
PARTS = 2
BASE = """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(24, 40)

    def forward(self, x):
        return torch.relu(self.linear(x)).sum(-1)


def get_inputs():
    return [torch.randn(36, 24)]


def get_init_inputs():
    return []
"""


def has_gpu() -> bool:
    return shutil.which("nvidia-smi") is not None and subprocess.run(
        ["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0


def can_mount() -> bool:
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0


def is_sanitized(build: pathlib.Path) -> bool:
    return b"__asan_init" in (build / "stitchcuda").read_bytes()


def lacking(case: Case, here: dict[str, bool]) -> list[str]:
    return [need for need in case.words("needs") if not here.get(need, True)]


def make_base(build: pathlib.Path, scratch: pathlib.Path) -> None:
    """The verified program that cases about stage files start from. The cache beside it is small: cases copy it."""
    folder = scratch / "base"
    folder.mkdir()
    (folder / "base.py").write_text(BASE)
    done = subprocess.run([str(build / "stitchcuda"), "optimize", "base.py", "--out", "base", "--device", "emulated",
                           "--skip-nvcc", "--quiet"], cwd=folder, text=True, capture_output=True, check=False,
                          env=dict(os.environ, STITCHCUDA_CACHE=str(scratch / "cache")))
    assert done.returncode == 0, f"the base program does not verify: {done.stdout}{done.stderr}"


def cases() -> list:
    found = [read_case(path) for path in sorted((HERE / "cases").glob("*.case"))]
    return [pytest.param(case, id=case.name, marks=[pytest.mark.long] if case.is_long() else []) for case in found]


@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("case", cases())
def test_case(case: Case, build: pathlib.Path, update: bool, shared_folder) -> None:
    here = {"gpu": has_gpu(), "no-gpu": not has_gpu(), "mount": can_mount(), "not-root": os.geteuid() != 0,
            "little-memory": not is_sanitized(build)}
    missing = lacking(case, here)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    scratch = shared_folder("bad-input", lambda folder: make_base(build, folder))
    command = [sys.executable, str(HERE / "ending.py"), str(case.path), str(build), str(scratch)]
    done = subprocess.run(command + (["--update"] if update else []), text=True, capture_output=True, check=False)
    shutil.rmtree(scratch / "cases" / case.name, ignore_errors=True)
    assert done.returncode == 0, (done.stdout + done.stderr).strip()
