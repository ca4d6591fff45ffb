# SPDX-License-Identifier: Apache-2.0
"""Mistakes made on purpose in the code that makes verdicts: each row of the order of precedence taken out or changed
for the next, each comparison turned. The unit tests must see every one. A minute in all."""

import dataclasses
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "src/verify/decide"
SOURCES = ("decide.cc", "precedence.cc", "proof.cc")
TESTS = "decide_test.cc"
LIBRARIES = ("artifact", "base", "fmt")
TURNED = {" == ": " != ", " != ": " == ", " < ": " >= ", " <= ": " > ", " && ": " || ", " || ": " && "}
ROW = re.compile(r"^      \{VerdictKind::.*?\},\n(?=      \{VerdictKind|  \};)", re.M | re.S)
TEST_S = 120
pytestmark = pytest.mark.long


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    name: str
    text: str


def turned(name: str) -> list[Mutant]:
    text, found = (FOLDER / name).read_text(), []
    for place in re.finditer("|".join(map(re.escape, TURNED)), text):
        start = text.rfind("\n", 0, place.start()) + 1
        if "//" in text[start : place.start()]:
            continue
        where = f"{name}:{text.count(chr(10), 0, start) + 1}:{place.start() - start + 1}"
        changed = text[: place.start()] + TURNED[place.group()] + text[place.end() :]
        found.append(Mutant(name, f"{where}{place.group()}turned into{TURNED[place.group()]}".strip(), changed))
    return found


def changed_rows(name: str) -> list[Mutant]:
    text = (FOLDER / name).read_text()
    rows = list(ROW.finditer(text))
    found = []
    for number, row in enumerate(rows, 1):
        found.append(Mutant(name, f"row {number} taken out", text[: row.start()] + text[row.end() :]))
    for number, (row, after) in enumerate(zip(rows, rows[1:]), 1):
        changed = text[: row.start()] + after.group() + row.group() + text[after.end() :]
        found.append(Mutant(name, f"rows {number} and {number + 1} changed", changed))
    return found


MUTANTS = changed_rows("precedence.cc") + turned("decide.cc") + turned("proof.cc")


def compile_to(source: pathlib.Path, made: pathlib.Path) -> None:
    flags = ["-std=c++20", "-O0", f"-I{ROOT / 'src'}", f'-DSTITCH_SOURCE_DIR="{ROOT}"']
    subprocess.run(["g++", *flags, "-c", source, "-o", made], check=True)


@pytest.fixture(scope="session")
def objects(shared_folder) -> dict[str, pathlib.Path]:
    """Of the code as it is, by the name of its source."""
    sources = (*SOURCES, TESTS)

    def make(folder: pathlib.Path) -> None:
        for name in sources:
            compile_to(FOLDER / name, folder / f"{name}.o")

    folder = shared_folder("decide", make)
    return {name: folder / f"{name}.o" for name in sources}


def unit_tests(
    objects: dict[str, pathlib.Path], build: pathlib.Path, folder: pathlib.Path
) -> subprocess.CompletedProcess:
    program = folder / "decide_test"
    libraries = [next(build.rglob(f"libstitch_{name}.a")) for name in LIBRARIES]
    subprocess.run(["g++", "-o", program, *objects.values(), *libraries, "-lgtest", "-lgtest_main", "-lpthread"],
                   check=True)
    return subprocess.run([program, "--gtest_brief=1"], capture_output=True, text=True, timeout=TEST_S, check=False)


def test_unchanged(objects: dict[str, pathlib.Path], build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    ended = unit_tests(objects, build, tmp_path)
    assert ended.returncode == 0, ended.stdout


def test_there_are_mutants() -> None:
    """Of each file: what finds them follows how the code is written."""
    assert {mutant.file for mutant in MUTANTS} == set(SOURCES)


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in MUTANTS])
def test_mutant(mutant: Mutant, objects: dict[str, pathlib.Path], build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source = tmp_path / "mutant.cc"
    source.write_text(mutant.text)
    compile_to(source, tmp_path / "mutant.o")
    ended = unit_tests({**objects, mutant.file: tmp_path / "mutant.o"}, build, tmp_path)
    assert ended.returncode != 0, "no unit test sees it"
