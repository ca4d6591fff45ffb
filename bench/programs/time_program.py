# SPDX-License-Identifier: Apache-2.0
"""Times one program: eager, eager under a CUDA graph, torch.compile in two modes, and our library, turn by turn,
there and back again.

    python time_program.py PROGRAM.py --math fp32        then the library's path on stdin, when the GPU is free

Every sample is one call with a cold L2 (a 256 MiB buffer is rewritten in between), timed by CUDA events; all run in
turn so that drift of the clocks meets all alike. One JSON line when the baselines are compiled, one with the times.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import signal
import statistics
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "runtime" / "python"))
import program as programs  # noqa: E402
from stitchcuda_runtime import Program, load_library  # noqa: E402

SAMPLES, WARM_UP = 40, 6
TOLERANCE = {"fp32": 2e-3, "kernelbench": 1e-2, "tf32": 2e-2, "reduced": 5e-2}  # of the whole output's norm


class TooLong(Exception):
    pass


def within(seconds: float, function):
    """function(), or TooLong raised in it."""

    def stop(*_):
        raise TooLong(f"took longer than {seconds:.0f} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(max(1, int(seconds)))
    try:
        return function()
    finally:
        signal.alarm(0)


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


def make_baselines(subject: programs.Subject, compile_seconds: float, without: list[str]) -> tuple[dict, dict]:
    """What can be called, and why the rest cannot; seconds each took to make. One that leaves the GPU's context
    unusable is named under "broken"."""
    model, inputs = subject.model, subject.inputs
    makers = {
        "eager": lambda: lambda: model(*inputs),
        "eager, graph": lambda: graphed(lambda: model(*inputs)),
        "compile": lambda: (lambda compiled: lambda: compiled(*inputs))(torch.compile(model)),
        "max-autotune": lambda: (lambda compiled: lambda: compiled(*inputs))(torch.compile(model, mode="max-autotune")),
    }
    made, notes = {}, {}
    for name, make in makers.items():
        if name in without:
            continue
        start = time.monotonic()
        try:
            subject.reset()
            torch._dynamo.reset()
            function = within(compile_seconds, make)
            for _ in range(3):
                subject.reset()
                within(compile_seconds, function)
            torch.cuda.synchronize()
            made[name] = function
            notes[name] = round(time.monotonic() - start, 1)
        except Exception as error:  # noqa: BLE001 - a baseline that fails is a finding, not our failure
            notes[name] = f"{type(error).__name__}: {str(error)[:200]}"
            try:
                torch.cuda.synchronize()
            except Exception:  # noqa: BLE001
                notes["broken"] = name
                break
    return made, notes


def sample_us(subject: programs.Subject, function, flush: torch.Tensor) -> float:
    subject.reset()
    flush.fill_(1)
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    function()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3


def make_flush() -> torch.Tensor:
    return torch.empty(64 << 20, dtype=torch.int32, device="cuda")


def interleaved(subject: programs.Subject, functions: dict) -> dict[str, list[float]]:
    flush = make_flush()
    samples = {name: [] for name in functions}
    for turn in range(WARM_UP + SAMPLES):
        # There and back again: a drift of clocks that is even over two turns meets all alike.
        order = list(functions) if turn % 2 == 0 else list(reversed(functions))
        for name in order:
            elapsed = sample_us(subject, functions[name], flush)
            if turn >= WARM_UP:
                samples[name].append(elapsed)
    return samples


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), 2),
        "low": round(ordered[len(ordered) // 20], 2),
        "high": round(ordered[-1 - len(ordered) // 20], 2),
    }


def prepare_us(program: Program, subject: programs.Subject) -> float:
    """Of a prepare() that is not the first."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    program.prepare(subject.state())
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3


def time_with(subject: programs.Subject, made: dict, library: str, math: str) -> dict:
    program = Program(load_library(library, emulated=False), "cuda")
    program.prepare(subject.state())
    subject.reset()
    # On the module's own buffers, as the baselines: states change where they lie and are put back before each sample.
    call = program.bind(subject.inputs, subject.buffers(), in_place=True)
    ours, outputs = call.run, call.outputs
    difference = subject.difference(ours, outputs)
    if difference is not None and not difference < TOLERANCE[math]:
        return {"error": f"relative difference to eager {difference:.2e}: a wrong program is not timed"}
    functions = {"ours": ours, "ours, graph": graphed(ours), **made}
    samples = interleaved(subject, functions)
    return {
        "us": {name: spread(values) for name, values in samples.items()},
        "prepare_us": prepare_us(program, subject),
        "difference": difference,
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "flags": programs.flags(),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--math", default="fp32")
    parser.add_argument("--compile-seconds", type=float, default=150)
    parser.add_argument("--without", nargs="*", default=[], help="baselines to leave out")
    options = parser.parse_args()
    programs.set_math(options.math)
    with torch.no_grad():
        try:
            subject = programs.Subject(options.program)
        except Exception as error:  # noqa: BLE001 - the driver reports it
            print(json.dumps({"error": f"{type(error).__name__}: {str(error)[:300]}"}), flush=True)
            return
        made, notes = make_baselines(subject, options.compile_seconds, options.without)
        print(json.dumps(notes), flush=True)
        if "broken" in notes:
            return
        library = sys.stdin.readline().strip()
        try:
            answer = time_with(subject, made, library, options.math)
        except Exception as error:  # noqa: BLE001 - the driver reports it
            answer = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
