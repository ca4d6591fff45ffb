# SPDX-License-Identifier: Apache-2.0
"""What a person sees on a terminal, and what Ctrl-C leaves.

Screens of `optimize` at three widths are compared with cases/ once times are taken out (--update writes them); Ctrl-C
is pressed at moments of `optimize` that the part of the commit chooses: 3, with --long 15. Cost: half a minute.
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import uuid

import pytest
import screen
from named_seed import with_seed
from part import part

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "resume"))
import processes  # noqa: E402

CASES = pathlib.Path(__file__).resolve().parent / "cases"
WIDTHS = (40, 80, 200)
PROGRAM = """import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(24, 33)
    def forward(self, x):
        return torch.softmax(self.w(x).relu(), -1)
def get_inputs():
    return [torch.randn(9, 24)]
def get_init_inputs():
    return []
"""
TURNING = re.compile("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]")


class Bench:
    """Where the runs take place: a folder of their own for everything they leave."""

    def __init__(self, folder: pathlib.Path, build: pathlib.Path) -> None:
        self.folder = folder
        self.program = self.folder / "模型 größe.py"
        self.program.write_text(PROGRAM)
        (self.folder / "tmp").mkdir()
        self.binary = str(build / "stitchcuda")
        self.mark = f"STITCHCUDA_TEST_MARK={uuid.uuid4()}"

    def environment(self, **more: str) -> dict[str, str]:
        name, value = self.mark.split("=")
        found = dict(
            os.environ,
            TERM="xterm",
            LC_ALL="C.UTF-8",
            TMPDIR=str(self.folder / "tmp"),
            STITCHCUDA_STATE=str(self.folder / "state"),
            **{name: value},
        )
        found.pop("NO_COLOR", None)
        return dict(found, **more)

    def terminal(self, arguments: list[str], columns: int, **more: str) -> screen.Terminal:
        return screen.Terminal([self.binary, *arguments], columns, self.environment(**more), str(self.folder))

    def optimize(self) -> list[str]:
        return with_seed("optimize", self.program.name, "--device", "emulated", "--skip-nvcc", "--out", "out")

    def left(self, family: dict[int, int]) -> list[str]:
        """What a run left behind, given a moment."""
        memory = lambda: [
            name for name in os.listdir("/dev/shm") if any(f"-{pid}-{start}-" in name for pid, start in family.items())
        ]
        found = lambda: (
            [str(pid) for pid in processes.alive(family) + processes.marked(self.mark)]
            + os.listdir(self.folder / "tmp")
            + memory()
        )
        return [] if processes.wait_until(lambda: not found()) else found()


def facts_of(text: str) -> str:
    """The lines of progress that stay, without times. Stages overlap: which comes first is chance."""
    found = [line for line in text.splitlines() if line.startswith("  ")]
    return "\n".join(sorted(re.sub(r"\(\d+\.\d s\)$", "(TIME)", line) for line in found)) + "\n"


def are_alike(shown: str, wanted: str) -> bool:
    """A longer time leaves less room for a sentence that is cut."""

    def sentence(line: str) -> str:
        return line.removesuffix("(TIME)").rstrip().removesuffix("…")

    def lines_alike(one: str, other: str) -> bool:
        short, long = sorted((sentence(one), sentence(other)), key=len)
        return long.startswith(short) and len(long) - len(short) <= (2 if "…" in one + other else 0)

    pairs = list(zip(shown.splitlines(), wanted.splitlines(), strict=False))
    return len(shown.splitlines()) == len(wanted.splitlines()) and all(lines_alike(*pair) for pair in pairs)


def check_widths(bench: Bench, update: bool) -> list[str]:
    problems = []
    for columns in WIDTHS:
        terminal = bench.terminal(bench.optimize(), columns)
        code = terminal.finish()
        shown = terminal.shown(columns)
        case = CASES / f"optimize-{columns}.txt"
        if update:
            case.write_text(facts_of(shown.text()))
        if code != 0 or shown.unknown or TURNING.search(shown.text()) or not TURNING.search(terminal.raw):
            problems.append(f"width {columns}: exit {code}, unknown {shown.unknown}, shown:\n{shown.text()}")
        elif not are_alike(facts_of(shown.text()), case.read_text()):
            problems.append(f"width {columns}: not as in {case.name}:\n{facts_of(shown.text())}")
        # All but the result, which is whole at any width.
        progress = terminal.raw[: terminal.raw.rfind("\x1b[K")]
        watched = screen.Screen(columns)
        watched.feed(progress)
        if watched.broken:
            problems.append(f"width {columns}: {watched.broken} lines of progress are broken")
    return problems


def check_colors(bench: Bench) -> list[str]:
    """An error is quick: its name is coloured or not."""
    missing = ["plan", "nothing.ir"]
    wanted = [
        ("a terminal", missing, {}, True),
        ("NO_COLOR", missing, {"NO_COLOR": "1"}, False),
        ("--color never", missing + ["--color", "never"], {}, False),
        ("--color always wins", missing + ["--color", "always"], {"NO_COLOR": "1"}, True),
        ("a dumb terminal", missing, {"TERM": "dumb"}, False),
    ]
    problems = []
    for name, arguments, more, colored in wanted:
        terminal = bench.terminal(arguments, 80, **more)
        terminal.finish()
        if ("\x1b[1;31m" in terminal.raw) != colored or (
            not colored and "m" in re.findall(r"\x1b\[[\d;]*(\w)", terminal.raw)
        ):
            problems.append(f"{name}: {terminal.raw!r}")
        if "nothing.ir" not in terminal.raw:
            problems.append(f"{name}: no error: {terminal.raw!r}")
    return problems


def check_plain(bench: Bench) -> list[str]:
    problems = []
    for name, more, wanted in (("a pipe", [], r"import .*\(\d+\.\d s\)"), ("--quiet", ["--quiet"], None)):
        done = subprocess.run(
            [bench.binary, *bench.optimize(), "--json", *more],
            cwd=bench.folder,
            env=bench.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if (
            done.returncode != 0
            or "\x1b" in done.stderr + done.stdout
            or json.loads(done.stdout)["verdict"]["kind"] != "ok"
        ):
            problems.append(f"{name}: exit {done.returncode}: {done.stderr[-400:]}")
        if wanted and not re.search(wanted, done.stderr) or not wanted and done.stderr:
            problems.append(f"{name}: stderr is {done.stderr!r}")
    return problems


def check_interrupt(bench: Bench, seconds: float, presses: int) -> list[str]:
    out = bench.folder / "out"
    before = out.stat().st_ino if out.exists() else None
    terminal = bench.terminal(bench.optimize(), 80)
    if not terminal.read(seconds):
        return []  # it had ended
    family = processes.descendants(terminal.process.pid)
    for _ in range(presses):
        terminal.press_interrupt()
    pressed = time.monotonic()
    code = terminal.finish(30)
    waited = time.monotonic() - pressed
    shown = terminal.shown(80).text()
    last = "".join("".join(shown.splitlines()[-4:]).split())  # a line that the terminal breaks may lose a blank
    problems = []
    if code == 0:
        return []  # the result was there first
    if code not in ((130,) if presses == 1 else (130, -signal.SIGINT)):
        problems.append(f"exit {code}")
    untouched = r"interrupted;.*outisasitwas\.Thesamecommand(goeson|startsover):.*\.$"
    written = r"interruptedwhen.*outwaswritten\.Itsresultsarewhole:nothinghastobedoneagain\.$"
    is_new = out.exists() and out.stat().st_ino != before
    if presses == 1 and not re.search(f"stitchcuda:({untouched}{'|' + written if is_new else ''})", last):
        problems.append(f"the last lines are {last}")
    if TURNING.search(shown) and presses == 1:
        problems.append(f"the display is still there:\n{shown}")
    if waited > 5:
        problems.append(f"it took {waited:.1f} s")
    left = bench.left(family)
    if left:
        problems.append(f"left behind: {left}")
    records = sorted((bench.folder / "state" / "runs").glob("*/run.json"))
    state = json.loads(records[-1].read_text())["state"] if records else "none"
    if presses == 1 and records and state not in ("interrupted", "verified"):
        problems.append(f"the record says {state}")
    return [f"Ctrl-C {presses} times at {seconds:.2f} s: {problem}" for problem in problems]


def check_json_interrupt(bench: Bench) -> list[str]:
    process = subprocess.Popen(
        [bench.binary, *bench.optimize(), "--json"],
        cwd=bench.folder,
        env=bench.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(1.0)
    process.terminate()
    stdout, stderr = process.communicate(timeout=30)
    try:
        answer = json.loads(stdout)
    except json.JSONDecodeError:
        return [f"--json: stdout is {stdout!r}"]
    if process.returncode != 130 or answer["error"]["code"] != "interrupted" or "same command" not in stderr:
        return [f"--json: exit {process.returncode}, {answer}, {stderr!r}"]
    return []


def has_terminals() -> bool:
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError:
        return False
    return True


pytestmark = pytest.mark.skipif(
    not has_terminals(), reason="this machine lends no pseudo-terminals (is /dev/pts mounted?)"
)


@pytest.fixture(scope="module", name="bench")
def one_bench(tmp_path_factory, build: pathlib.Path) -> Bench:
    return Bench(tmp_path_factory.mktemp("terminal"), build)


@pytest.fixture(scope="module")
def whole_seconds(bench: Bench) -> float:
    """Of a run that nobody interrupts, with everything compiled."""
    began = time.monotonic()
    assert bench.terminal(bench.optimize(), 80).finish() == 0
    return time.monotonic() - began


def expect_none(problems: list[str]) -> None:
    assert not problems, "\n".join(problems)


def test_plain_lines(bench: Bench) -> None:
    expect_none(check_plain(bench))


def test_colors(bench: Bench) -> None:
    expect_none(check_colors(bench))


def test_widths(bench: Bench, update: bool) -> None:
    expect_none(check_widths(bench, update))


@pytest.mark.alone
def test_json_interrupt(bench: Bench) -> None:
    expect_none(check_json_interrupt(bench))


@pytest.mark.alone
@pytest.mark.parametrize("number", [pytest.param(number, marks=[pytest.mark.long] if number >= 3 else [])
                                    for number in range(15)])
def test_interrupt(bench: Bench, whole_seconds: float, number: int) -> None:
    moment = random.Random(f"{part()} {number}").uniform(0.05, whole_seconds)
    expect_none(check_interrupt(bench, moment, 2 if number % 3 == 2 else 1))
