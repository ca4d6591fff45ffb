# SPDX-License-Identifier: Apache-2.0
"""The tool group on a workspace: several steps as one that somebody writes. About 25 seconds of one core."""

from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Iterator

import pytest

from .peer import PROGRAM, ROOT, Peer, call

# Three steps, each of which reads what the one before it makes.
SOURCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(torch.softmax(torch.relu(x), dim=-1).sum(dim=0), dim=0)

def get_inputs():
    return [torch.randn(6, 24)]

def get_init_inputs():
    return []
"""
pytestmark = pytest.mark.usefixtures("preloads")


class Workspace:
    def __init__(self, folder: pathlib.Path, peer: Peer) -> None:
        self.folder = folder
        self.peer = peer
        self.calls = 0

    def call(self, tool: str, **arguments: object) -> tuple[str, dict]:
        """What is read of a call that does not fall short or go wrong, and its facts."""
        text, result = self.answer(tool, **arguments)
        assert not result["isError"] and result["structuredContent"]["outcome"] == "done", text
        return text, result["structuredContent"]

    def answer(self, tool: str, **arguments: object) -> tuple[str, dict]:
        self.calls += 1
        result = self.peer.ask(call(self.calls, tool, folder="work/expert", **arguments))["result"]
        return result["content"][0]["text"], result

    def texts(self) -> dict[str, str]:
        expert = self.folder / "work" / "expert"
        return {str(file.relative_to(expert)): file.read_text(errors="replace")
                for file in expert.rglob("*") if file.is_file()}

    def step(self, number: int) -> pathlib.Path:
        return next((self.folder / "work" / "expert" / "steps").glob(f"{number:02}_*.cu"))


@pytest.fixture
def work(tmp_path: pathlib.Path) -> Iterator[Workspace]:
    (tmp_path / "program.py").write_text(SOURCE)
    told = subprocess.run([str(PROGRAM), "workspace", str(tmp_path / "work"), "--program",
                           str(tmp_path / "program.py"), "--json"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["steps"] == 3
    with Peer("--root", str(tmp_path), "--job-after", "600") as peer:
        peer.begin()
        yield Workspace(tmp_path, peer)


def test_neighbours_are_one_step_that_is_checked_verified_and_profiled(work: Workspace) -> None:
    last = work.step(2)
    edited = last.read_text() + "// mine\n"
    last.write_text(edited)
    text, facts = work.call("group", steps=[0, 1])
    assert facts["steps"] == 2 and "one after another" in text, text
    assert f"work/expert/{facts['file']}" in text and "tensors[0] takes x: f32[6,24]" in text, text
    joined = work.step(0)
    assert joined.name == pathlib.Path(facts["file"]).name and "// scratch: 4" in joined.read_text()
    assert work.step(1).read_text() == edited.replace("step_02", "step_01"), "what was edited stays"
    assert not [path for path in work.texts() if path.endswith(".edited")]
    plan = json.loads((work.folder / "work" / "expert" / "plan.json").read_text())
    assert [step["skeleton"] for step in plan["steps"]][0] == "written" and len(plan["boundaries"]) == 1

    assert "passed" in work.call("check", device="emulated")[0]
    assert work.call("verify", device="emulated")[1]["verdict"] == "ok"
    assert work.call("verify", device="emulated", step=0)[1]["verdict"] == "ok"
    assert " written " in work.call("profile", device="emulated")[0]

    joined.write_text(joined.read_text().replace("cudaSuccess", "cudaErrorInvalidValue"))
    assert work.answer("check", device="emulated", step=0)[1]["structuredContent"]["outcome"] == "fell_short"

    assert work.call("group", steps=[0], apart=True)[1]["steps"] == 3
    assert work.step(2).read_text() == edited
    assert (joined.parent / (joined.name + ".edited")).exists(), "what was written of the group is kept"
    assert work.call("verify", device="emulated")[1]["verdict"] == "ok"


def test_what_a_file_declares_counts_when_the_group_is_taken_again(work: Workspace) -> None:
    work.call("group", steps=[1, 2])
    file = work.step(1)
    file.write_text("// scratch: 4096\n" + file.read_text())
    text, facts = work.call("group", steps=[1])
    assert "a group already" in text and facts["steps"] == 2
    assert file.read_text().startswith("// scratch: 4096\n")
    plan = json.loads((work.folder / "work" / "expert" / "plan.json").read_text())
    assert {"bytes": 4096, "axes": []} in plan["boundaries"][0]["written"]["scratch"]
    before = work.texts()
    file.write_text("// scratch: much\n" + file.read_text())
    text, result = work.answer("group", steps=[1])
    assert result["isError"] and "is no scratch memory" in text
    assert {path for path, was in before.items() if work.texts()[path] != was} == {f"steps/{file.name}"}
    # A larger group takes the place of the one whose nodes it has.
    file.write_text(before[f"steps/{file.name}"])
    assert work.call("group", steps=[0, 1])[1]["steps"] == 1


@pytest.mark.parametrize(("arguments", "said"), [
    ({"steps": [0, 2]}, "must be convex"), ({"steps": [7]}, "no step 7"), ({}, "no step is named"),
    ({"nodes": ["nothing"]}, "no node of the graph: nothing"), ({"steps": [0], "apart": True}, "written as a group")])
def test_what_can_be_no_group_is_a_sentence_and_changes_nothing(work: Workspace, arguments: dict, said: str) -> None:
    before = work.texts()
    text, result = work.answer("group", **arguments)
    assert result["isError"] and said in text, text
    assert work.texts() == before
