#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and how it is told: each case of cases/ gives the program something bad, and compares its exit
status and its sentence. Nothing may be left behind: no stack trace, no process, no file that is only half there.

    tests/bad_input/run BUILD_FOLDER [--long] [--only PART_OF_A_NAME]... [--update] [--keep]
Without --long half of them, chosen by the commit, but for what takes more than ten seconds: two minutes, two cores.
--update writes down what was seen.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]
from case import Case, read_case  # noqa: E402
from part import part_of  # noqa: E402

AT_A_TIME = 2
PARTS = 2
BASE = """import torch


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


def has_gpu() -> bool:
    return shutil.which("nvidia-smi") is not None and subprocess.run(
        ["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0


def can_mount() -> bool:
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0


def is_sanitized(build: pathlib.Path) -> bool:
    return b"__asan_init" in (build / "stitchcuda").read_bytes()


def lacking(case: Case, here: dict[str, bool]) -> list[str]:
    return [need for need in case.words("needs") if not here.get(need, True)]


def make_base(build: pathlib.Path, scratch: pathlib.Path) -> str:
    """The verified program that cases about stage files start from; what went wrong, else the empty string."""
    folder = scratch / "base"
    folder.mkdir()
    (folder / "base.py").write_text(BASE)
    done = subprocess.run([str(build / "stitchcuda"), "optimize", "base.py", "--out", "base", "--device", "emulated",
                           "--skip-nvcc", "--quiet"], cwd=folder, text=True, capture_output=True, check=False,
                          env=dict(os.environ, STITCHCUDA_CACHE=str(scratch / "cache")))
    return "" if done.returncode == 0 else f"the base program does not verify: {done.stdout}{done.stderr}"


def run_one(case: Case, build: pathlib.Path, scratch: pathlib.Path, update: bool) -> tuple[Case, str, float]:
    started = time.monotonic()
    command = [sys.executable, str(HERE / "ending.py"), str(case.path), str(build), str(scratch)]
    done = subprocess.run(command + (["--update"] if update else []), text=True, capture_output=True, check=False)
    said = (done.stdout + done.stderr).strip()
    return case, said if done.returncode else "", time.monotonic() - started


def chosen(only: list[str], long: bool) -> list[Case]:
    cases = [read_case(path) for path in sorted((HERE / "cases").glob("*.case"))]
    if only:
        return [case for case in cases if any(part in case.name for part in only)]
    return cases if long else part_of([case for case in cases if not case.is_long()], PARTS)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the folders of the cases where they are")
    options = parser.parse_args()
    here = {"gpu": has_gpu(), "no-gpu": not has_gpu(), "mount": can_mount(), "not-root": os.geteuid() != 0,
            "little-memory": not is_sanitized(options.build)}
    cases = chosen(options.only, options.long)
    skipped = [case for case in cases if lacking(case, here)]
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="bad-input-"))
    failed = passed = 0
    try:
        problem = make_base(options.build, scratch) if any("base" in case.words("needs") for case in cases) else ""
        if problem:
            print(problem)
            return 1
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            runs = [pool.submit(run_one, case, options.build, scratch, options.update)
                    for case in cases if case not in skipped]
            for run in concurrent.futures.as_completed(runs):
                case, said, seconds = run.result()
                print(f"{'FAILED' if said else 'passed'}  {case.name}  {seconds:.1f} s  {said}", flush=True)
                failed, passed = failed + bool(said), passed + (not said)
    finally:
        if options.keep:
            print(f"kept {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    for case in skipped:
        print(f"skipped  {case.name}  needs {', '.join(lacking(case, here))}")
    print(f"{passed} passed, {failed} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
