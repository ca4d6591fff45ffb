# SPDX-License-Identifier: Apache-2.0
"""`bench` over a made suite: every row as foretold, and a run that was killed goes on to the same results.

In short: the programs that misbehave and end soon. --long: all twelve, Ctrl-C and kill -9 at random moments.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import signal
import subprocess
import time

import made_suite
import pytest
from named_seed import SEED

SHORT = ["level1/1_tanh.py", "level2/2_broken.py", "level2/3_unsupported.py"]
MOMENTS = 20
# On a machine that does other work too, STITCH_TEST_PATIENCE says how many times as long all of it may take.
PATIENCE = float(os.environ.get("STITCH_TEST_PATIENCE", "1"))


class Place:
    def __init__(self, base: pathlib.Path, build: pathlib.Path, names: list[str] | None = None) -> None:
        self.suite = made_suite.write(base / "suite", names)
        self.binary, self.run = build / "stitchcuda", base / "run"
        self.environment = {**os.environ, "STITCHCUDA_STATE": str(base / "state")}

    def command(self, *more: str) -> list[str]:
        where = ["--root", str(self.suite), "--out", str(self.run)]
        how = ["--device", "emulated", "--jobs", "2", "--seed", "5", "--json", "--quiet"]
        return [str(self.binary), "bench", "kernelbench", *where, *how, *more]

    def start(self, command: list[str]) -> subprocess.Popen:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, env=self.environment, text=True, **pipes)

    def bench(self, *more: str, status: int = 0) -> dict:
        process = self.start(self.command(*more))
        out, error = process.communicate(timeout=900 * PATIENCE)
        assert process.returncode == status, error
        return json.loads(out)

    def go_on(self, *more: str) -> list[str]:
        return [str(self.binary), "bench", "--resume", str(self.run), "--jobs", "2", "--json", "--quiet", *more]

    def lines(self) -> list[dict]:
        return [json.loads(line) for line in (self.run / "results.jsonl").read_text().splitlines()]


def what_became(line: dict) -> dict:
    """All of a result that is the same each time."""
    kept = ("task", "sample", "outcome", "kind", "standing", "class", "digest", "modelled_us", "others")
    return {key: line[key] for key in kept}


def check_rows(lines: list[dict], names: list[str]) -> None:
    rows = {f"{line['task'].split('/')[0]}/{line['name']}.py": line for line in lines}
    assert sorted(rows) == sorted(names)
    for name in names:
        _, outcome, standing = made_suite.PROGRAMS[name]
        row = rows[name]
        assert row["outcome"] in outcome.split("|"), (name, row["sentence"])
        assert standing is None or row["standing"] == standing, (name, row["standing_reason"])


def test_what_cannot_be_judged_stops_nothing(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    place = Place(tmp_path, build, SHORT)
    report = place.bench("--no-admit", "--need", "0.9", status=1)
    check_rows(place.lines(), SHORT)
    assert report["figures"]["groups"][0]["success"]["value"] == 0.5
    assert [line["standing"] for line in report["figures"]["aside"]] == ["broken"]
    assert (place.run / "report.html").read_text().count("level2/2") > 0
    before = (place.run / "results.jsonl").read_text()
    process = place.start(place.go_on())
    assert process.wait(timeout=120 * PATIENCE) == 0
    assert (place.run / "results.jsonl").read_text() == before


def server_of(bench: int) -> int | None:
    """The child that has loaded PyTorch, once a job has begun below it."""
    for child in below(bench):
        command = pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
        if b"stitchcuda_python.fork_server" in command and below(child):
            return child
    return None


def below(pid: int) -> list[int]:
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def test_rows_are_the_same_where_the_process_that_forks_is_killed(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    place = Place(tmp_path, build, SHORT[:1])
    process = place.start(place.command("--no-admit"))
    end = time.monotonic() + 60 * PATIENCE
    while (server := server_of(process.pid)) is None and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    assert server is not None
    os.kill(server, signal.SIGKILL)
    assert process.communicate(timeout=900 * PATIENCE)[1] == "" and process.returncode == 0
    check_rows(place.lines(), SHORT[:1])


def test_a_mistaken_command_line_is_told(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    place = Place(tmp_path, build, SHORT)
    for more, sentence in ((["--levels", "7"], "no level 7"), (["--only", "zzz"], "no task is meant by 'zzz'"),
                           (["--subset", "none"], "no subset 'none'")):
        assert sentence in place.bench(*more, status=2)["error"]["sentence"]


@pytest.mark.long
def test_every_row_is_as_foretold_however_often_it_is_stopped(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    limits = ["--import-timeout", "20", "--task-seconds", str(int(300 * PATIENCE)), "--task-memory", "2G"]
    whole = Place(tmp_path / "whole", build)
    whole.bench(*limits)
    check_rows(whole.lines(), list(made_suite.PROGRAMS))
    place = Place(tmp_path / "stopped", build)
    chance = random.Random(SEED)
    command = place.command(*limits)
    for moment in range(MOMENTS):
        before = (place.run / "results.jsonl").read_text() if place.run.is_dir() else ""
        process = place.start(command)
        time.sleep(chance.uniform(2, 25) * PATIENCE)
        process.send_signal(signal.SIGINT if moment % 2 else signal.SIGKILL)
        said = "".join(process.communicate(timeout=60 * PATIENCE))
        if process.returncode == 130 and place.run.is_dir():
            assert f"stitchcuda bench --resume {place.run}" in said
        after = (place.run / "results.jsonl").read_text()
        assert after.startswith(before)
        print("stopped by", "Ctrl-C" if moment % 2 else "kill -9", "with", len(place.lines()), "results")
        command = place.go_on()
    process = place.start(command)
    process.communicate(timeout=900 * PATIENCE)
    by_task = [(line["task"], line["sample"]) for line in place.lines()]
    assert len(by_task) == len(set(by_task)) == len(made_suite.PROGRAMS)
    assert sorted(map(str, map(what_became, place.lines()))) == sorted(map(str, map(what_became, whole.lines())))
