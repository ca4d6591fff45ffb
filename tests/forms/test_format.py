# SPDX-License-Identifier: Apache-2.0
"""clang-format changes nothing in an emitted program. The programs are the plan's, one of each family of operators."""

import pathlib
import shutil
import subprocess
import sys

import pytest

from .support import ROOT, succeed

OPERATORS = ROOT / "src" / "plan" / "testdata" / "operators"
SOURCES = {".cu", ".cuh", ".cc", ".h"}
CLANG_FORMAT = pathlib.Path(sys.executable).parent / "clang-format"  # of the version that tools/setup --tests installs

pytestmark = pytest.mark.skipif(not CLANG_FORMAT.is_file(),
                                reason="no clang-format in .venv: `tools/setup --tests` installs it")


def emitted(graph: pathlib.Path, math: str, folder: pathlib.Path) -> pathlib.Path:
    plan = folder / "plan.json"
    succeed("plan", str(graph), "--math", math, "--target", "sm_90a", "--out", str(plan))
    succeed("emit", str(plan), "--target", "sm_90a", "--out", str(folder / "out"))
    return folder / "out"


def complaints(files: list[pathlib.Path]) -> str:
    """clang-format's own words on what it would change; each file's style is the .clang-format beside the program."""
    done = subprocess.run([str(CLANG_FORMAT), "--dry-run", "--Werror", *map(str, files)],
                          capture_output=True, text=True, check=False)
    return done.stderr


@pytest.mark.parametrize("graph", sorted(OPERATORS.glob("*.ir")), ids=lambda path: path.stem)
def test_steps_are_formatted(graph: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for math in ("fp32", "reduced"):
        (tmp_path / math).mkdir()
        program = emitted(graph, math, tmp_path / math)
        own = [file for file in program.rglob("*") if file.suffix in SOURCES and "runtime" not in file.parts]
        assert len(own) >= 3  # program.cu, program.h and steps
        assert complaints(own) == ""


def test_runtime_is_formatted() -> None:
    folder = ROOT / "runtime"
    files = [file for file in folder.rglob("*") if file.suffix in SOURCES and "tests" not in file.parts]
    assert len(files) > 100
    assert complaints(files) == ""


def test_style_is_the_projects(tmp_path: pathlib.Path) -> None:
    program = emitted(OPERATORS / "pools.ir", "fp32", tmp_path)
    assert (program / ".clang-format").read_text() == (ROOT / ".clang-format").read_text()


def test_a_long_line_is_told(tmp_path: pathlib.Path) -> None:
    shutil.copy(ROOT / ".clang-format", tmp_path)
    (tmp_path / "step.cu").write_text("int sum(int a, int b) { return a+b; }\n")
    assert "code should be clang-formatted" in complaints([tmp_path / "step.cu"])
