# SPDX-License-Identifier: Apache-2.0
"""Times one program: eager, eager under a CUDA graph, torch.compile in two modes, and our library, turn by turn,
there and back again.

    python time_program.py PROGRAM.py --math fp32        then the library on stdin, when the GPU is free

The line on stdin is {"library": PATH, "folder": what was emitted}. Every sample is one call with a cold L2 (a 256 MiB
buffer is rewritten in between), timed by CUDA events; all run in turn so that drift of the clocks meets all alike. One
JSON line when the baselines are compiled, one with the times. With --when-told the GPU is not touched, nor a baseline
made, before that line has come.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import platform
import signal
import statistics
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "runtime" / "python"))
import agreement  # noqa: E402
import kernels  # noqa: E402
import program as programs  # noqa: E402
from stitchcuda_runtime import Program, load_library  # noqa: E402

SAMPLES, WARM_UP = 40, 6
BASELINES = ("eager", "eager, graph", "compile", "max-autotune")
FEWEST_SAMPLES, FEWEST_WARM_UP = 9, 2
OTHER_SEED = 42  # of the inputs that ours and eager are compared on besides those that are timed
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


def graphed(function, subject: programs.Subject):
    """`function` captured once; the result replays it. The states are put back before the capture: a forward that has
    put another tensor in a state's place would be captured on that one, which is gone when the graph is replayed."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(side)
    subject.reset()
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
        "eager, graph": lambda: graphed(lambda: model(*inputs), subject),
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


