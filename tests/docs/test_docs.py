# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md and docs/*.md is run, and every file and link that they name is looked for.

A page's blocks run in their order in a scratch folder of the page's own, by bash, with stitchcuda in PATH:

    ```sh       commands; the last one's exit status is 0
    ```console  "$ command" with what it prints, compared once times, sizes and folders are made the same; a line of
                three dots stands for any lines
    ```python, ```cpp  written into the folder when they have a file's name; else they must say why they are not run
    ```         without a language: formats and output, not run

A comment of HTML before a block says more:

    <!-- file: model.py -->          the block is this file
    <!-- exit: 3 -->                 the status of the last command
    <!-- compare: stdout | nothing --> progress lines are shown, but differ from run to run; nothing: only the status
    <!-- needs: nvcc cmake gpu slow --> left out, and counted, where one is missing; slow: only with --long
    <!-- not run: WHY -->            left out, and counted

Cost: under two minutes on two cores.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(?P<marks>(?:<!--.*?-->\n)*)```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
MARK = re.compile(r"<!-- ([a-z ]+): (.*?) -->")
TIMEOUT_SECONDS = 300


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    marks: dict[str, str]


def blocks(page: str) -> list[Block]:
    found = []
    for match in BLOCK.finditer(page):
        line = page.count("\n", 0, match.start("text"))
        found.append(Block(line, match["language"], match["text"], dict(MARK.findall(match["marks"]))))
    return found


def lacking(needs: str, long: bool) -> str:
    there = {
        "nvcc": shutil.which("nvcc") is not None,
        "cmake": shutil.which("cmake") is not None,
        "gpu": shutil.which("nvidia-smi") is not None,
        "slow": long,
    }
    return " ".join(need for need in needs.split() if not there[need])


def settled(text: str, scratch: pathlib.Path) -> str:
    """What differs from run to run, or from machine to machine, made the same."""
    text = text.replace(str(scratch), "SCRATCH")
    text = re.sub(r"\d{8}-\d{6}-(\w+)-[0-9a-f]{4}", r"ID-\1", text)
    text = re.sub(r"\b[\d.]+ ([kMG]B|s|ms|min)\b", r"N \1", text)
    text = re.sub(r"error [\d.]+ times", "error N times", text)
    text = re.sub(r"draws again: --seed \d+", "draws again: --seed N", text)
    return re.sub(r"[ \t]+", " ", text)


def is_shown(expected: list[str], got: list[str]) -> bool:
    """Whether `got` is what the page shows; "..." stands for any number of lines."""
    if not expected:
        return not got
    if expected[0].strip() == "...":
        return any(is_shown(expected[1:], got[at:]) for at in range(len(got) + 1))
    return bool(got) and expected[0].strip() == got[0].strip() and is_shown(expected[1:], got[1:])


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Each "$ command" with the lines under it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


class Page:
    def __init__(self, path: pathlib.Path, scratch: pathlib.Path, build: pathlib.Path, include: str, long: bool):
        self.path, self.scratch, self.long = path, scratch, long
        self.problems: list[str] = []
        self.environment = dict(
            os.environ,
            PATH=f"{build}:{ROOT}/.venv/bin:{os.environ['PATH']}",
            STITCHCUDA_BUILD=str(build),
            STITCHCUDA_STATE=str(scratch / ".state"),
            CUDA_INCLUDE=include,
            NO_COLOR="1",
            COLUMNS="100",
        )
        for name in ("problems", "docs"):
            (scratch / name).symlink_to(ROOT / name)

    def check(self, block: Block, what: str, wrong: str) -> None:
        self.problems += [f"{self.path.name}:{block.line}: {what}\n{wrong}"] if wrong else []

    def execute(self, command: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-c", f"set -e\n{command}"],
            cwd=self.scratch,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    def run_shell(self, block: Block) -> None:
        done = self.execute(block.text)
        wanted = int(block.marks.get("exit", "0"))
        wrong = "" if done.returncode == wanted else f"exit {done.returncode}, not {wanted}\n{done.stdout}{done.stderr}"
        self.check(block, block.text.splitlines()[0], wrong)

    def run_console(self, block: Block) -> None:
        given = commands(block.text)
        for at, (command, shown) in enumerate(given):
            done = self.execute(command)
            wanted = int(block.marks.get("exit", "0")) if at == len(given) - 1 else 0
            wrong = "" if done.returncode == wanted else f"exit {done.returncode}, not {wanted}\n{done.stderr}"
            self.check(block, command, wrong or self.difference(block, shown, done))

    def difference(self, block: Block, shown: list[str], done: subprocess.CompletedProcess) -> str:
        how = block.marks.get("compare", "everything")
        if how == "nothing":
            return ""
        lines = settled("\n".join(shown), self.scratch).splitlines()
        got = settled(done.stdout + ("" if how == "stdout" else done.stderr), self.scratch).splitlines()
        # Of a page that shows progress too, the lines of standard output are the last ones.
        lines = lines[len(lines) - len(got) :] if how == "stdout" else lines
        return (
            "" if is_shown(lines, got) else "it prints\n" + "\n".join(got) + "\nand the page says\n" + "\n".join(lines)
        )

    def run(self, block: Block) -> None:
        if "not run" in block.marks or lacking(block.marks.get("needs", ""), self.long):
            print(f"not run: {self.path.name}:{block.line}")
        elif "file" in block.marks:
            (self.scratch / block.marks["file"]).write_text(block.text)
        elif block.language == "sh":
            self.run_shell(block)
        elif block.language == "console":
            self.run_console(block)
        elif block.language:
            self.check(block, f"a block of {block.language}", "it has no name of a file, and does not say why not run")


@pytest.fixture(scope="session")
def cuda_include(build: pathlib.Path) -> str:
    """Where doctor finds CUDA's headers."""
    done = subprocess.run([build / "stitchcuda", "doctor", "--json"], capture_output=True, text=True, check=False)
    found = {row["name"]: row["what"] for row in json.loads(done.stdout)["findings"]}
    return found["CUDA headers"]


def names(page: str) -> list[str]:
    """Files of the repository that a page names: in links, and as code with a folder of ours in front."""
    folders = "src|runtime|python|emulator|tests|tools|docs|problems|bench|cmake"
    page = BLOCK.sub("", page)
    linked = re.findall(r"\]\(([^)#:]+)\)", page)
    named = linked + re.findall(rf"`((?:{folders})/[\w./-]*\w)`", page)
    return [name for name in named if not re.search("[A-Z]{4}/|[A-Z]{4}\\.(?!md)", name)]  # src/ir/ops/NAME.cc


def check_names(path: pathlib.Path) -> list[str]:
    text = path.read_text()
    return [name for name in names(text) if not (path.parent / name).exists() and not (ROOT / name).exists()]


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path: pathlib.Path, build: pathlib.Path, cuda_include: str, is_long: bool, tmp_path_factory) -> None:
    scratch = tmp_path_factory.mktemp("pages-of-stitchcuda")
    page = Page(path, scratch, build, cuda_include, is_long)
    for block in blocks(path.read_text()):
        page.run(block)
    assert not page.problems, "\n".join(page.problems)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_a_page_names_is_there(path: pathlib.Path) -> None:
    missing = check_names(path)
    assert not missing, f"{path.name} names {', '.join(missing)}"
