# SPDX-License-Identifier: Apache-2.0
"""`bench --store` with real workers: the rows that a bench without a store has, metrics, and a worker that drains."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import made_suite  # noqa: E402

NAMES = ["level1/1_tanh.py", "level2/2_broken.py", "level2/3_unsupported.py"]


class Farm:
    def __init__(self, base: pathlib.Path, build: pathlib.Path) -> None:
        self.suite, self.run = made_suite.write(base / "suite", NAMES), base / "run"
        self.binary, self.store = build / "stitchcuda", f"sqlite:{base}/jobs.db"
        own = {"STITCHCUDA_STATE": str(base / "state"), "STITCHCUDA_NODE": str(base / "node")}
        self.environment = {**os.environ, **own, "OPENAI_API_KEY": "sk-secret"}

    @contextlib.contextmanager
    def worker(self, *more: str):
        command = [self.binary, "work", "--store", self.store, "--class", "build", *more]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=self.environment, text=True, **pipes)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def bench(self, *more: str) -> subprocess.CompletedProcess:
        command = [self.binary, "bench", "kernelbench", "--root", self.suite, "--out", self.run, "--seed", "5",
                   "--store", self.store, "--json", "--quiet", *more]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=900)


def port_of(worker: subprocess.Popen) -> int:
    for line in worker.stderr:
        if found := re.search(r"port (\d+)", line):
            return int(found[1])
    raise AssertionError("the worker did not say at which port it tells metrics")


@pytest.mark.alone
def test_workers_come_to_the_same_rows(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    farm = Farm(tmp_path, build)
    with farm.worker("--metrics", "0") as worker:
        port = port_of(worker)
        farm.bench("--device", "emulated", "--no-admit")
        rows = {f"{row['task']}": row for row in map(json.loads, (farm.run / "results.jsonl").read_text().splitlines())}
        for name in NAMES:
            key = re.sub(r"_.*", "", name)
            assert rows[key]["outcome"] == made_suite.PROGRAMS[name][1], rows[key]
        out = farm.run / rows["level1/1"]["out"]
        assert (out / "program.cu").is_file()
        assert (out / "evidence" / "verify.json").is_file()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        assert re.search(r'stitchcuda_worker_jobs_total\{[^}]*outcome="done"\} 3\n', text), text
        assert 'stitchcuda_store_jobs_total{class="build",event="done"} 3\n' in text
        worker.send_signal(signal.SIGTERM)
        _, said = worker.communicate(timeout=60)
        assert worker.returncode == 0, said
    assert b"sk-secret" not in b"".join(path.read_bytes() for path in tmp_path.glob("jobs.db*") if path.is_file())


@pytest.mark.parametrize(("more", "sentence"), [
    (["--store", "http://x"], "names no store of jobs"),
    (["--store", "redis://127.0.0.1:1"], "share for files"),
    (["--store", "sqlite:x.db", "--drain-before", "60"], "nobody says when this worker ends"),
    (["--store", "redis://:word@host"], "seen by all who list processes"),
])
def test_a_mistaken_worker_is_told(build: pathlib.Path, tmp_path: pathlib.Path, more: list[str], sentence: str) -> None:
    command = [build / "stitchcuda", "work", "--class", "build", "--json", *more]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60)
    assert ended.returncode == 2
    assert sentence in json.loads(ended.stdout)["error"]["sentence"]


def test_a_bench_with_a_store_says_what_it_cannot(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    farm = Farm(tmp_path, build)
    ended = farm.bench()
    assert ended.returncode == 2
    assert "what device this machine has" in json.loads(ended.stdout)["error"]["sentence"]
