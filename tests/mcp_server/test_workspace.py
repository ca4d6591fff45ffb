# SPDX-License-Identifier: Apache-2.0
"""stitchcuda workspace: the folder that a coding agent finds. About 5 seconds of one core."""

import json
import pathlib
import subprocess

import pytest

from .peer import PROGRAM, ROOT

PROBLEM = ROOT / "tests" / "programs" / "linear_relu_37x50.py"
pytestmark = pytest.mark.usefixtures("preloads")


def run(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([str(PROGRAM), *map(str, words)], cwd=ROOT, capture_output=True, text=True, check=False)


def test_what_is_in_it(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    told = run("workspace", folder, "--program", PROBLEM, "--json")
    assert told.returncode == 0, told.stderr
    report = json.loads(told.stdout)
    assert report["schema"] == "stitchcuda.workspace/1" and (report["operators"], report["steps"]) == (2, 1)
    assert {file.name for file in folder.iterdir()} == {"program.py", "task.json", "CONTRACT.md", "SKILL.md", "expert"}
    assert (folder / "program.py").read_text() == PROBLEM.read_text()
    assert pathlib.Path(json.loads((folder / "task.json").read_text())["file"]).name == PROBLEM.name
    contract = (folder / "CONTRACT.md").read_text()
    for row in ("| input | 0 | `x` | `f32[37,50]` |", "| output | 0 | `relu` | `f32[37,41]` |", "`f32[41,50]`",
                "step 00 linear_relu (gemm)", "takes linear_weight: f32[41,50]", "gives relu: f32[37,41]"):
        assert row in contract, contract
    for tool in ("`compile`", "`check`", "`profile`", "`verify`"):
        assert tool in (folder / "SKILL.md").read_text()
    built = run("build", folder / "expert", "--device", "emulated")
    assert built.returncode == 0, built.stderr


@pytest.mark.parametrize("name", ["notes.txt", ".hidden"])
def test_a_folder_that_holds_something_is_left_alone(tmp_path: pathlib.Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    told = run("workspace", tmp_path, "--program", PROBLEM)
    assert told.returncode == 2 and "holds something already" in told.stderr and "new or empty folder" in told.stderr
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_program_that_is_not_there_leaves_nothing(tmp_path: pathlib.Path) -> None:
    told = run("workspace", tmp_path / "work", "--program", tmp_path / "none.py")
    assert told.returncode in (2, 3) and "none.py" in told.stderr
    assert not (tmp_path / "work").exists()
