# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda synth` stopped at a moment and gone on with makes the folder that an undisturbed run makes, and
`stitchcuda decontaminate` finds planted copies and lets neighbours be. --long: kill -9 ten times, 100 copies.

Cost: a minute of processor time.
"""
from __future__ import annotations

import json
import pathlib
import random
import signal
import subprocess
import time

import pytest

from . import planting

SEED = "11"


def start(build: pathlib.Path, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen([str(build / "stitchcuda"), *arguments, "--quiet", "--json"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def ask(build: pathlib.Path, *arguments: str) -> tuple[int, dict]:
    process = start(build, *arguments)
    told, complained = process.communicate(timeout=1800)
    assert told, complained
    return process.returncode, json.loads(told)


def contents(folder: pathlib.Path) -> dict[str, str]:
    files = [*sorted((folder / "tasks").glob("*.py")), folder / "tasks.jsonl", folder / "journal.jsonl"]
    return {file.name: file.read_text() for file in files}


Made = tuple[pathlib.Path, pathlib.Path, int]  # the build, a folder of tasks, and how many they are


@pytest.fixture(scope="module")
def made(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Made:
    build = (pytestconfig.rootpath / pytestconfig.getoption("--build")).resolve()
    count = 100 if pytestconfig.getoption("--long") else 12
    folder = tmp_path_factory.mktemp("synth") / "tasks"
    code, report = ask(build, "synth", str(folder), "--count", str(count), "--seed", SEED, "--no-transformers")
    assert code == 0 and report["kept"] == count
    return build, folder, count


def test_every_task_is_listed_with_its_text(made: Made) -> None:
    _, folder, count = made
    lines = [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    assert len({line["digest"] for line in lines}) == len({line["signature"] for line in lines}) == count
    splits: dict[str, set[str]] = {}
    for line in lines:
        assert "class Model" in (folder / line["file"]).read_text()
        assert 1 <= line["modelled_ms"] <= 100
        splits.setdefault(line["family"], set()).add(line["split"])
    assert all(len(each) == 1 for each in splits.values())


def test_killed_it_goes_on_to_the_same_folder(made: Made, tmp_path: pathlib.Path,
                                              pytestconfig: pytest.Config) -> None:
    build, folder, count = made
    again = tmp_path / "tasks"
    command = ["synth", str(again), "--count", str(count), "--seed", SEED, "--no-transformers"]
    chance = random.Random(1)
    for _ in range(10 if pytestconfig.getoption("--long") else 1):
        process = start(build, *command)
        time.sleep(chance.uniform(4, 9))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert ask(build, *command)[0] == 0
    assert contents(again) == contents(folder)


def test_a_folder_goes_on_with_its_own_options_alone(made: Made) -> None:
    build, folder, _ = made
    code, answer = ask(build, "synth", str(folder), "--count", "12", "--seed", "12", "--no-transformers")
    assert code == 2 and "begun with seed" in answer["error"]["sentence"]


def test_steps_are_of_the_kinds_that_were_asked_for(made: Made, tmp_path: pathlib.Path) -> None:
    build, _, _ = made
    asked = [str(tmp_path), "--count", "6", "--seed", SEED, "--no-transformers", "--kinds"]
    code, report = ask(build, "synth", *asked, "activation,norm")
    lines = [json.loads(line) for line in (tmp_path / "tasks.jsonl").read_text().splitlines()]
    assert code == 0 and len(lines) == 6 and report["fallen"]["kinds"] > 0
    assert all(set(line["family"].split("+")) <= {"activation", "norm"} for line in lines)
    for kinds, words in (("activation", "begun with kinds"), ("activations", "no kind of step called activations")):
        process = start(build, "synth", *asked, kinds)
        told, complained = process.communicate(timeout=600)
        assert process.returncode == 2 and words in complained + told


def test_copies_are_found_and_neighbours_let_be(made: Made, tmp_path: pathlib.Path,
                                                pytestconfig: pytest.Config) -> None:
    build, folder, _ = made
    count = 100 if pytestconfig.getoption("--long") else 8
    planting.plant(folder / "tasks", tmp_path, 1, count)
    _, planted = ask(build, "decontaminate", str(tmp_path / "planted"), "--against", str(folder / "tasks"))
    _, clean = ask(build, "decontaminate", str(tmp_path / "clean"), "--against", str(folder / "tasks"))
    assert planted["went"] >= 0.95 * count, planted["kept"]
    assert clean["went"] <= 0.02 * count, clean["accused"]
