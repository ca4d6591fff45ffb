# SPDX-License-Identifier: Apache-2.0
"""What is built while other things are timed: who waits, who is stopped, on which processors; without a GPU."""
from __future__ import annotations

import argparse
import fcntl
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import sys
import threading
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import baselines  # noqa: E402
import children  # noqa: E402
import gate  # noqa: E402
import pools  # noqa: E402

COUNTS = "import time\nwhile True:\n    print('{}', flush=True)\n    time.sleep(0.01)\n"


def is_stopped(process) -> bool:
    return pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def until(condition, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def compiler(tmp_path: pathlib.Path):
    process = children.start([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path / "log")
    yield process
    children.end(process, grace=0)


def test_what_compiles_is_stopped_while_samples_are_taken(tmp_path: pathlib.Path, compiler) -> None:
    pipeline = gate.Pipeline(tmp_path / "timing.lock")
    with pipeline.compiling(compiler):
        with pipeline.turn(), pipeline.quiet():
            until(lambda: is_stopped(compiler))
        until(lambda: not is_stopped(compiler))
    with pipeline.quiet():
        assert not is_stopped(compiler)  # it compiles no more


def test_what_compiles_is_stopped_while_the_tuner_times(tmp_path: pathlib.Path, compiler) -> None:
    lock = tmp_path / "timing.lock"
    pipeline = gate.Pipeline(lock)
    with pipeline.compiling(compiler):
        time.sleep(3 * gate.LOOKING_SECONDS)
        assert not is_stopped(compiler)
        with lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # as driver/time/timing_lock.cc takes it
            until(lambda: is_stopped(compiler))
        until(lambda: not is_stopped(compiler))
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(3 * gate.LOOKING_SECONDS)
        assert not is_stopped(compiler)  # it compiles no more
        with pipeline.preparing(compiler):
            until(lambda: is_stopped(compiler))
    assert not is_stopped(compiler)
    until(lambda: not pipeline._is_watched)


def test_the_watch_does_not_end_what_samples_have_stopped(tmp_path: pathlib.Path, compiler) -> None:
    pipeline = gate.Pipeline(tmp_path / "timing.lock")
    with pipeline.compiling(compiler), pipeline.quiet():
        until(lambda: is_stopped(compiler))
        time.sleep(5 * gate.LOOKING_SECONDS)
        assert is_stopped(compiler)


def test_what_begins_to_compile_meanwhile_is_stopped_at_once(compiler) -> None:
    pipeline = gate.Pipeline(None)
    with pipeline.quiet():
        with pipeline.compiling(compiler):
            until(lambda: is_stopped(compiler))
        until(lambda: not is_stopped(compiler))


def test_samples_wait_for_the_tuner_s_lock_and_for_verdicts(tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "timing.lock"
    pipeline, order = gate.Pipeline(lock), []
    verdict_ends = threading.Event()

    def verify() -> None:
        with pipeline.shared():
            verdict_ends.wait(30)
            order.append("verified")

    def sample() -> None:
        with pipeline.quiet():
            order.append("sampled")

    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        threads = [threading.Thread(target=verify)]
        threads[0].start()
        until(lambda: pipeline._sharing == 1)
        threads.append(threading.Thread(target=sample))
        threads[1].start()
        verdict_ends.set()
        threads[0].join(30)
        time.sleep(0.1)
        assert order == ["verified"]  # the tuner still times
    threads[1].join(30)
    assert order == ["verified", "sampled"]


def test_children_have_the_processors_of_their_pool(tmp_path: pathlib.Path) -> None:
    mine = sorted(os.sched_getaffinity(0))
    says = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
    for cpu in mine[:2]:
        with pools.pool_on(1, {cpu}) as pool:
            said = pool.submit(children.run, says, tmp_path / "log", 60).result().stdout
        assert json.loads(said) == [cpu]
    assert sorted(os.sched_getaffinity(0)) == mine


@pytest.mark.parametrize("text", ["", "a", "3-", "0-1-2", "100000", "0,,1"])
def test_processors_that_are_none(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        pools.processors(text)


PRODUCT = """#!/usr/bin/env python3
import json, sys
verb, program = sys.argv[1:3]
answers = {"tune": {"measured": 3, "known": 0, "steps": []},
           "optimize": {"verdict": {"kind": "wrong" if "bad" in program else "ok"}, "library": "l.so", "out": "o"},
           "cache": {"folder": "FOLDER"}}
print(json.dumps(answers[verb]))
"""
# As time_program.py speaks: its baselines, then a question, then the times.
TIMER = """
import json, sys
print(json.dumps({"eager": 0.1}), flush=True)
order = json.loads(sys.stdin.readline())
assert order == {"library": "l.so", "folder": "o"}
print(json.dumps({"asks": True}), flush=True)
sys.stdin.readline()
us = {"ours": {"median": 5.0, "low": 5.0, "high": 5.0}, "eager": {"median": 10.0, "low": 9.0, "high": 11.0}}
print(json.dumps({"us": us, "prepare_us": 1.0, "device": "none", "torch": "0", "flags": ""}), flush=True)
"""


def bench():
    loader = importlib.machinery.SourceFileLoader("programs_run", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("programs_run", loader))
    loader.exec_module(module)
    return module


def run_bench(tmp_path: pathlib.Path, monkeypatch, *more: str) -> list[dict]:
    binary, timer = tmp_path / "stitchcuda", tmp_path / "timer.py"
    binary.write_text(PRODUCT.replace("FOLDER", str(tmp_path)))
    binary.chmod(0o755)
    timer.write_text(TIMER)
    programs = [str(tmp_path / f"{name}.py") for name in ("good", "bad", "other")]
    monkeypatch.setattr(baselines, "SCRIPT", timer)
    asked = ["run", str(binary), str(tmp_path / "out"), "--tune-jobs", "2", *more, "--programs", *programs]
    monkeypatch.setattr(sys, "argv", asked)
    monkeypatch.setattr(children, "end_with_this_process", lambda: None)
    assert bench().main() == 1  # one is wrong, and hence not timed
    return json.loads((tmp_path / "out" / "results-fp32.json").read_text())


def test_programs_are_timed_as_soon_as_they_are_there(tmp_path: pathlib.Path, monkeypatch) -> None:
    cpus = ["--time-cpus", str(min(os.sched_getaffinity(0))), "--build-cpus", str(max(os.sched_getaffinity(0)))]
    found = {result["program"]: result for result in run_bench(tmp_path, monkeypatch, *cpus)}
    assert [name for name, result in found.items() if "us" in result.get("times", {})] == ["good", "other"]
    assert found["bad"]["optimize"]["verdict"]["kind"] == "wrong"
    assert "| good | 5.0 [5.0..5.0] |" in (tmp_path / "out" / "table-fp32.md").read_text()
    before = (tmp_path / "out" / "log-fp32-good.txt").stat().st_mtime_ns
    run_bench(tmp_path, monkeypatch, "--resume")
    assert (tmp_path / "out" / "log-fp32-good.txt").stat().st_mtime_ns == before  # it was left alone


def test_nothing_is_begun_that_would_not_be_timed(tmp_path: pathlib.Path, monkeypatch) -> None:
    found = run_bench(tmp_path, monkeypatch, "--seconds", "20")
    assert [list(result) for result in found] == [["program"]] * 3
    assert "- good: not timed" in (tmp_path / "out" / "table-fp32.md").read_text()
