# SPDX-License-Identifier: Apache-2.0
"""Runs of the agents on a small program, each with a state of its own."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("STITCHCUDA_BUILD", "build") / "stitchcuda"

SOURCE = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(24))

    def forward(self, x):
        return torch.softmax(torch.relu(x * self.scale), dim=-1).sum(dim=0)

def get_inputs():
    return [torch.randn(6, 24)]

def get_init_inputs():
    return []
"""


@dataclasses.dataclass
class Ended:
    status: int
    json: dict
    error: str


@dataclasses.dataclass
class Workplace:
    folder: pathlib.Path

    @property
    def out(self) -> pathlib.Path:
        return self.folder / "out"

    @property
    def runs(self) -> list[pathlib.Path]:
        return sorted((self.folder / "state" / "runs").glob("*"))

    @property
    def environment(self) -> dict[str, str]:
        own = {"STITCHCUDA_STATE": str(self.folder / "state"), "HOME": str(self.folder), "COLUMNS": "200"}
        return {**os.environ, **own}

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen:
        return subprocess.Popen([str(PROGRAM), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder, env={**self.environment, **environment})

    def command(self, *arguments: str, **environment: str) -> Ended:
        with self.start(*arguments, **environment) as process:
            out, err = process.communicate(timeout=600)
        is_object = "--json" in arguments
        return Ended(process.returncode, json.loads(out) if is_object else {"text": out}, err)

    def optimize(self, *arguments: str, **environment: str) -> Ended:
        return self.command(*self.words(*arguments), **environment)

    def words(self, *arguments: str) -> list[str]:
        return ["optimize", "model.py", "--device", "emulated", "--skip-nvcc", "--seed", "7", "--out", "out", "--json",
                *arguments]

    def beside(self, name: str) -> Workplace:
        """Another one, with the same program."""
        other = Workplace(self.folder / name)
        other.folder.mkdir()
        (other.folder / "model.py").write_text((self.folder / "model.py").read_text())
        return other

    def state(self) -> dict:
        return json.loads((self.out / "evidence" / "agents.json").read_text())


@pytest.fixture
def place(tmp_path: pathlib.Path) -> Workplace:
    (tmp_path / "model.py").write_text(SOURCE)
    return Workplace(tmp_path)
