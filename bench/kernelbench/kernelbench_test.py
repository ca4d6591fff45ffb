# SPDX-License-Identifier: Apache-2.0
"""The bench over KernelBench, without a GPU: which tasks are meant, what a run leaves, and what its table says."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "programs")]
import agreement  # noqa: E402
import children  # noqa: E402
import program  # noqa: E402
import records  # noqa: E402
import steps  # noqa: E402
import summary  # noqa: E402
import tasks  # noqa: E402
import time_program  # noqa: E402
import torch  # noqa: E402

RIGHT = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, scale):
        return torch.minimum(x, torch.tensor(0.5, device=x.device)) * scale


def get_inputs():
    return [torch.rand(3, 5), 1.5]


def get_init_inputs():
    return []
"""
# A number, a constant and a state that forward replaces: what a caller of the library has to bring along.
KEEPS = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = torch.ones(4)

    def forward(self, x, scale):
        self.kept = torch.tanh(self.kept * x + torch.tensor([0.5, 1.0, 2.0, 4.0], device=x.device))
        return self.kept * scale


def get_inputs():
    return [torch.rand(4), 1.5]


def get_init_inputs():
    return []
"""
BUILD = HERE.parents[1] / os.environ.get("STITCHCUDA_BUILD", "build")
CRASHES = "import os\n\nos.kill(os.getpid(), 9)\n" + RIGHT


def checkout(folder: pathlib.Path, **texts: str) -> pathlib.Path:
    """level1_7_Name=text makes KernelBench/level1/7_Name.py."""
    for name, text in texts.items():
        level, _, file = name.partition("_")
        path = folder / "KernelBench" / level / f"{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def command(where: pathlib.Path, *more: str) -> list:
    return [sys.executable, HERE / "run", BUILD / "stitchcuda", where, where / "out", "--device", "emulated", *more]


def environment() -> dict[str, str]:
    return {**os.environ, "STITCHCUDA_PYTHON": sys.executable}


def run(where: pathlib.Path, *more: str) -> subprocess.CompletedProcess:
    return subprocess.run(command(where, *more), env=environment(), text=True, capture_output=True, check=False)


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def left(where: pathlib.Path) -> dict[str, dict]:
    lines = (where / "out" / "results.jsonl").read_text().splitlines()
    assert len({json.loads(line)["task"] for line in lines}) == len(lines)
    return {record["task"]: record for record in map(json.loads, lines)}


def test_a_task_that_crashes_costs_itself_alone(tmp_path: pathlib.Path) -> None:
    where = checkout(tmp_path, level1_1_Crashes=CRASHES, level1_2_Scaled=RIGHT)
    cpus = sorted(os.sched_getaffinity(0))
    done = run(where, "--jobs", "2", "--math", "fp32", "--pipeline", "--time-cpus", str(cpus[0]), "--build-cpus",
               f"{cpus[0]},{cpus[-1]}")
    assert done.returncode == 1, done.stderr
    found = left(where)
    right, crashed = found["level1/2_Scaled"], found["level1/1_Crashes"]
    assert (right["status"], right["verdict"]) == ("ok", "ok"), right
    assert (right["schema"], right["math"]) == (records.SCHEMA, "fp32")
    assert "us" not in right and right["seconds"]["verify"] > 0
    assert [step["skeleton"] for step in right["steps"]] == ["pointwise"]
    assert crashed["status"] in ("failed", "refused") and crashed["sentence"], crashed
    assert "steps" not in crashed
    assert "level1/1_Crashes: " + crashed["status"] in done.stdout

    # What has a line is left alone; what the run was not given before is made, and beside eager it is alike.
    checkout(tmp_path, level1_3_Keeps=KEEPS)
    assert run(where).returncode == 2
    # An earlier run had built one of them.
    checkout(tmp_path, level2_1_Built=RIGHT)
    kept = where / "out" / "programs" / "level2" / "1_Built.built.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    built = {"status": "failed", "sentence": "as it was kept", "verdict": None, "seconds": {"tune": 1}}
    kept.write_text(json.dumps(built))
    again = run(where, "--resume", "--no-verify", "--build-first", "--jobs", "2")
    assert "4 tasks, 2 of them have a record" in again.stdout, again.stderr
    said = again.stdout.index
    assert said("level1/3 built") < said("built; timing") < said("level1/3 ok")
    assert left(where)["level2/1_Built"]["sentence"] == "as it was kept" and not list(where.rglob("*.built.json"))
    kept = left(where)["level1/3_Keeps"]
    assert left(where)["level1/2_Scaled"] == right
    assert (kept["status"], kept["verdict"], kept["is_verified"]) == ("ok", None, False), kept
    assert kept["difference"] < 1e-6 and [draw["passes"] for draw in kept["kernelbench_rule"]] == [True, True]


def test_what_rounding_alone_makes_of_a_program_is_told(tmp_path: pathlib.Path) -> None:
    where = checkout(tmp_path, level1_2_Scaled=RIGHT)
    program.set_math("fp32")
    subject = program.Subject(str(next(where.rglob("2_Scaled.py"))), "cpu")
    assert subject.without_tf32() is None
    program.set_math("kernelbench")  # as PyTorch begins
    alone = subject.without_tf32()  # a CPU rounds nothing
    assert (alone["difference"], alone["passes"], torch.backends.cudnn.allow_tf32) == (0.0, True, True)
    record = {"task": "T", "kernelbench_rule": [{"passes": False, "share": 0.5, "most": 3.0}],
              "eager_without_tf32": {"share": 0.25, "most": 2.0}}
    assert summary.remarks([record])[0].endswith("by 3.0 times at most; eager itself without TF32: 25.00%, by 2.0")
    assert time_program.allowed_difference({"eager_without_tf32": None}, "fp32") == time_program.TOLERANCE["fp32"]
    assert time_program.allowed_difference({"eager_without_tf32": {"difference": 0.25}}, "kernelbench") == 0.5


def test_a_task_that_takes_too_long_is_said_to(tmp_path: pathlib.Path) -> None:
    where = checkout(tmp_path, level1_1_Waits="import time\n\ntime.sleep(60)\n")
    done = run(where, "--no-verify", "--task-seconds", "1")
    record = left(where)["level1/1_Waits"]
    assert (record["status"], record["sentence"]) == ("too slow", "import took longer than 1 s"), done.stderr
    assert record["seconds"]["import"] < 30


@pytest.mark.parametrize(
    ("seconds", "most_bytes", "why"), [(1, 1e12, "took longer than 1 s"), (20, 1e8, "more than the 0.1 GB it is given")]
)
def test_a_command_is_stopped_with_all_that_it_started(tmp_path, seconds, most_bytes, why) -> None:
    below = "import pathlib, os, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(60)"
    holds = f"import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', {below!r}], "
    holds += "start_new_session=True); held = bytearray(3 * 10**8); time.sleep(60)"
    done = children.run([sys.executable, "-c", holds], tmp_path / "log", seconds, most_bytes, cwd=tmp_path)
    assert why in done.stopped and done.seconds < 20
    process = int((tmp_path / "pid").read_text())
    until(lambda: not children.is_alive(process))  # the signal was sent; it comes when it comes


def test_a_run_that_has_no_time_left_records_nothing(tmp_path: pathlib.Path) -> None:
    where = checkout(tmp_path, level1_1_Scaled=RIGHT)
    done = run(where, "--seconds", "1")
    assert done.returncode == 1 and not (where / "out" / "results.jsonl").exists()
    assert "- level1/1_Scaled: not reached" in done.stdout


def test_a_run_that_is_interrupted_leaves_no_process_and_no_line(tmp_path) -> None:
    said = str(tmp_path / "pid")
    waits = f"import os, pathlib, time\n\npathlib.Path({said!r}).write_text(str(os.getpid()))\ntime.sleep(60)"
    where = checkout(tmp_path, level1_1_Waits=waits)
    with subprocess.Popen(command(where, "--no-verify"), env=environment(), stdout=subprocess.DEVNULL) as started:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        started.terminate()
        assert started.wait() == 130
    process = int((tmp_path / "pid").read_text())
    until(lambda: not children.is_alive(process))
    assert not (where / "out" / "results.jsonl").exists()


# A product and a process of baselines that do nothing, and say what the real ones say.
PRODUCT = """#!/usr/bin/env python3
import json, pathlib, sys
verb, out = sys.argv[1], sys.argv[sys.argv.index("--out") + 1] if "--out" in sys.argv else None
plan = json.dumps({"steps": [], "buffers": []})
if verb == "tune":
    pathlib.Path(out).write_text(plan)
