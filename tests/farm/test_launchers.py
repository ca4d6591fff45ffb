# SPDX-License-Identifier: Apache-2.0
"""The launchers: each starts the same binary. In short what can be seen without their schedulers; --long: a real Slurm
and a real Ray on this machine run a bench's tasks."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
import small_slurm

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import made_suite  # noqa: E402

LAUNCHERS = pathlib.Path(__file__).resolve().parents[2] / "launchers"
NAMES = ["level2/2_broken.py", "level2/3_unsupported.py"]


def test_options_that_launchers_give_are_those_of_work(build: pathlib.Path) -> None:
    said = subprocess.run([build / "stitchcuda", "work", "--help"], capture_output=True, text=True, check=True).stdout
    for path in sorted(LAUNCHERS.iterdir()):
        text = path.read_text()
        for command in re.findall(r"(?:stitchcuda\}?\"? work|args: \[work|\"work\")[^\n]*(?:\n +[^\n]*)?", text):
            for option in re.findall(r"--[a-z-]+", command):
                assert option in said, f"{path.name}: {option}"
    assert "--grace" in said


def test_the_slurm_script_says_what_it_needs() -> None:
    ended = subprocess.run([LAUNCHERS / "slurm-array.sh"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "STORE ARTEFACTS" in ended.stderr


class Bench:
    """Two tasks for workers, and what became of them."""

    def __init__(self, base: pathlib.Path, build: pathlib.Path) -> None:
        self.store, self.artefacts, self.run = f"sqlite:{base}/jobs.db", base / "artefacts", base / "run"
        self.binary = build / "stitchcuda"
        where = ["--root", made_suite.write(base / "suite", NAMES), "--out", self.run]
        how = ["--device", "emulated", "--store", self.store, "--artefacts", self.artefacts, "--no-admit", "--quiet"]
        command = [self.binary, "bench", "kernelbench", *where, *how]
        environment = {**os.environ, "STITCHCUDA_STATE": str(base / "state")}
        self.process = subprocess.Popen(command, env=environment)

    def check(self, workers: subprocess.Popen | None = None) -> None:
        """Waits to its end, or to that of whoever should do its jobs."""
        until = time.monotonic() + 300
        while self.process.poll() is None and time.monotonic() < until and (workers is None or workers.poll() is None):
            time.sleep(0.5)
        if self.process.poll() is None:
            self.process.kill()
            pytest.fail("the tasks have not ended" if workers is None or workers.poll() is None
                        else f"the workers ended before their tasks: {workers.stderr.read()[-2000:]}")
        rows = [json.loads(line) for line in (self.run / "results.jsonl").read_text().splitlines()]
        assert sorted(row["outcome"] for row in rows) == ["broken", "unsupported"]


@pytest.mark.long
@pytest.mark.alone
def test_a_slurm_array_runs_and_drains(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    if why := small_slurm.why_none():
        pytest.skip(why)
    bench = Bench(tmp_path, build)
    with small_slurm.small_slurm(tmp_path / "slurm") as environment:
        asked = ["--array=0-1", "--gres=none", "--cpus-per-task=1", "--time=00:05:00", f"--chdir={tmp_path}"]
        command = ["sbatch", "--parsable", *asked, f"--output={tmp_path}/worker-%a.log", LAUNCHERS / "slurm-array.sh",
                   bench.store, bench.artefacts, "build"]
        submitted = subprocess.run(command, env={**environment, "STITCHCUDA": str(bench.binary)}, capture_output=True,
                                   text=True, check=True)
        bench.check()
        subprocess.run(["scancel", "--batch", "--signal=TERM", submitted.stdout.strip()], env=environment, check=True)
        logs = [tmp_path / "worker-0.log", tmp_path / "worker-1.log"]
        until = time.monotonic() + 90
        while time.monotonic() < until and not all(log.exists() and "drained" in log.read_text() for log in logs):
            time.sleep(0.5)
        assert all("drained" in log.read_text() for log in logs), [log.read_text() for log in logs]


def ray_worker(bench: Bench, *more: str) -> list[str]:
    """The command of Ray's wrapper; skips where there is no Ray."""
    python = shutil.which("python3", path=str(pathlib.Path(sys.executable).parent)) or sys.executable
    if subprocess.run([python, "-c", "import ray"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no Ray in .venv: '.venv/bin/pip install ray' brings it (70 MB to download, 250 MB on disk)")
    where = ["--store", bench.store, "--artefacts", bench.artefacts]
    return [python, LAUNCHERS / "ray_worker.py", *where, *more]


@pytest.mark.long
@pytest.mark.alone
def test_ray_reserves_and_runs(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    bench = Bench(tmp_path, build)
    command = ray_worker(bench, "--workers", "2", "--class", "build", "--cpus", "0.5", "--", "--max-jobs", "1")
    ended = subprocess.run(command, env={**os.environ, "STITCHCUDA": str(bench.binary)}, capture_output=True, text=True,
                           check=False, timeout=300)
    bench.check()
    assert ended.returncode == 0, ended.stderr[-2000:]


@pytest.mark.long
@pytest.mark.alone
def test_ray_drains_and_tells_what_has_no_room(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    bench = Bench(tmp_path, build)
    environment = {**os.environ, "STITCHCUDA": str(bench.binary)}
    none = subprocess.run(ray_worker(bench, "--class", "build", "--cpus", "5000"), env=environment, capture_output=True,
                          text=True, check=False, timeout=300)
    assert none.returncode == 4
    assert "no node of this Ray cluster has 5000 processors" in none.stderr
    command = ray_worker(bench, "--class", "build", "--cpus", "0.5")
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as worker:
        bench.check(worker)
        os.killpg(worker.pid, signal.SIGINT)  # as a terminal's Ctrl-C comes
        _, error = worker.communicate(timeout=120)
    assert worker.returncode == 0, error[-2000:]


NODES = [{"Alive": True, "Resources": {"CPU": 8.0, "GPU": 2.0}}, {"Alive": True, "Resources": {"CPU": 3.0}},
         {"Alive": False, "Resources": {"CPU": 64.0, "GPU": 8.0}}]  # fmt: skip


@pytest.mark.parametrize(("cpus", "gpus", "fits"),
                         [(4, 1, 2), (8, 1, 1), (9, 1, 0), (4, 0, 2), (1, 0, 11), (0.5, 0, 22)])
def test_room_on_ray_is_counted_by_node(cpus: float, gpus: int, fits: int) -> None:
    loaded = importlib.util.spec_from_file_location("ray_worker", LAUNCHERS / "ray_worker.py")
    module = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(module)
    assert module.room(NODES, cpus, gpus) == fits
