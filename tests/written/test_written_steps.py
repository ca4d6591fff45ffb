# SPDX-License-Identifier: Apache-2.0
"""A step that a person wrote into a plan file, from emit to the verdict. About a quarter of a minute on two cores."""
import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "programs" / "linear_relu_37x50.py"
SOURCES = pathlib.Path(__file__).parent / "steps"
CUT = ("schema", "name", "math", "device", "graph", "batch")  # what a plan says before it is cut into steps

@pytest.fixture(scope="module")
def ask(build: pathlib.Path, loaded_python: str) -> Callable[..., subprocess.CompletedProcess]:
    def call(*words: object, code: int = 0) -> subprocess.CompletedProcess:
        command = [str(build / "stitchcuda"), *map(str, words)]
        environment = {**os.environ, "STITCHCUDA_PYTHON": loaded_python}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return call


@pytest.fixture(scope="module")
def planned(ask, shared_folder) -> dict:
    """The plan of the program, less its steps."""

    def make(folder: pathlib.Path) -> None:
        ask("import", PROGRAM, "--out", folder / "graph.ir")
        ask("plan", folder / "graph.ir", "--out", folder / "plan.json")

    plan = json.loads((shared_folder("written-plan", make) / "plan.json").read_text())
    assert plan["schema"] == "stitchcuda.plan/2" and plan["boundaries"] == []
    return {key: plan[key] for key in CUT}


@pytest.fixture
def emit(ask, planned: dict, tmp_path: pathlib.Path):
    """emit(source, ...): the project with that file as the step of both nodes; its plan beside it."""

    def make(source: str, code: int = 0, nodes: tuple[str, ...] = ("linear", "relu"), **written):
        shutil.copy(SOURCES / source, tmp_path / source)
        boundary = {"nodes": nodes, "written": {"file": source, **written}}
        (tmp_path / "plan.json").write_text(json.dumps({**planned, "boundaries": [boundary]}))
        done = ask("emit", tmp_path / "plan.json", "--program", PROGRAM, "--out", tmp_path / "out", code=code)
        return tmp_path / "out" if code == 0 else done.stderr

    return make


def verdict(done: subprocess.CompletedProcess) -> dict:
    return json.loads(done.stdout)["verdict"]


def test_right(ask, emit) -> None:
    folder = emit("through_scratch.cu", scratch=[{"bytes": 4, "axes": [["relu", 0], ["relu", 1]]}])
    plan = json.loads((folder / "plan.json").read_text())
    assert [step["skeleton"] for step in plan["steps"]] == ["written"]
    assert plan["steps"][0]["scratch_bytes"] == 4 * 37 * 41
    assert plan["batch"]["least"] == 1
    assert "step_00" in (folder / "steps" / "00_linear_relu.cu").read_text()
    ask("build", folder, "--device", "emulated")
    alone = ask("verify", folder, "--step", 0, "--device", "emulated", "--json")
    assert verdict(alone)["kind"] == "ok"
    whole = json.loads(ask("verify", folder, "--device", "emulated", "--json").stdout)
    assert whole["verdict"]["kind"] == "ok"
    assert len(whole["report"]["shapes"]) > 1, "hidden shapes and other batches run the same text"
    public = json.loads(ask("verify", folder, "--step", 0, "--public", "--device", "emulated", "--json").stdout)
    assert public["outcome"] == "passed" and public["places"] == []


def test_own_sizes(ask, emit) -> None:
    folder = emit("own_sizes.cu", sizes="own")
    plan = json.loads((folder / "plan.json").read_text())
    sentence = "step 0 (linear_relu) is written for its own sizes alone"
    assert plan["batch"] == {"fixed_because": sentence}
    assert sentence in (folder / "program.cu").read_text()
    whole = json.loads(ask("verify", folder, "--device", "emulated", "--json").stdout)
    assert whole["verdict"]["kind"] == "ok" and whole["report"]["shapes"] == ["declared shapes"]
    refused = ask("verify", folder, "--scale", "small", code=2).stderr
    assert sentence in refused


def test_claims_any_sizes(ask, emit) -> None:
    """Sizes are compiled in, and the plan says that they are not."""
    folder = emit("own_sizes.cu")
    judged = verdict(ask("verify", folder, "--device", "emulated", "--json", code=1))
    assert judged["kind"] in ("wrong", "crashed", "cheated")


def test_wrong(ask, emit) -> None:
    folder = emit("forgets_relu.cu")
    assert verdict(ask("verify", folder, "--step", 0, "--device", "emulated", "--json", code=1))["kind"] == "wrong"
    check = ("verify", folder, "--step", 0, "--public", "--device", "emulated", "--json")
    public = json.loads(ask(*check, code=1).stdout)
    assert public["outcome"] == "wrong" and 0 < len(public["places"]) <= 8
    place = public["places"][0]
    assert place["output"] == "relu" and float(place["got"]) < 0 == float(place["expected"])
    assert public == json.loads(ask(*check, "--seed", 17, code=1).stdout), "the same draws, whoever asks"


def test_overrun(ask, emit) -> None:
    folder = emit("overruns.cu")
    public = json.loads(ask("verify", folder, "--step", 0, "--public", "--device", "emulated", "--json", code=1).stdout)
    assert public["outcome"] == "crashed" and "outside its allocation" in public["report"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"nodes": ("linear", "nothing")}, "names no node of the graph: nothing"),
     ({"source": "no_function.cu"}, "defines no function step_NN"),
     ({"scratch": [{"bytes": 4, "axes": [["relu", 7]]}]}, "follows axis 7 of relu"),
     ({"sizes": "most"}, '"any" sizes or for its "own"')])
def test_refused(emit, change: dict, sentence: str) -> None:
    assert sentence in emit(**{"source": "forgets_relu.cu", "code": 3, **change})


def test_code_from_elsewhere(ask, planned: dict, tmp_path: pathlib.Path) -> None:
    boundary = {"nodes": ["relu"], "written": {"file": "../plan.cu"}}
    (tmp_path / "plan.json").write_text(json.dumps({**planned, "boundaries": [boundary]}))
    done = ask("emit", tmp_path / "plan.json", "--out", tmp_path / "out", code=3)
    assert "lies beside its plan" in done.stderr
