# SPDX-License-Identifier: Apache-2.0
"""Where nobody names a seed, each verdict draws its own; told with the verdict and not before, it repeats the draws."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "candidates"))
from folder import find_candidate, lay_out  # noqa: E402

LARGEST = 2**53 - 1
DEADLINE_S = 600


class Bench:
    """One candidate laid out, to be judged again and again."""

    def __init__(self, name: str, build: pathlib.Path, place: pathlib.Path) -> None:
        candidate = lay_out(find_candidate(name), place)
        self.command = [str(build / "stitchcuda"), "verify", "--candidate", str(candidate), "--program",
                        str(place / "program.py"), "--device", "emulated"]
        self.environment = dict(os.environ, STITCHCUDA_STATE=str(place / "state"), NO_COLOR="1")

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([*self.command, *arguments], env=self.environment, text=True, capture_output=True,
                              timeout=DEADLINE_S, check=False)

    def answer(self, *arguments: str) -> dict:
        done = self.run("--json", "--quiet", *arguments)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)


def figures(answer: dict) -> dict:
    """All of a report but what the clock says."""
    return {key: value for key, value in answer["report"].items() if key not in ("phases", "seconds")}


@pytest.mark.usefixtures("preloads")
def test_a_drawn_seed_repeats_its_verdict(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    bench = Bench("honest/plain_linear_relu", build, tmp_path)
    one, other = bench.answer(), bench.answer()
    assert (one["verdict"]["kind"], other["verdict"]["kind"]) == ("ok", "ok"), (one["verdict"], other["verdict"])
    assert one["seed"] != other["seed"] and 0 <= min(one["seed"], other["seed"]) <= LARGEST
    assert one["report"]["regimes"] != other["report"]["regimes"]
    again = bench.answer("--seed", str(one["seed"]))
    assert again["seed"] == one["seed"]
    assert figures(again) == figures(one)
    # What the task is worth does not follow from the seed: it is asked once.
    assert [each["candidate"]["admission"]["cached"] for each in (other, again)] == [True, True]


@pytest.mark.usefixtures("preloads")
def test_a_refusal_says_how_to_repeat_it(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    bench = Bench("rejects/constants_of_the_default_seed", build, tmp_path)
    done = bench.run()
    verdict, again = done.stdout.splitlines()[:2]
    assert done.returncode == 1 and verdict.startswith("not verified (wrong)"), done.stdout
    seed = re.fullmatch(r"the same draws again: --seed (\d+)", again)[1]
    assert seed not in done.stderr, done.stderr
    assert seed not in bench.answer("--seed", seed)["feedback"]
    assert bench.run("--seed", seed, "--quiet").stdout.splitlines()[:2] == [verdict, again]


def test_optimize_tells_it_in_its_evidence(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "linear_relu.py"
    shutil.copy(TESTS / "programs" / "linear_relu_6x20.py", program)
    stitchcuda, state = str(build / "stitchcuda"), str(tmp_path / "state")
    environment = dict(os.environ, STITCHCUDA_STATE=state, NO_COLOR="1")

    def ask(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([stitchcuda, *arguments], cwd=tmp_path, env=environment, text=True, capture_output=True,
                              timeout=DEADLINE_S, check=False)

    done = ask("optimize", program.name, "--device", "emulated", "--skip-nvcc", "--out", "out", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    seed = json.loads(done.stdout)["seed"]
    evidence = tmp_path / "out" / "evidence"
    told = [json.loads((evidence / name).read_text())["seed"] for name in ("result.json", "verify.json", "seeds.json")]
    assert told == [seed] * 3 and str(seed) not in done.stderr
    listed = json.loads(ask("runs", "list", "--json").stdout)["runs"]
    assert [each["seed"] for each in listed] == [seed]
    assert re.search(rf"^seed +{seed}$", ask("runs", "show", listed[0]["id"]).stdout, flags=re.MULTILINE)
    again = ask("reverify", "out", "--json", "--quiet")
    assert again.returncode == 0, again.stdout + again.stderr
    said = json.loads(again.stdout)
    assert said["seed"] == seed and said["agreement"]["figures"] == said["agreement"]["identical"] > 0