def interleaved(subject: programs.Subject, functions: dict, seconds: float | None = None) -> dict[str, list[float]]:
    """Microseconds of each. Within about `seconds` where that is given: of what is slow there are fewer samples."""
    flush = make_flush()
    samples = {name: [] for name in functions}
    warm_up, turns, turn = WARM_UP, WARM_UP + SAMPLES, 0
    start = time.monotonic()
    while turn < turns:
        # There and back again: a drift of clocks that is even over two turns meets all alike.
        order = list(functions) if turn % 2 == 0 else list(reversed(functions))
        for name in order:
            elapsed = sample_us(subject, functions[name], flush)
            if turn >= warm_up:
                samples[name].append(elapsed)
        turn += 1
        if turn == FEWEST_WARM_UP and seconds is not None:
            fit = int(seconds / max((time.monotonic() - start) / turn, 1e-9))
            warm_up = max(FEWEST_WARM_UP, min(WARM_UP, fit // 8))
            turns = warm_up + max(FEWEST_SAMPLES, min(SAMPLES, fit - warm_up))
    return samples


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    quarters = statistics.quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else ordered * 3
    return {
        "median": round(statistics.median(ordered), 2),
        "low": round(ordered[len(ordered) // 20], 2),
        "high": round(ordered[-1 - len(ordered) // 20], 2),
        "quartiles": [round(quarters[0], 2), round(quarters[2], 2)],
        "samples": len(ordered),
    }


def prepare_us(program: Program, values: dict) -> float:
    """Of a prepare() that is not the first."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    program.prepare(values)
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3


def contract_of(folder: pathlib.Path):
    """What the emitted module was made for: it has the constants that forward makes of literals."""
    spec = importlib.util.spec_from_file_location("model_new", folder / "model_new.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ModelNew._stitchcuda_contract


def values_for(program: Program, subject: programs.Subject, folder: str | None) -> dict[str, torch.Tensor]:
    values = subject.values()
    missing = [spec.name for spec in program.parameters if spec.name not in values]
    if missing and folder:
        contract = contract_of(pathlib.Path(folder))
        values |= {name: contract.constant(name, torch.device(subject.device)) for name in missing}
    return values


def bound(program: Program, subject: programs.Subject):
    """A call on the module's own states, as the baselines: they change where they lie and are put back before each
    sample."""
    subject.reset()
    return program.bind(subject.tensors, subject.states, in_place=True)


def compared(subject: programs.Subject, call) -> tuple[dict, str]:
    """Ours beside eager on the inputs that are timed and on others, and why it is not to be timed, if so."""
    found = {"difference": None, "kernelbench_rule": [], "is_constant": False, "eager_without_tf32": None}
    first = None
    for seed in (None, OTHER_SEED):
        if seed is not None:
            subject.draw_again(seed)
        both = subject.both(call.run, call.outputs)
        if both is None:
            return found, "" if subject.is_random else "it does not return what the program in PyTorch returns"
        differences = [agreement.relative_difference(*each) for each in both]
        found["difference"] = max([found["difference"] or 0.0, *differences])
        found["kernelbench_rule"].append(agreement.worst_by_kernelbench(both))
        sums = [agreement.finite_sum(wanted) for _, wanted in both]
        found["is_constant"] = sums == first
        first = sums
    found["eager_without_tf32"] = subject.without_tf32()
    return found, ""


def allowed_difference(found: dict, math: str) -> float:
    """Rounding of its operands may move eager itself farther than programs mostly are: twice that is no mistake."""
    own = found["eager_without_tf32"]
    return max(TOLERANCE[math], 2 * own["difference"] if own else 0.0)


def with_graphs(functions: dict, notes: dict, subject: programs.Subject) -> dict:
    """Beside each function, under its name with ", graph", the same as a graph; why it has none is left in `notes`."""
    made = {}
    for name, function in functions.items():
        made[name] = function
        try:
            made[f"{name}, graph"] = graphed(function, subject)
        except Exception as error:  # noqa: BLE001 - plain launches are timed all the same
            notes[f"{name}, graph"] = f"{type(error).__name__}: {str(error)[:200]}"
            torch.cuda.synchronize()
    return made


def machine(device: str) -> dict:
    return {
        "device": torch.cuda.get_device_name() if device == "cuda" else "emulated",
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "python": platform.python_version(),
        "flags": programs.flags(),
    }


def seen_kernels(subject: programs.Subject, functions: dict, us: dict, order: dict, below: float) -> dict:
    """Kernels of ours and of the fastest baseline here, where the best baseline takes less than `below` times ours."""
    medians = {name: each["median"] for name, each in us.items()}
    ours = min((us, name) for name, us in medians.items() if name.startswith("ours"))
    theirs = [(us, name) for name, us in medians.items() if not name.startswith("ours")]
    best = min([us for us, _ in theirs] + list(order.get("known_us", {}).values()), default=None)
    if best is None or best / ours[0] >= below:
        return {}
    names = ["ours"] + ([min(theirs)[1].removesuffix(", graph")] if theirs else [])
    seen = told(lambda: {name: kernels.of_call(subject.reset, functions[name]) for name in names if name in functions})
    return {"kernels": seen}


def time_with(subject: programs.Subject, made: dict, order: dict, options: argparse.Namespace) -> dict:
    program = Program(load_library(order["library"], emulated=subject.device == "cpu"), subject.device)
    values = values_for(program, subject, order.get("folder"))
    program.prepare(values)
    call = bound(program, subject)
    found, objection = compared(subject, call)
    is_known = not objection and found["difference"] is not None
    if is_known and not found["difference"] < allowed_difference(found, options.math):
        objection = f"relative difference to eager {found['difference']:.2e}: a wrong program is not timed"
    if objection:
        return {"error": objection, "is_wrong": True, **found}
    if subject.device == "cpu":
        return {**found, **machine(subject.device)}  # an emulated device tells no time
    notes = {}
    functions = {**with_graphs({"ours": call.run}, notes, subject), **made}
    if options.asks:
        print(json.dumps({"asks": True}), flush=True)
        order_from_stdin()
    samples = interleaved(subject, functions, options.sample_seconds)
    us = {name: spread(values) for name, values in samples.items()}
    return {
        "us": us,
        **seen_kernels(subject, functions, us, order, options.kernels_below),
        "notes": notes,
        "prepare_us": prepare_us(program, values),
        **found,
        **machine(subject.device),
    }


def order_from_stdin() -> dict:
    line = sys.stdin.readline().strip()
    return json.loads(line) if line else sys.exit(0)


def told(function) -> dict:
    """function(), or what it raised: the driver reports it."""
    try:
        return function()
    except Exception as error:  # noqa: BLE001
        return {"error": f"{type(error).__name__}: {str(error)[:300]}"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--math", default="fp32")
    parser.add_argument("--compile-seconds", type=float, default=150)
    parser.add_argument("--sample-seconds", type=float, help="about as long as samples are taken at most")
    parser.add_argument("--emulated", action="store_true", help="compare alone: no baseline, no time")
    parser.add_argument("--without", nargs="*", default=[], help="baselines to leave out")
    parser.add_argument("--kernels-below", type=float, default=0, metavar="RATIO",
                        help="tell the kernels of a call where the best baseline takes less than this times ours")
    parser.add_argument("--asks", action="store_true", help="before samples are taken, and wait for a line on stdin")
    parser.add_argument("--when-told", action="store_true", help="nothing before the line on stdin has come")
    options = parser.parse_args()
    programs.set_math(options.math)
    if options.when_told:
        print(json.dumps({"ready": True}), flush=True)
    order = order_from_stdin() if options.when_told else None
    with torch.no_grad():
        made = told(lambda: {"subject": programs.Subject(options.program, "cpu" if options.emulated else "cuda")})
        if "error" in made:
            print(json.dumps(made), flush=True)
            return
        subject = made["subject"]
        without = BASELINES if options.emulated else options.without
        functions, notes = make_baselines(subject, options.compile_seconds, without)
        print(json.dumps(notes), flush=True)
        if "broken" not in notes:
            order = order or order_from_stdin()
            print(json.dumps(told(lambda: time_with(subject, functions, order, options))), flush=True)


if __name__ == "__main__":
    main()
