# SPDX-License-Identifier: Apache-2.0
"""Faults around the whole program: the oracle fails at each kind of request, the disk is full at each write, the wall
clock goes backwards, stitchcuda is killed at a step of the protocol and started again. No verdict is invented, nothing
is lost: each case tells the exit status, the sentence and what is on the disk. (faults_test has the worker's and the
keeper's.)

In about a minute on two cores; --long: every third write, twelve steps. The part of the commit chooses the moments.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest
from named_seed import with_seed
from part import part

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MAX_S = 600
PROGRAM = """import torch


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
FULL = "No space left on device"
KILLED = "the Python process was killed while it ran base.py"
ENDED = "base.py ended the Python process"


@dataclasses.dataclass
class Place:
    build: pathlib.Path
    scratch: pathlib.Path

    def run(self, folder: pathlib.Path, words: list[str], **extra: str) -> subprocess.CompletedProcess:
        own = {name: value for name, value in os.environ.items() if not name.startswith("STITCHCUDA_")}
        temporary = folder / "temporary"
        temporary.mkdir(exist_ok=True)
        environment = dict(
            own,
            STITCHCUDA_CACHE=str(self.scratch / "cache"),
            XDG_STATE_HOME=str(folder / "state"),
            TMPDIR=str(temporary),
            LC_ALL="C.UTF-8",
            **extra,
        )
        return subprocess.run(
            [str(self.build / "stitchcuda"), *words],
            cwd=folder,
            env=environment,
            text=True,
            errors="replace",
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=MAX_S,
            check=False,
        )

    def with_calls(self, fault: str, counts: pathlib.Path) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(self.build / "tests/faults/libfaulty_calls.so"),
            "STITCH_TEST_CALLS": fault,
            "STITCH_TEST_COUNTS": str(counts),
        }

    def folder(self, name: str) -> pathlib.Path:
        folder = self.scratch / re.sub(r"\W", "_", name)
        shutil.copytree(self.scratch / "base", folder)
        return folder


OPTIMIZE = with_seed("optimize", "base.py", "--out", "out", "--device", "emulated", "--skip-nvcc", "--quiet")
VERIFY = with_seed("verify", "base", "--device", "emulated", "--quiet")


def is_whole(folder: pathlib.Path) -> bool:
    """Results that say `verified` in every place."""
    report = json.loads((folder / "out/evidence/verify.json").read_text())
    return report["verdict"]["kind"] == "ok" and (folder / "out/evidence/manifest.json").exists()


def left_behind(folder: pathlib.Path) -> list[str]:
    beside = [
        path.name
        for path in folder.iterdir()
        if path.name not in ("base", "base.py", "out", "temporary", "state", "counts", "python")
    ]
    return beside + os.listdir(folder / "temporary")


def expect(done: subprocess.CompletedProcess, code: int, sentence: str) -> list[str]:
    said = (done.stderr if code else done.stdout).strip()
    problems = [] if done.returncode == code else [f"exit {done.returncode}, not {code}"]
    problems += [] if sentence in said else [f"says {said[-400:]!r}, not {sentence!r}"]
    problems += ["says verified"] if code and "verified" in done.stdout else []
    return problems


def oracle_fails(place: Place, fault: str, code: int, sentence: str) -> list[str]:
    folder = place.folder("oracle " + fault)
    interpreter = folder / "python"
    interpreter.write_text(f'#!/bin/sh\nexec "{ROOT}/.venv/bin/python" "{HERE}/faulty_python.py" "$@"\n')
    interpreter.chmod(0o755)
    done = place.run(folder, VERIFY, STITCHCUDA_PYTHON=str(interpreter), STITCH_TEST_PYTHON=fault)
    return expect(done, code, sentence) + left_behind(folder)


def disk_is_full(place: Place, number: int) -> list[str]:
    """Either the write was needed: an Error, and no results. Or it was not (the cache): results, whole."""
    folder = place.folder(f"disk {number}")
    done = place.run(folder, OPTIMIZE, **place.with_calls(f"disk_full:{number}", folder / "counts"))
    if done.returncode == 0:
        return (
            expect(done, 0, "verified") + ([] if is_whole(folder) else ["results are not whole"]) + left_behind(folder)
        )
    problems = expect(done, 4, FULL) + left_behind(folder)
    return problems + (["left results"] if (folder / "out").exists() else [])


def clock_goes_back(place: Place) -> list[str]:
    folder = place.folder("clock")
    done = place.run(folder, OPTIMIZE, **place.with_calls("clock_back:0", folder / "counts"))
    records = [json.loads(path.read_text()) for path in folder.glob("state/stitchcuda/runs/*/run.json")]
    problems = expect(done, 0, "verified") + ([] if is_whole(folder) else ["results are not whole"])
    problems += [] if len(records) == 1 and records[0]["state"] == "verified" else ["the run's record is not there"]
    return problems + [f"a run of {each['seconds']} s" for each in records if each["seconds"] < 0] + left_behind(folder)


