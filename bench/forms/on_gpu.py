# SPDX-License-Identifier: Apache-2.0
"""The Python forms of optimised programs on a GPU: ModelNew against eager, and KernelBench's own evaluator.

    python bench/forms/on_gpu.py --kernelbench KERNELBENCH_REPOSITORY PROJECT_FOLDER=PROGRAM.py ... > forms.md

Both TF32 switches are off. What the evaluator imports but never calls here (clients of language models) is stubbed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
import types

import torch
from torch.utils import _pytree as pytree

TOLERANCE = 1e-4
CALLS = 50


def load(path: pathlib.Path, name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def made(kind: type, file: types.ModuleType) -> torch.nn.Module:
    torch.manual_seed(7)
    return kind(*file.get_init_inputs()).cuda()


def difference(old: torch.nn.Module, new: torch.nn.Module, inputs: list) -> float:
    """The largest difference of any output or buffer, relative to the largest value there."""
    with torch.no_grad():
        expected, got = old(*inputs), new(*inputs)
    pairs = list(zip(pytree.tree_leaves(expected), pytree.tree_leaves(got)))
    pairs += [(value, new.state_dict()[name]) for name, value in old.state_dict().items()]
    worst = 0.0
    for wanted, value in pairs:
        scale = wanted.double().abs().max().item() or 1.0
        worst = max(worst, (value.double() - wanted.double()).abs().max().item() / scale)
    return worst


def time_us(model: torch.nn.Module, inputs: list) -> float:
    with torch.no_grad():
        for _ in range(5):
            model(*inputs)
        samples = []
        for _ in range(CALLS):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            model(*inputs)
            stop.record()
            stop.synchronize()
            samples.append(start.elapsed_time(stop) * 1e3)
    return statistics.median(samples)


def check_module(folder: pathlib.Path, program: pathlib.Path) -> str:
    """A row of the first table: every scenario's largest difference."""
    file = load(program, f"program_{program.stem}")
    started = time.monotonic()
    new_file = load(folder / "model_new.py", f"model_new_{program.stem}")
    old, new = made(file.Model, file), made(new_file.ModelNew, file)
    inputs = [value.cuda() if isinstance(value, torch.Tensor) else value for value in file.get_inputs()]
    plain = difference(old, new, inputs)
    built = time.monotonic() - started
    with torch.no_grad():
        for model in (old, new):
            for parameter in model.parameters():
                parameter.mul_(1.25)
    changed = difference(old, new, inputs)
    fresh = file.Model(*file.get_init_inputs()).cuda()
    fresh.load_state_dict(new.state_dict())
    there = difference(fresh, new, inputs)
    new.load_state_dict(fresh.state_dict())
    back = difference(fresh, new, inputs)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        streamed = difference(fresh, new, inputs)
    torch.cuda.current_stream().wait_stream(side)
    figures = [plain, changed, there, back, streamed]
    runner = next(iter(new.__dict__["_stitchcuda_runners"][0].values()))
    eager_us, new_us = time_us(old, inputs), time_us(new, inputs)
    verdict = "ok" if all(figure <= TOLERANCE for figure in figures) else "DIFFERS"
    cells = [f"{figure:.1e}" for figure in figures]
    return (f"| {program.stem} | {verdict} | " + " | ".join(cells) +
            f" | {runner.graphs.replays if runner.graphs else 0} | {new_us:.1f} | {eager_us:.1f} | {built:.1f} |")


def stub_language_model_clients() -> None:
    for name, attribute in (("openai", "OpenAI"), ("litellm", "completion")):
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
            setattr(sys.modules[name], attribute, None)


def build_solutions(pairs: list, build: pathlib.Path) -> None:
    """All extensions at once, each in a process of its own; the evaluator then finds them built."""
    running = []
    for folder, program in pairs:
        place = build / program.stem
        place.mkdir(parents=True)
        environment = dict(os.environ, TORCH_EXTENSIONS_DIR=str(place))
        command = [sys.executable, str(folder / "kernelbench_solution.py")]
        running.append((program.stem, subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)))
    for name, process in running:
        errors = process.communicate()[1]
        if process.returncode != 0:
            print(f"{name}: {errors[-3000:]}", file=sys.stderr)


def evaluate(kernelbench, folder: pathlib.Path, program: pathlib.Path, build: pathlib.Path) -> str:
    """A row of the second table: the evaluator's own result."""
    result = kernelbench.eval_kernel_against_ref(
        program.read_text(), (folder / "kernelbench_solution.py").read_text(), num_correct_trials=5,
        num_perf_trials=100, measure_performance=True, build_dir=str(build / program.stem),
        device=torch.device("cuda:0"), backend="cuda", precision=torch.float32)
    if not result.correctness:
        print(f"{program.stem}: {result.metadata}", file=sys.stderr)
    trials = result.metadata.get("correctness_trials", "-")
    ratio = result.ref_runtime / result.runtime if result.runtime > 0 else float("nan")
    return (f"| {program.stem} | {result.compiled} | {result.correctness} {trials} | {result.runtime * 1e3:.1f} | "
            f"{result.ref_runtime * 1e3:.1f} | {ratio:.2f} |")


def guarded(row, program: pathlib.Path, *arguments) -> str:
    try:
        return row(*arguments)
    except Exception as error:
        traceback.print_exc()
        return f"| {program.stem} | {type(error).__name__}: {str(error)[:200]} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernelbench", type=pathlib.Path)
    parser.add_argument("pairs", nargs="+", help="PROJECT_FOLDER=PROGRAM.py")
    options = parser.parse_args()
    pairs = [tuple(pathlib.Path(part).resolve() for part in pair.split("=")) for pair in options.pairs]
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    columns = ("program", "verdict", "as constructed", "parameters changed", "state dict to reference", "and back",
               "second stream", "graph replays", "ModelNew us", "eager us", "first call s")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n\n| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for folder, program in pairs:
        print(guarded(check_module, program, folder, program), flush=True)
    if options.kernelbench is None:
        return
    sys.path.insert(0, str(options.kernelbench / "src"))
    stub_language_model_clients()
    from kernelbench import eval as kernelbench

    build = pathlib.Path(tempfile.mkdtemp())
    build_solutions(pairs, build)
    print("\n| program | compiled | correct | ModelNew us | eager us | eager / ModelNew |\n|" + "---|" * 6)
    for folder, program in pairs:
        print(guarded(evaluate, program, kernelbench, folder, program, build), flush=True)


if __name__ == "__main__":
    main()
