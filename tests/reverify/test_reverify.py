# SPDX-License-Identifier: Apache-2.0
"""`reverify`: a folder that was moved, its program gone, gives its verdict again; one that was tampered with does not.

Cost: under a minute on two cores.
"""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable

import pytest
from named_seed import with_seed

MODEL = """import torch

from layers.block import Block


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(24)

    def forward(self, x):
        return self.block(x).sum(-1)


def get_inputs():
    return [torch.randn(36, 24)]
"""
BLOCK = """import torch


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 40)

    def forward(self, x):
        return torch.relu(self.linear(x))
"""


def stitchcuda(build: pathlib.Path, scratch: pathlib.Path, *arguments: str) -> tuple[int, str, str]:
    environment = dict(os.environ, XDG_STATE_HOME=str(scratch / "state"))
    done = subprocess.run([str(build / "stitchcuda"), *with_seed(*arguments)], cwd=scratch, env=environment, text=True,
                          capture_output=True, timeout=600, check=False)
    return done.returncode, done.stdout, done.stderr


def make_folder(build: pathlib.Path, scratch: pathlib.Path) -> pathlib.Path:
    """Optimised from sources in two folders, which are gone afterwards; the result is moved."""
    source = scratch / "source"
    (source / "layers").mkdir(parents=True)
    (source / "model.py").write_text(MODEL)
    (source / "layers" / "block.py").write_text(BLOCK)
    code, stdout, stderr = stitchcuda(build, scratch, "optimize", "source/model.py", "--out", "made", "--device",
                                      "emulated", "--skip-nvcc", "--quiet")
    if code != 0:
        raise RuntimeError(f"optimize ends with {code}: {stdout}{stderr}")
    shutil.rmtree(source)
    moved = scratch / "elsewhere" / "moved"
    moved.parent.mkdir()
    return (scratch / "made").rename(moved)


def write_manifest(folder: pathlib.Path) -> None:
    """As somebody does who covers their tracks."""
    path = folder / "evidence" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in manifest["files"]}
    path.write_text(json.dumps(manifest))


def set_kind(folder: pathlib.Path) -> None:
    path = folder / "evidence" / "verify.json"
    report = json.loads(path.read_text())
    report["verdict"]["kind"] = "wrong"
    path.write_text(json.dumps(report))


def rename_device(folder: pathlib.Path) -> None:
    path = folder / "evidence" / "result.json"
    path.write_text(path.read_text().replace('"device": "emulated"', '"device": "imagined"'))


def break_a_step(folder: pathlib.Path) -> None:
    right = " = total.sum;"
    step = next(path for path in sorted((folder / "steps").glob("*.cu")) if right in path.read_text())
    step.write_text(step.read_text().replace(right, " = 1.01f * total.sum;"))


def append(folder: pathlib.Path, name: str, text: str) -> None:
    with open(folder / name, "a", encoding="utf-8") as file:
        file.write(text)


def forge(change: Callable[[pathlib.Path], None]) -> Callable[[pathlib.Path], None]:
    def both(folder: pathlib.Path) -> None:
        change(folder)
        write_manifest(folder)

    return both


def untouched(_: pathlib.Path) -> None:
    pass


# What is done to the folder, the exit status, and a part of what is said.
CASES: list[tuple[str, Callable[[pathlib.Path], None], int, str]] = [
    ("untouched", untouched, 0, "the verdict agrees: ok"),
    ("a file of the user's own", lambda folder: append(folder, "notes.txt", "mine"), 0, "the verdict agrees: ok"),
    ("the program changed", lambda folder: append(folder, "evidence/program/layers/block.py", "\n"), 3,
     "changed: evidence/program/layers/block.py"),
    ("the verdict changed", set_kind, 3, "changed: evidence/verify.json"),
    ("the weights gone", lambda folder: (folder / "weights.safetensors").unlink(), 3, "missing: weights.safetensors"),
    ("a step added", lambda folder: append(folder, "steps/99_more.cu", "//"), 3, "added: steps/99_more.cu"),
    ("no manifest", lambda folder: (folder / "evidence/manifest.json").unlink(), 3, "manifest.json"),
    ("another verdict, manifest and all", forge(set_kind), 1, "DIFFERS: wrong on record, ok now"),
    ("a device that is none, manifest and all", forge(rename_device), 3, "no device is called 'imagined'"),
    ("another program, manifest and all", forge(break_a_step), 1, "DIFFERS: ok on record, wrong now"),
]


@pytest.fixture(scope="module", name="folder")
def moved_folder(build: pathlib.Path, shared_folder) -> pathlib.Path:
    scratch = shared_folder("reverify", lambda scratch: make_folder(build, scratch))
    return scratch / "elsewhere" / "moved"


def test_the_program_is_in_the_evidence(folder: pathlib.Path) -> None:
    program = sorted(path.relative_to(folder).as_posix() for path in (folder / "evidence/program").rglob("*.py"))
    assert program == ["evidence/program/layers/block.py", "evidence/program/model.py"]


@pytest.mark.parametrize("change,status,part", [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_case(change: Callable[[pathlib.Path], None], status: int, part: str, build: pathlib.Path,
              folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "copy" / "moved"
    shutil.copytree(folder, copy)
    change(copy)
    code, stdout, stderr = stitchcuda(build, tmp_path, "reverify", str(copy), "--quiet")
    assert code == status and part in stdout + stderr, f"exit {code}: {stdout}{stderr}"
    if change is untouched:  # on one machine
        assert "error figures are the same to the last bit\n" in stdout
