# SPDX-License-Identifier: Apache-2.0
"""kill -9 of workers, front end and Redis under load, at moments drawn by the seed: nothing is lost, none doubled."""

from __future__ import annotations

import contextlib
import hashlib
import pathlib
import random
import shutil
import subprocess
import time
from collections.abc import Iterator

import pytest
from named_seed import SEED

LEASE_MS = 400
NO_REDIS = "no redis-server here: 'tools/setup --tests' brings it (Debian's redis-tools)"


@contextlib.contextmanager
def redis(program: pathlib.Path) -> Iterator[tuple[str, subprocess.Popen]]:
    with subprocess.Popen([program, "redis"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().strip(), server
        server.stdin.close()


class Load:
    def __init__(self, program: pathlib.Path, url: str, results: pathlib.Path, jobs: int) -> None:
        self.program, self.url, self.results, self.jobs = program, url, results, jobs
        self.workers = [self.worker() for _ in range(3)]
        self.front_end = self.submit()

    def worker(self) -> subprocess.Popen:
        return subprocess.Popen([self.program, "work", self.url, "2", "5", str(LEASE_MS)])

    def submit(self) -> subprocess.Popen:
        command = [self.program, "submit", self.url, "run", str(self.jobs), "16", self.results]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def kill_worker(self, chance: random.Random) -> None:
        at = chance.randrange(len(self.workers))
        end(self.workers[at])
        self.workers[at] = self.worker()

    def kill_front_end(self) -> None:
        end(self.front_end)
        self.front_end = self.submit()

    def close(self) -> None:
        for process in [*self.workers, self.front_end]:
            end(process)


def end(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def check(results: pathlib.Path, jobs: int) -> None:
    """A job that three workers died on is parked, and that is its only end."""
    expected = {digest(f"run/{i}"): digest(f"result of run/{i}") for i in range(jobs)}
    lines = [line.split() for line in results.read_text().splitlines()]
    assert len(lines) == len({name for name, _ in lines}), "a job has two results"
    assert {name for name, _ in lines} == set(expected), "a job has no result"
    wrong = [name for name, text in lines if text not in (expected[name], "parked")]
    assert not wrong
    assert sum(text == "parked" for _, text in lines) <= jobs // 20


def kill_at_random(build: pathlib.Path, tmp_path: pathlib.Path, kind: str, jobs: int, kills: int) -> None:
    program = build / "stitchcuda-store-load"
    chance = random.Random(SEED)
    with contextlib.ExitStack() as stack:
        if kind == "redis":
            if not any(map(shutil.which, ("redis-server", "valkey-server", "redis-check-rdb"))):
                pytest.skip(NO_REDIS)
            url, server = stack.enter_context(redis(program))
        else:
            url, server = f"sqlite:{tmp_path}/jobs.db", None
        load = Load(program, url, tmp_path / "results", jobs)
        stack.callback(load.close)
        for _ in range(kills):
            time.sleep(chance.uniform(0.05, 0.5))
            what = chance.choice(["worker", "worker", "front end"] + ["server"] * (server is not None))
            if what == "worker":
                load.kill_worker(chance)
            elif what == "front end":
                load.kill_front_end()
            else:
                server.stdin.write("k")
                server.stdin.flush()
                assert server.stdout.readline() == "again\n"
        assert load.front_end.wait(timeout=60 + jobs) == 0
        check(tmp_path / "results", jobs)


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_nothing_is_lost_or_doubled(build: pathlib.Path, tmp_path: pathlib.Path, kind: str) -> None:
    kill_at_random(build, tmp_path, kind, jobs=200, kills=6)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_nothing_is_lost_or_doubled_in_long(build: pathlib.Path, tmp_path: pathlib.Path, kind: str) -> None:
    kill_at_random(build, tmp_path, kind, jobs=20_000, kills=200)
