# SPDX-License-Identifier: Apache-2.0
"""bench/store/workers: what it makes of the jobs that workers ended. Long: two builders beside one."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "bench" / "store" / "workers"


@pytest.fixture(scope="module")
def workers():
    loader = importlib.machinery.SourceFileLoader("workers", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("workers", loader))
    sys.modules["workers"] = module  # where its classes look for their types
    loader.exec_module(module)
    return module


def done(workers, *jobs: tuple[int, str, float, float]) -> list:
    return [workers.Done(*job) for job in jobs]


def test_rates_of_literal_times(workers) -> None:
    found = workers.summary(done(workers, (0, "a", 0, 30), (1, "b", 0, 60), (0, "c", 30, 50)), 2)
    assert (found["jobs_a_minute"], found["busy_share"], found["overlaps"]) == (3.0, 110 / 120, [])
    assert workers.summary([], 2)["jobs_a_minute"] == 0


def test_leases_that_overlap_are_told(workers) -> None:
    assert workers.overlaps(done(workers, (0, "a", 0, 30), (0, "b", 29, 40))) == ["worker 0 had a and b at one time"]
    assert workers.overlaps(done(workers, (0, "a", 0, 30), (1, "a", 40, 50))) == ["a ended 2 times"]
    assert workers.overlaps(done(workers, (0, "a", 0, 30), (1, "b", 0, 30))) == []


def test_throughput_is_of_the_jobs_that_both_ended(workers) -> None:
    alone = done(workers, (0, "a", 0, 30), (0, "b", 30, 48))
    together = done(workers, (0, "a", 0, 40), (1, "b", 0, 20), (1, "c", 30, 50))
    found = workers.throughput(alone, together, 2)
    assert (found["jobs"], found["busy_share"]) == (2, (40 + 20 + 10) / 80)  # until the first has no more, at 40
    assert found["efficiency"] == 48 / 60 * (70 / 80)
    assert workers.throughput(alone, done(workers, (0, "c", 0, 9), (1, "d", 0, 9)), 2)["efficiency"] == 0
    assert workers.throughput(alone, done(workers, (0, "a", 0, 30)), 2)["efficiency"] == 0  # one of two did nothing


def test_nine_tenths_are_asked(workers) -> None:
    one = {"workers": 1, "tasks": 4, "right": 4, "jobs": 4, "jobs_a_minute": 2.0, "busy_share": 1.0, "overlaps": []}
    compared = {"jobs": 4, "busy_share": 1.0}
    for efficiency, is_good in ((0.91, True), (0.89, False)):
        text, found = workers.table(one, {**one, "workers": 4}, {**compared, "efficiency": efficiency})
        assert found is is_good and f"{efficiency:.3f}" in text
    assert not workers.table(one, {**one, "workers": 2, "overlaps": ["x"]}, {**compared, "efficiency": 1.0})[1]


@pytest.mark.long
@pytest.mark.alone
def test_two_builders_beside_one(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Two processors that others use may not give 0.9: of the rates it is only asked that they are there."""
    command = [PROGRAM, build / "stitchcuda", tmp_path / "out", "--builders", "2", "--seconds", "900"]
    subprocess.run([*command, "--only", "mlp_residual", "layernorm*"], check=False, timeout=3600)
    one, two, compared = json.loads((tmp_path / "out" / "workers.json").read_text())
    assert one["tasks"] == one["right"] == two["right"] == two["tasks"] > 1
    assert not one["overlaps"] and not two["overlaps"] and two["jobs_a_minute"] > 0
    assert compared["jobs"] == one["tasks"] and 0 < compared["efficiency"] < 1.5
