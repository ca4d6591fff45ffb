# SPDX-License-Identifier: Apache-2.0
"""The launchers: each starts the same binary. In short what can be seen without their schedulers; --long: a real Slurm
and a real Ray on this machine run a bench's tasks."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
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

    def check(self) -> None:
        self.process.wait(timeout=300)
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


@pytest.mark.long
@pytest.mark.alone
def test_ray_reserves_and_runs(tmp_path: pathlib.Path, build: pathlib.Path) -> None:
    python = shutil.which("python3", path=str(pathlib.Path(sys.executable).parent)) or sys.executable
    if subprocess.run([python, "-c", "import ray"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no Ray in .venv: '.venv/bin/pip install ray' brings it (70 MB to download, 250 MB on disk)")
    bench = Bench(tmp_path, build)
    command = [python, LAUNCHERS / "ray_worker.py", "--workers", "2", "--class", "build", "--cpus", "0.5", "--store",
               bench.store, "--artefacts", bench.artefacts, "--", "--max-jobs", "1"]
    ended = subprocess.run(command, env={**os.environ, "STITCHCUDA": str(bench.binary)}, capture_output=True, text=True,
                           check=False, timeout=300)
    bench.check()
    assert ended.returncode == 0, ended.stderr[-2000:]
