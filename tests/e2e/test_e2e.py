# SPDX-License-Identifier: Apache-2.0
"""The programs of problems/ through the real binary: each must verify on the emulated device, at its reduced sizes.

--long: the whole set from an empty cache; else a third of them. Cost: five minutes on two cores with an empty cache,
one with a warm one. Also: the verbs one by one must give the program that optimize gives. What goes wrong is in
tests/bad_input.
"""
import json
import os
import pathlib
import subprocess

import batch_table
import pytest
from named_seed import with_seed

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = 3


def stitchcuda(build: pathlib.Path, *arguments: str, cache: str | None = None) -> tuple[int, str, str]:
    environment = dict(os.environ, **({"STITCHCUDA_CACHE": cache} if cache else {}))
    done = subprocess.run([str(build / "stitchcuda"), *with_seed(*arguments)], cwd=ROOT, env=environment, text=True,
                          capture_output=True, timeout=900, check=False, errors="replace")
    return done.returncode, done.stdout, done.stderr


def verify_problem(build: pathlib.Path, program: pathlib.Path, out: str, cache: str | None) -> str:
    """The empty string when the program verifies, else what went wrong."""
    code, stdout, stderr = stitchcuda(build, "optimize", str(program), "--device", "emulated", "--out", out, "--json",
                                      cache=cache)
    if code != 0:
        return f"exit {code}: {stdout[-600:]} {stderr[-600:]}"
    answer = json.loads(stdout)
    wanted = ("schema", "task", "device", "coder", "operators", "steps", "verdict", "error_ratio", "modelled_us",
              "seconds", "out", "scale")
    problems = [f"no \"{key}\"" for key in wanted if key not in answer]
    if answer.get("verdict", {}).get("kind") != "ok":
        problems.append(f"verdict {answer.get('verdict')}")
    if not (answer.get("error_ratio") or 9) <= 4.5:  # multiples of the reference's own error; 4 and a few ulp accepted
        problems.append(f"error_ratio {answer.get('error_ratio')}")
    expected = batch_table.expected().get(program.stem)
    if answer.get("batch") != expected:
        problems.append(f"batch {answer.get('batch')!r}, where docs/batch.md says {expected!r}")
    return "; ".join(problems + batch_problems(pathlib.Path(out)))


def batch_problems(out: pathlib.Path) -> list[str]:
    """A run-time batch must have been run at other batches on the judged binary."""
    batch = json.loads((out / "plan.json").read_text())["batch"]
    report = json.loads((out / "evidence" / "verify.json").read_text())
    if "least" not in batch:
        return []
    problems = [] if report["same_binary_shapes"] >= 1 else ["no other batch was run on the same binary"]
    if not any(shape.startswith("batch ") and "same binary" in shape for shape in report["shapes"]):
        problems.append(f"no batch among the shapes {report['shapes']}")
    return problems


MODEL = ("import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n"
         "    def __init__(self):\n        super().__init__()\n")
INPUTS = "def get_inputs():\n    return [torch.randn({})]\ndef get_init_inputs():\n    return []\n"
# Programs whose batch is found or refused in a way that no problem's is: text, and what is said of the batch.
BATCHES = [
    ("a declared batch of one",
     MODEL + "        self.w = nn.Linear(24, 33)\n    def forward(self, x):\n        return self.w(x).softmax(-1)\n"
     + INPUTS.format("1, 7, 24"), "1 to 9296466 on one binary, declared as 1"),
    ("a batch behind the time steps, indexed from its end",
     MODEL + "        self.w = nn.Linear(24, 33)\n        self.register_buffer('i', torch.tensor([0, -2]))\n"
     "    def forward(self, x):\n        return torch.stack([self.w(step)[self.i] for step in x.unbind(0)])\n"
     + INPUTS.format("3, 9, 24"), "axis 1 of input 0: 1 to"),
    ("a number of the batch on no line",
     MODEL + "        self.w = nn.Linear(24, 33)\n    def forward(self, x):\n"
     "        return self.w(x).sum(1) + x.shape[0] // 100\n" + INPUTS.format("9, 24"),
     "in no straight line: (batch//100)"),
    ("a branch on the batch",
     MODEL + "        self.w = nn.Linear(24, 33)\n    def forward(self, x):\n"
     "        return self.w(x).relu() if x.shape[0] <= 40 else self.w(x)\n" + INPUTS.format("9, 24"), "1 to 40 on one"),
]