if verb == "emit":
    (pathlib.Path(out) / "plan.json").write_text(plan)
print(json.dumps({"verdict": {"kind": "undecided"}, "folder": "FOLDER"}))
"""
TIMER = """
import json, os, sys
print(json.dumps({"ready": True}), flush=True)
sys.stdin.readline()
print(json.dumps({"compile": 1.0}), flush=True)
if "--asks" in sys.argv:
    print(json.dumps({"asks": True}), flush=True)
    sys.stdin.readline()
    times = {"ours": 5.0, "eager": 10.0, "compile": 8.0}
    us = {name: {"median": median, "quartiles": [median] * 2} for name, median in times.items()}
    about = dict.fromkeys(["device", "torch", "cuda", "cudnn", "flags"], "none")
    print(json.dumps({"us": us, "difference": 0.0, "cpus": sorted(os.sched_getaffinity(0)), **about}), flush=True)
sys.stdin.read()
"""


def test_what_is_built_is_timed_while_more_is_built(tmp_path: pathlib.Path) -> None:
    where = checkout(tmp_path, level1_1_Scaled=RIGHT, level1_2_Scaled=RIGHT, level2_1_Scaled=RIGHT)
    binary, timer, cpus = tmp_path / "product", tmp_path / "timer.py", sorted(os.sched_getaffinity(0))
    binary.write_text(PRODUCT.replace("FOLDER", str(tmp_path)))
    binary.chmod(0o755)
    timer.write_text(TIMER)
    starts = f"import sys, runpy; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent / 'programs')!r}]; import baselines; "
    starts += f"baselines.SCRIPT = {str(timer)!r}; runpy.run_path({str(HERE / 'run')!r}, run_name='__main__')"
    asked = [binary, where, where / "out", "--no-verify", "--tuning", "1", "--pipeline", "--jobs", "2", "--baseline",
             "eager,compile", "--time-cpus", str(cpus[0]), "--build-cpus", str(cpus[-1])]
    done = subprocess.run([sys.executable, "-c", starts, *asked], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = left(where)
    assert len(found) == 3 and {record["ratio"]["best"] for record in found.values()} == {1.6}
    assert {tuple(record["cpus"]) for record in found.values()} == {(cpus[0],)}
    assert not list(where.rglob("*.built.json")) and not list(where.rglob("*.compiled.json"))  # all were timed


TEXTS = {
    "level1_1_Matmul": "a @ b",
    "level1_2_conv_transposed": "nn.ConvTranspose3d(1, 1, 1)",
    "level1_10_pool": "nn.MaxPool2d(2)",
    "level1_11_ReLU": "torch.relu(x)",
    "level1_12_HingeLoss": "torch.mean(torch.clamp(1 - p * t, min=0))",
    "level2_1_Conv2d_Norm": "nn.GroupNorm(2, nn.Conv2d(1, 1, 1))",
    "level2_2_Gemm_Max": "torch.max(nn.Linear(2, 2))",
    "level3_1_Net": "nn.Conv2d(4, 4, 3, groups=4)",
    "level3_2_GRU": "nn.GRU(2, 2)",
    "level4_1_Beyond": "f(x)",
}
CLASSES = ["product", "transposed convolution 3-D", "pool", "pointwise", "loss",
           "convolution 2-D with norm or softmax", "product with reduction or pool",
           "grouped or depthwise network", "recurrent", "product"]


@pytest.fixture
def every(tmp_path: pathlib.Path) -> list[tasks.Task]:
    return tasks.found(checkout(tmp_path, **TEXTS))


def test_classes(every: list[tasks.Task]) -> None:
    assert [tasks.class_of(task) for task in every] == CLASSES


@pytest.mark.parametrize(
    ("patterns", "meant"),
    [
        (["level1/1"], ["level1/1"]),
        (["level1/2-10", "level3/1"], ["level1/2", "level1/10", "level3/1"]),
        (["level2/*"], ["level2/1", "level2/2"]),
        (["level*/*Max*"], ["level2/2"]),
    ],
)
def test_which_tasks_are_meant(every: list[tasks.Task], patterns: list[str], meant: list[str]) -> None:
    assert [task.short for task in tasks.meant(every, patterns)] == meant


def test_a_pattern_that_means_nothing_is_an_error(every: list[tasks.Task]) -> None:
    with pytest.raises(ValueError, match="level9"):
        tasks.meant(every, ["level1/1", "level9/*"])


def test_a_draw_is_repeated_by_its_seed_and_has_every_class_first(every: list[tasks.Task]) -> None:
    assert tasks.drawn(every, 6, 1) == tasks.drawn(every, 6, 1)
    assert len({tuple(tasks.drawn(every, 6, seed)) for seed in range(20)}) > 1
    assert [task.short for task in tasks.spread(every)][:3] == ["level1/12", "level1/11", "level1/10"]
    many = [tasks.Task(1, 100 + n, f"{100 + n}_ReLU", every[3].path) for n in range(40)]
    for seed in range(5):
        chosen = tasks.drawn([*many, *every], 20, seed)
        assert len(chosen) == 20 and not any(task.level == 4 for task in chosen)
        assert {tasks.class_of(t) for t in chosen if t.level == 1} == set(CLASSES[:5])


def test_shards_are_all_of_a_run_and_share_nothing(tmp_path: pathlib.Path) -> None:
    where = checkout(tmp_path, **TEXTS)
    asked = ["--seconds", "1", "--draw", "7", "--seed", "3"]
    files = []
    for shard in ("0/2", "1/2"):
        out = where / f"out{shard[0]}"
        done = subprocess.run([sys.executable, HERE / "run", sys.executable, where, out, "--device", "emulated", *asked,
                               "--shard", shard], text=True, capture_output=True, check=False)
        assert "not reached" in done.stdout, done.stderr
        files.append(out / "results.jsonl")
    names = [[task["task"] for task in records.runs_of(file)[0]["tasks"]] for file in files]
    drawn = {task.name for task in tasks.drawn(tasks.found(where), 7, 3)}
    assert [len(each) for each in names] == [4, 3] and set(names[0]) | set(names[1]) == drawn
    table = subprocess.run([sys.executable, HERE / "table", *files], text=True, capture_output=True, check=True).stdout
    assert "7 tasks drawn by seed 3" in table and "| all | 7 | 0 | 0 |" in table
    assert run(where, "--shard", "2/2").returncode == 2


def test_those_that_are_to_come_first_do(tmp_path: pathlib.Path) -> None:
    where = checkout(tmp_path, **TEXTS)
    every = [task for task in tasks.found(where) if task.level < 4]  # as where none are named
    last = tasks.spread(every)[-1]
    out = where / "out"
    asked = [sys.executable, HERE / "run", sys.executable, where, out, "--device", "emulated", "--seconds", "1"]
    subprocess.run([*asked, "--first", last.short], text=True, capture_output=True, check=False)
    names = [task["task"] for task in records.runs_of(out / "results.jsonl")[0]["tasks"]]
    assert names[0] == last.name and sorted(names) == sorted(task.name for task in every)
    none = subprocess.run([*asked, "--first", "level9/1", "--resume"], text=True, capture_output=True, check=False)
    assert "no task is meant by 'level9/1'" in none.stderr


def timed(number: int, ours: float, graph: float, eager: float) -> dict:
    us = {name: {"median": value, "quartiles": [value - 1, value + 1]}
          for name, value in (("ours", ours), ("ours, graph", graph), ("eager", eager), ("compile", 2 * eager))}
    place = {name: name for name in ("device", "driver", "torch", "cuda", "cudnn", "math", "flags")}
    step = {"name": "scale", "variant": "lanes_4", "estimated_us": 7.0, "measured_us": None}
    return {"task": f"level1/{number}_T", "level": 1, "number": number, "class": "pointwise", "status": "ok",
            "sentence": "", "us": us, "steps": [step], "tuning": 0, "is_verified": True,
            "baselines_of": {"eager": "this run"}, **place, **steps.compared(us)}


def test_ratios_are_of_the_faster_of_ours(tmp_path: pathlib.Path) -> None:
    one = timed(1, 20.0, 10.0, 15.0)
    assert (one["ours_us"], one["ours_as"], one["best_baseline"]) == (10.0, "ours, graph", "eager")
    assert one["ratio"] == {"eager": 1.5, "compile": 3.0, "best": 1.5}


def test_the_table_counts_what_is_missing() -> None:
    planned = [{"task": f"level1/{n}_T", "level": 1, "number": n, "class": "pointwise"} for n in range(1, 6)]
    wrong = {**planned[3], "status": "wrong", "sentence": "it is not right"}
    text = summary.markdown([timed(1, 10.0, 20.0, 20.0), timed(2, 10.0, 20.0, 5.0), wrong], [{"tasks": planned}])
    # 2.0 and 0.5: the geometric mean is 1, and one is under both limits.
    assert "| all | 5 | 2 | 2 | 1.00 | 2.00 | 1.00 | 0.50 | 1 | 1 |" in text
    assert "- level1/2_T (pointwise): 0.50 of eager, 10.0 us; scale by lanes_4 7 us estimated" in text
    for line in ("- level1/4_T: wrong: it is not right", "- level1/3_T: not reached", "- level1/5_T: not reached"):
        assert line in text


def test_a_line_that_was_cut_short_is_none_and_spoils_no_other(tmp_path: pathlib.Path) -> None:
    records.Records(tmp_path).append({"task": "level1/1_T", "difference": float("nan")})
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write('{"schema": "stitchcuda.kernelb')
    records.Records(tmp_path).append({"task": "level1/2_T"})
    found = records.read(tmp_path / "results.jsonl")
    assert [record["task"] for record in found] == ["level1/1_T", "level1/2_T"]
    assert found[0]["difference"] == records.GREATEST


@pytest.mark.parametrize(
    ("got", "wanted", "passes", "share", "difference"),
    [
        ([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], True, 0.0, 0.0),
        ([1.0, 2.0, 3.0, 4.00079], [1.0, 2.0, 3.0, 4.00039], True, 0.0, 7.3e-5),  # 0.0005 is allowed at 4
        ([1.0, 2.0, 3.001, 4.0], [1.0, 2.0, 3.0, 4.0], False, 0.25, 1.83e-4),
        ([1.0, float("nan"), 3.0, 4.0], [1.0, float("nan"), 3.0, 4.0], False, 0.25, float("inf")),
        ([1.0, float("inf"), 3.0, 4.0], [1.0, float("inf"), 3.0, 4.0], True, 0.0, 0.0),
        ([1.0, float("-inf"), 3.0, 4.0], [1.0, float("inf"), 3.0, 4.0], False, 0.25, float("inf")),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], False, 1.0, float("inf")),
    ],
)
def test_how_far_two_results_lie_apart(monkeypatch, got, wanted, passes, share, difference) -> None:
    monkeypatch.setattr(agreement, "PART", 3)  # in two parts
    got, wanted = torch.tensor(got), torch.tensor(wanted)
    rule = agreement.by_kernelbench(got, wanted)
    assert (rule["passes"], rule["share"]) == (passes, share)
    if got.shape == wanted.shape:
        assert rule["passes"] == torch.allclose(wanted, got, rtol=1e-4, atol=1e-4)
    assert agreement.relative_difference(got, wanted) == pytest.approx(difference, rel=0.01, abs=1e-7)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"verdict": {"kind": "ok"}, "sentence": "so"}, "ok"),
        ({"verdict": {"kind": "wrong"}, "sentence": "so"}, "wrong"),
        ({"verdict": {"kind": "build_failed", "reason": "so"}}, "failed"),
        ({"verdict": {"kind": "timed_out"}, "sentence": "so"}, "too slow"),
        ({"error": {"code": "unsupported_operator", "sentence": "so"}}, "refused"),
        ({"error": {"code": "timeout", "sentence": "so"}}, "too slow"),
        ({"error": {"code": "internal", "sentence": "so"}}, "failed"),
    ],
)
def test_what_an_answer_means(answer: dict, status: str) -> None:
    judged = steps.judged(answer)
    assert (judged["status"], judged["sentence"]) == (status, "so")


def test_what_the_tuner_said_is_kept_without_its_plan() -> None:
    answer = {"schema": "stitchcuda.tune/1", "known": 1, "measured": 2, "left": 3, "steps": [{}], "spent": 20.0,
              "against_untuned": [{"program": "as tuned", "taken": False, "over_untuned": [0.74, 0.77, 0.79]}]}
    told = steps.tuner_said(answer)
    assert told == {name: answer[name] for name in ("known", "measured", "left", "against_untuned")}
    assert steps.tuner_said({"error": {"code": "stopped"}}) == {}
