# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments of `optimize`: the same command then gives what an undisturbed run gives.

Every other moment kills stitchcuda alone, the others all its processes at once. After each: the folder of results is as
it was or whole, no process of the run is left, nothing in /dev/shm or TMPDIR (of a run that was killed whole: after the
next one); what was compiled is still in the cache. Then the same command again: same verdict, plan and sources.
--long: 30 moments over three programs of problems/, half of a minute each; else 4 over one small one, in about a
minute. The part of the commit chooses the moments.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import random
import subprocess
import time
import uuid

import processes
import pytest
from named_seed import with_seed
from part import part

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROBLEMS = ("mlp_residual", "layernorm_linear_softmax", "message_passing")
SMALL = """import torch
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


class Place:
    """One run's own folders; the cache is empty at first, so that compilers are killed too."""

    def __init__(self, base: pathlib.Path, build: pathlib.Path, program: pathlib.Path) -> None:
        self.base, self.program = base, program
        self.out = base / "results" / "out"
        self.mark = f"STITCHCUDA_TEST_MARK={uuid.uuid4()}"
        for name in ("cache", "state", "tmp", "results"):
            (base / name).mkdir(parents=True, exist_ok=True)
        self.command = [
            str(build / "stitchcuda"),
            *with_seed("optimize", str(program), "--device", "emulated", "--out", str(self.out), "--skip-nvcc"),
            "--json",
        ]
        name, value = self.mark.split("=")
        self.environment = dict(
            os.environ,
            STITCHCUDA_CACHE=str(base / "cache"),
            STITCHCUDA_STATE=str(base / "state"),
            TMPDIR=str(base / "tmp"),
            **{name: value},
        )

    def start(self) -> subprocess.Popen:
        return subprocess.Popen(
            self.command,
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def finish(self) -> tuple[dict, float]:
        """The answer of an undisturbed run, and its seconds."""
        began = time.monotonic()
        done = self.start()
        stdout, stderr = done.communicate(timeout=900)
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode}: {stdout[-500:]} {stderr[-500:]}")
        return json.loads(stdout), time.monotonic() - began

    def results(self) -> dict[str, str]:
        """File -> digest of all that must be the same whenever it is made. Times and machines are elsewhere: in
        evidence/ and in the report."""
        return {
            str(path.relative_to(self.out)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.out.rglob("*"))
            if path.is_file() and "evidence" not in path.parts and path.name != "report.html"
        }

    def litter(self) -> list[str]:
        found = [f"results/{path.name}" for path in (self.base / "results").iterdir() if path != self.out]
        return found + [f"tmp/{path.name}" for path in (self.base / "tmp").iterdir()]

    def objects(self) -> set[str]:
        return {path.name for path in (self.base / "cache" / "objects").rglob("*.o")}


def shared_memory_of(pids: dict[int, int]) -> list[str]:
    return [name for name in os.listdir("/dev/shm") if any(f"-{pid}-{start}-" in name for pid, start in pids.items())]


def kill_at(place: Place, seconds: float, whole: bool) -> tuple[dict[int, int], bool]:
    """The family at that moment, and whether the run was still there to be killed."""
    process = place.start()
    try:
        process.communicate(timeout=seconds)
        return {}, False
    except subprocess.TimeoutExpired:
        family = processes.descendants(process.pid)
        if whole:
            processes.kill_all(family)
        else:
            process.kill()
        process.communicate()
        return family, True


def judge_kill(place: Place, family: dict[int, int], whole: bool, before: dict, wanted: dict) -> list[str]:
    problems = []
    if not processes.wait_until(lambda: not processes.alive(family) and not processes.marked(place.mark)):
        problems.append(f"processes are left: {processes.alive(family)} {processes.marked(place.mark)}")
    if place.out.exists() and place.results() not in (before, wanted):
        problems.append("the folder of results is half written")
    if not place.out.exists() and before:
        problems.append("the folder of results is lost")
    clean = lambda: not place.litter() and not shared_memory_of(family)
    if not whole and not processes.wait_until(clean):
        problems.append(f"left behind: {place.litter()} {shared_memory_of(family)}")
    return problems


def one_moment(place: Place, seconds: float, whole: bool, wanted: dict, verdict: dict) -> list[str]:
    before = place.results() if place.out.exists() else {}
    family, killed = kill_at(place, seconds, whole)
    problems = judge_kill(place, family, whole, before, wanted) if killed else []
    compiled = place.objects()
    answer, _ = place.finish()
    if place.results() != wanted:
        other = {name for name in set(wanted) | set(place.results()) if wanted.get(name) != place.results().get(name)}
        problems.append(f"other results than an undisturbed run: {sorted(other)}")
    if (answer["verdict"]["kind"], answer["error_ratio"]) != (verdict["verdict"]["kind"], verdict["error_ratio"]):
        problems.append(f"another verdict: {answer['verdict']}, {answer['error_ratio']}")
    if not compiled <= place.objects():
        problems.append("what was compiled before the kill is gone from the cache")
    if place.litter() or shared_memory_of(family):
        problems.append(f"left behind after the next run: {place.litter()} {shared_memory_of(family)}")
    return problems


@dataclasses.dataclass
class Undisturbed:
    """What a run gives that nobody disturbs, from an empty cache."""

    program: pathlib.Path
    verdict: dict
    seconds: float
    results: dict


@pytest.fixture(scope="module")
def undisturbed(request: pytest.FixtureRequest, build: pathlib.Path, tmp_path_factory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    program = ROOT / "problems" / f"{request.param}.py"
    if request.param == "small":
        program = folder / "small.py"
        program.write_text(SMALL)
    place = Place(folder / "reference", build, program)
    verdict, seconds = place.finish()
    return Undisturbed(program, verdict, seconds, place.results())


def moments() -> list:
    small = [("small", number, []) for number in range(4)]
    return small + [(name, number, [pytest.mark.long]) for name in PROBLEMS for number in range(10)]


@pytest.mark.alone
@pytest.mark.parametrize(
    "undisturbed,number",
    [pytest.param(name, number, id=f"{name}-{number}", marks=marks) for name, number, marks in moments()],
    indirect=["undisturbed"],
)
def test_moment(undisturbed: Undisturbed, number: int, build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    place = Place(tmp_path / "moment", build, undisturbed.program)
    wanted = undisturbed.results
    if number % 3 == 2:  # something of an earlier run is there
        place.finish()
        (place.out / "mine.txt").write_text("the user's own")
        (place.base / "cache").rename(place.base / "cache-before")
        wanted = dict(wanted, **{"mine.txt": hashlib.sha256(b"the user's own").hexdigest()})
    dice = random.Random(f"{part()} {undisturbed.program.stem} {number}")
    seconds = dice.uniform(0.02, undisturbed.seconds)
    problems = one_moment(place, seconds, number % 2 == 1, wanted, undisturbed.verdict)
    assert not problems, f"killed after {seconds:.2f} s of {undisturbed.seconds:.1f}: {'; '.join(problems)}"