def batch_program(build: pathlib.Path, folder: pathlib.Path, text: str, expected: str) -> str:
    """Optimised, and then verb by verb: both must say the same of the batch, plan alike and emit the same files."""
    program, out, emitted = (folder / name for name in ("batch.py", "out_batch", "emitted"))
    program.write_text(text)
    code, stdout, stderr = stitchcuda(build, "optimize", str(program), "--device", "emulated", "--out", str(out),
                                      "--json")
    if code != 0:
        return f"exit {code}: {stdout[-600:]} {stderr[-600:]}"
    said = json.loads(stdout)["batch"]
    problems = [] if expected in said else [f"batch {said!r}, which lacks {expected!r}"]
    problems += batch_problems(out)
    graph, plan = folder / "graph.ir", folder / "plan.json"
    for arguments in (("import", str(program), "--out", str(graph)), ("plan", str(graph), "--out", str(plan)),
                      ("emit", str(plan), "--out", str(emitted))):
        code, stdout, stderr = stitchcuda(build, *arguments)
        if code != 0:
            return f"{arguments[0]} ends with {code}: {stderr[-600:]}"
    problems += [] if graph.read_text() == (out / "graph.ir").read_text() else ["import leaves another graph.ir"]
    for path in [plan, *sorted(emitted.glob("steps/*")), emitted / "program.cu"]:
        made = out / (path.name if path == plan else path.relative_to(emitted))
        is_same = made.is_file() and made.read_text() == path.read_text()
        problems += [] if is_same else [f"{path.name} differs verb by verb"]
    return "; ".join(problems)


# Batch statistics are a state: PyTorch's module starts each timed call from the one that it is given.
STATEFUL = (MODEL + "        self.norm = nn.BatchNorm1d(11)\n        self.train()\n    def forward(self, x):\n"
            "        return self.norm(x).relu()\n" + INPUTS.format("9, 11"))
FUNCTION = "import torch\ndef double(x):\n    return x + x\ndef get_inputs():\n    return [torch.randn(9, 11)]\n"


def baseline_takes_turns(build: pathlib.Path, folder: pathlib.Path, text: str, target: str, expected: str,
                         contents: str) -> str:
    """The program in PyTorch runs behind the protocol of programs, each call on contents that the reference can judge;
    without a GPU nothing is told of its time."""
    program = folder / "baseline.py"
    program.write_text(text)
    code, stdout, stderr = stitchcuda(build, "optimize", f"{program}{target}", "--device", "emulated", "--skip-nvcc",
                                      "--baseline", "eager", "--out", str(folder / "out_baseline"),
                                      "--json")
    if code != 0:
        return f"exit {code}: {stdout[-600:]} {stderr[-600:]}"
    said = json.loads(stdout)
    baseline = said["baseline"]
    problems = [] if expected in baseline["refusal"] else [f"refusal {baseline['refusal']!r}, which lacks {expected!r}"]
    told = [key for key in ("us", "ours_us", "speedup", "low", "high", "samples_us") if baseline[key] is not None]
    problems += [f"{told} are told as if measured"] if told or "measured" in said else []
    problems += [] if baseline["contents"] == contents else [f"contents were {baseline['contents']}, not {contents}"]
    return "; ".join(problems)


@pytest.mark.usefixtures("preloads")
@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("program", sorted((ROOT / "problems").glob("*.py")), ids=lambda path: path.stem)
def test_problem(program: pathlib.Path, build: pathlib.Path, is_long: bool, tmp_path: pathlib.Path,
                 tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = str(tmp_path_factory.getbasetemp() / "cache") if is_long else None
    problem = verify_problem(build, program, str(tmp_path / program.stem), cache)
    assert not problem, problem


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("text,expected", [pytest.param(*case[1:], id=case[0]) for case in BATCHES])
def test_batch(text: str, expected: str, build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    problem = batch_program(build, tmp_path, text, expected)
    assert not problem, problem


@pytest.mark.usefixtures("preloads")
@pytest.mark.parametrize("text,target,expected,contents", [
    pytest.param(STATEFUL, "", "12 blocks took turns", "mixed", id="with states"),
    pytest.param(FUNCTION, ":double", "no class that another process can construct", "drawn", id="of a function"),
])
def test_baseline_takes_turns(text: str, target: str, expected: str, contents: str, build: pathlib.Path,
                              tmp_path: pathlib.Path) -> None:
    problem = baseline_takes_turns(build, tmp_path, text, target, expected, contents)
    assert not problem, problem