def killed_and_started_again(place: Place, number: int) -> list[str]:
    folder = place.folder(f"killed {number}")
    done = place.run(folder, OPTIMIZE, **place.with_calls(f"killed:{number}", folder / "counts"))
    problems = [] if done.returncode == -9 else [f"exit {done.returncode}, not killed"]
    problems += ["left results"] if (folder / "out").exists() else []
    problems += ["says verified"] if "verified" in done.stdout else []
    again = place.run(folder, OPTIMIZE)
    problems += expect(again, 0, "verified") + ([] if is_whole(folder) else ["results are not whole"])
    return problems + left_behind(folder)


def counts_of(place: Place) -> tuple[int, int]:
    """Frames sent and writes made by an undisturbed run with a cache that holds everything."""
    folder = place.folder("undisturbed")
    place.run(folder, OPTIMIZE, **place.with_calls("disk_full:0", folder / "counts"))
    lines = [tuple(map(int, line.split())) for line in (folder / "counts").read_text().splitlines()]
    return max(lines)


ORACLE = [
    ("oracle.open:1:killed", 4, KILLED),
    ("oracle.draw:1:killed", 4, KILLED),
    ("oracle.draw:4:killed", 4, KILLED),
    ("oracle.draw:2:rubbish", 5, "answered `oracle.draw` with no JSON object"),
    ("oracle.draw:2:closed", 3, "base.py closed the connection of the Python process that runs it"),
    ("oracle.draw:3:exit", 3, ENDED),
]


MAX_WRITES, WRITES, MAX_FRAMES, FRAMES = 100, 3, 12, 2


def make_base(place: Place) -> None:
    (place.scratch / "base").mkdir()
    (place.scratch / "base/base.py").write_text(PROGRAM)
    made = place.run(place.scratch / "base", [word if word != "out" else "base" for word in OPTIMIZE])
    shutil.rmtree(place.scratch / "base/temporary")
    shutil.rmtree(place.scratch / "base/state", ignore_errors=True)
    assert made.returncode == 0, f"the base program does not verify: {made.stdout}{made.stderr}"
    (place.scratch / "counts.json").write_text(json.dumps(counts_of(place)))


@pytest.fixture(scope="module", name="place")
def one_place(build: pathlib.Path, shared_folder) -> Place:
    """With a cache of its own: the writes of a run are counted."""
    return Place(build, shared_folder("faults", lambda scratch: make_base(Place(build, scratch))))


def moments(place: Place, which: int, count: int, is_long: bool) -> list[int]:
    """Which write (1) or frame (0) each case disturbs; those of another commit are others."""
    total = json.loads((place.scratch / "counts.json").read_text())[which]
    if is_long and which == 1:
        return list(range(1, total + 1, 3))
    # Two runs of one seed differ by a few frames, so that the last ones of the run that was counted may not come.
    certain = total * 3 // 4
    return random.Random(part() + which).sample(range(1, certain + 1), min(count, certain))


@pytest.mark.parametrize("fault,code,sentence",
                         [pytest.param(*case, id=case[0], marks=[] if number % 2 else [pytest.mark.long])
                          for number, case in enumerate(ORACLE)])
def test_oracle(place: Place, fault: str, code: int, sentence: str) -> None:
    problems = oracle_fails(place, fault, code, sentence)
    assert not problems, "; ".join(problems)


@pytest.mark.parametrize("number", [pytest.param(number, marks=[] if number < WRITES else [pytest.mark.long])
                                    for number in range(MAX_WRITES)])
def test_disk_is_full(place: Place, number: int, is_long: bool) -> None:
    chosen = moments(place, 1, WRITES, is_long)
    if number >= len(chosen):
        pytest.skip(f"a run makes {len(chosen)} writes that are tried")
    problems = disk_is_full(place, chosen[number])
    assert not problems, f"the disk is full at write {chosen[number]}: {'; '.join(problems)}"


@pytest.mark.parametrize("number", [pytest.param(number, marks=[] if number < FRAMES else [pytest.mark.long])
                                    for number in range(MAX_FRAMES)])
def test_killed_and_started_again(place: Place, number: int) -> None:
    frame = moments(place, 0, MAX_FRAMES, False)[number]
    problems = killed_and_started_again(place, frame)
    assert not problems, f"killed at frame {frame}: {'; '.join(problems)}"


def test_clock_goes_back(place: Place) -> None:
    problems = clock_goes_back(place)
    assert not problems, "; ".join(problems)


def test_counts_cover_a_run(place: Place) -> None:
    frames, writes = json.loads((place.scratch / "counts.json").read_text())
    assert frames >= MAX_FRAMES and writes <= 3 * MAX_WRITES, f"{frames} frames, {writes} writes"
