# SPDX-License-Identifier: Apache-2.0
"""Times built programs against eager, eager under a CUDA graph, and torch.compile, in one process, turn by turn.

    python bench/programs/time_programs.py --math fp32 LIBRARY=PROGRAM.py ... > table.md

Every sample is one call with a cold L2 (a 256 MiB buffer is rewritten in between), timed by CUDA events; the four run
in turn so that drift of the clocks meets all alike. Reported: median [5th..95th percentile] in microseconds, and the
ratio of each baseline's median to ours. Our program runs as it would be used: plain launches, and under a CUDA graph.
"""
from __future__ import annotations

import argparse
import importlib.util
import pathlib
import statistics
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "runtime" / "python"))
from stitchcuda_runtime import Program, load_library  # noqa: E402

SAMPLES, WARM_UP = 60, 8


def set_math(mode: str) -> None:
    torch.backends.cuda.matmul.allow_tf32 = mode == "tf32"
    torch.backends.cudnn.allow_tf32 = mode in ("tf32", "kernelbench")


def load_model(path: str):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = module.Model(*module.get_init_inputs())
        inputs = [torch.as_tensor(value).cuda() for value in module.get_inputs()]
    return model.cuda(), inputs


def graphed(function):
    """`function` captured once; the result replays it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function()
    return graph.replay


def sample_us(function, flush: torch.Tensor) -> float:
    flush.fill_(1)
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    function()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3


def interleaved(functions: dict) -> dict[str, list[float]]:
    flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    samples = {name: [] for name in functions}
    for turn in range(WARM_UP + SAMPLES):
        for name, function in functions.items():
            elapsed = sample_us(function, flush)
            if turn >= WARM_UP:
                samples[name].append(elapsed)
    return samples


def spread(values: list[float]) -> str:
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 20], ordered[-1 - len(ordered) // 20]
    return f"{statistics.median(ordered):.1f} [{low:.1f}..{high:.1f}]"


def measure(library: str, path: str) -> dict[str, list[float]]:
    model, inputs = load_model(path)
    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    program = Program(load_library(library, emulated=False), "cuda")
    program.prepare(state)
    call = program.bind(inputs, dict(model.named_buffers()))
    ours, outputs = call.run, call.outputs
    with torch.no_grad():
        expected = model(*inputs)
        ours()
        torch.cuda.synchronize()
        first = expected[0] if isinstance(expected, (tuple, list)) else expected
        error = (outputs[0].double() - first.double()).norm() / first.double().norm()
        if not error < 1e-2:
            raise RuntimeError(f"{path}: relative difference to eager {error:.2e}; not timing a wrong program")
        compiled = torch.compile(model)
        compiled(*inputs)
        return interleaved({
            "ours": ours,
            "ours, graph": graphed(ours),
            "eager": lambda: model(*inputs),
            "eager, graph": graphed(lambda: model(*inputs)),
            "compile": lambda: compiled(*inputs),
        })


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--math", default="fp32", choices=["fp32", "kernelbench", "tf32"])
    parser.add_argument("pairs", nargs="+", help="LIBRARY=PROGRAM.py")
    options = parser.parse_args()
    set_math(options.math)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, math {options.math}, "
          f"matmul.allow_tf32 {torch.backends.cuda.matmul.allow_tf32}, "
          f"cudnn.allow_tf32 {torch.backends.cudnn.allow_tf32}\n")
    names = ["ours", "ours, graph", "eager", "eager, graph", "compile"]
    print("| program | " + " | ".join(f"{n} (us)" for n in names) + " | eager / ours | graph / ours | compile / ours |")
    print("|---|" + "---|" * (len(names) + 3))
    for pair in options.pairs:
        library, path = pair.split("=")
        samples = measure(library, path)
        medians = {name: statistics.median(values) for name, values in samples.items()}
        best = min(medians["ours"], medians["ours, graph"])
        ratios = [medians["eager"] / best, medians["eager, graph"] / best, medians["compile"] / best]
        print(f"| {pathlib.Path(path).stem} | " + " | ".join(spread(samples[name]) for name in names) + " | "
              + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
