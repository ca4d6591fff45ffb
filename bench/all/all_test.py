# SPDX-License-Identifier: Apache-2.0
"""All tables in one command, without a GPU: what each GPU is asked for, what has ended, and what goes on."""
from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "programs")]
import gpu_parts  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("all_run", str(HERE / "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("all_run", LOADER))
LOADER.exec_module(run)


def options(out: pathlib.Path, *more: str):
    return run.parse([sys.executable, str(out), "--kernelbench", str(out), "--device", "emulated", *more])


def writes(text: str, seconds: float = 0, status: int = 0):
    """A part's command: a line in its file, then so many seconds, then its exit status."""
    code = f"import sys, time; print({text!r}, flush=True); time.sleep({seconds}); sys.exit({status})"
    return lambda lane, left: [sys.executable, "-c", code]


def words(lane: gpu_parts.Lane, name: str) -> list[str]:
    return next(part for part in gpu_parts.PARTS if part.name == name).command(lane, 100)


def test_each_gpu_has_its_share_and_processors_of_its_own(tmp_path) -> None:
    asked = run.parse([sys.executable, str(tmp_path), "--kernelbench", "there", "--gpus", "4", "--dry-run"])
    lanes = [gpu_parts.Lane(number, 4, tuple(range(16 * number, 16 * number + 16)), asked) for number in range(4)]
    for number, lane in enumerate(lanes):
        tuned = words(lane, "tuned")
        assert tuned[tuned.index("--shard") + 1] == f"{number}/4"
        assert tuned[tuned.index("--time-cpus") + 1] == gpu_parts.spelled(list(range(16 * number, 16 * number + 4)))
        assert len(tuned[tuned.index("--build-cpus") + 1].split(",")) == 12
    programs = [word for lane in lanes for word in words(lane, "programs-fp32") if word.startswith("problems/")]
    problems = (gpu_parts.ROOT / "problems").glob("*.py")
    assert sorted(programs) == sorted(str(path.relative_to(gpu_parts.ROOT)) for path in problems)
    kernels = [word for lane in lanes for word in words(lane, "kernels")[1:]]
    assert sorted(kernels) == ["attention", "conv", "gemm", "memory", "split"]
    assert [bool(words(lane, "native")) for lane in lanes] == [True, False, False, False]


def test_what_an_earlier_run_missed_comes_first_and_what_it_timed_is_known(tmp_path) -> None:
    asked = run.parse([sys.executable, str(tmp_path), "--kernelbench", "there", "--gpus", "1", "--dry-run", "--first",
                       "level3/22"])
    lane = gpu_parts.Lane(0, 1, (0,), asked)
    tuned = words(lane, "tuned")
    assert tuned[tuned.index("--first") + 1] == "level3/22" and "--resume" not in tuned
    assert "--baselines" not in words(lane, "untuned")
    lane.out("tuned").mkdir(parents=True)
    (lane.out("tuned") / "results.jsonl").touch()
    assert "--resume" in words(lane, "tuned")
    untuned = words(lane, "untuned")
    assert untuned[untuned.index("--baselines") + 1] == str(lane.out("tuned") / "results.jsonl")
    # What was tuned is not to be known to what is not tuned.
    of = {part.name: run.Run(asked).environment(part, lane)["XDG_CACHE_HOME"] for part in gpu_parts.PARTS}
    assert of["tuned"] != of["untuned"]


def test_a_part_that_has_ended_is_not_run_again_and_one_cut_short_goes_on(tmp_path) -> None:
    ended = gpu_parts.Part("native", "ends", 50, writes("once"), 0, ends_itself=False)
    failed = gpu_parts.Part("kernels", "fails", 50, writes("failed", status=3), 0, ends_itself=False)
    long = gpu_parts.Part("long", "is cut short", 1, writes("begun", 60), 0, ends_itself=False)
    asked = options(tmp_path, "--seconds", "60")
    asked.parts = [ended, long, failed]
    for _ in range(2):
        bench = run.Run(asked)
        bench.lane(run.lanes(asked)[0])
    known = json.loads((tmp_path / "all.json").read_text())
    assert {name: each["has_ended"] for name, each in known.items()} == {
        "native-0": True, "long-0": False, "kernels-0": True}
    assert known["long-0"]["seconds"] >= 1  # all that it has: it is not begun again
    assert (tmp_path / "native-0.txt").read_text() == "once\n"
    assert (tmp_path / "long-0.txt").read_text() == "begun\n"
    assert "once" in bench.tables() and "failed" in bench.tables()


def test_nothing_is_begun_that_has_too_little_time(tmp_path) -> None:
    asked = options(tmp_path, "--seconds", "20")
    asked.parts = [gpu_parts.Part("native", "takes long", 100, writes("begun"), 60)]
    run.Run(asked).lane(run.lanes(asked)[0])
    assert not (tmp_path / "native-0.txt").exists()


@pytest.mark.parametrize("word", ["tune", "tuned:soon", ":5"])
def test_a_part_that_is_none_is_told(word, tmp_path, capsys) -> None:
    with pytest.raises(SystemExit):
        options(tmp_path, "--parts", word)
    assert "is no part, or no part with seconds: tuned, untuned" in capsys.readouterr().err


def test_parts_take_other_seconds_and_kernelbench_needs_a_checkout(tmp_path) -> None:
    assert [part.seconds for part in options(tmp_path, "--parts", "tuned:7", "kernels").parts] == [7, 90]
    without = run.parse([sys.executable, str(tmp_path), "--device", "emulated"])
    assert {part.name for part in without.parts} == {"programs-fp32", "programs-tf32", "kernels", "native"}
