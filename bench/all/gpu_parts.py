# SPDX-License-Identifier: Apache-2.0
"""The tables that a machine with GPUs is asked for: what each runs on one of its GPUs, and for how long."""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ("gemm", "conv", "attention split", "memory")  # of about the same length each
NATIVE = "tests/honest/native"
SMALL_NATIVE = f"{NATIVE}/numerics/first_of_equals"
SMALL_TASKS = ("level1/19", "level1/26")


@dataclasses.dataclass(frozen=True)
class Lane:
    """One GPU of the machine, and the processors that are its own."""

    number: int
    count: int
    cpus: tuple[int, ...]
    options: argparse.Namespace

    @property
    def on_gpu(self) -> bool:
        return self.options.device == "gpu"

    def split(self) -> tuple[list[int], list[int]]:
        """Those that time and those that build; none of either where they are too few to part."""
        if len(self.cpus) < 4:
            return [], []
        timing = len(self.cpus) // 4
        return list(self.cpus[:timing]), list(self.cpus[timing:])

    def cpu_options(self) -> list[str]:
        timing, building = self.split()
        if not timing:
            return []
        return ["--time-cpus", spelled(timing), "--build-cpus", spelled(building)]

    def out(self, part: str) -> pathlib.Path:
        return self.options.out / f"{part}-{self.number}"

    def share(self, things: list) -> list:
        return things[self.number :: self.count]


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    what: str
    seconds: float  # on each GPU, of all calls together
    # The command for so many seconds; none where this GPU has nothing to do in it.
    command: Callable[[Lane, float], list[str]]
    least_seconds: float = 60.0  # with fewer left it is not begun
    cache: str = "cache"  # of the product: times that another part has measured are known only in the same
    ends_itself: bool = True  # at the seconds that its command names


def spelled(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def is_begun(out: pathlib.Path) -> bool:
    return (out / "results.jsonl").exists() or (out / "programs").exists()


def kernelbench(name: str, draw: int, seed: int, tuning: float, like: str = "") -> Callable[[Lane, float], list[str]]:
    """Tasks of KernelBench; torch.compile's times are those of the part `like`, where there are any."""

    def command(lane: Lane, seconds: float) -> list[str]:
        options, out = lane.options, lane.out(name)
        words = [sys.executable, "bench/kernelbench/run", options.binary, str(options.kernelbench), str(out),
                 "--math", "kernelbench", "--shard", f"{lane.number}/{lane.count}", "--seconds", f"{seconds:.0f}",
                 "--task-seconds", f"{options.task_seconds:g}"]
        words += ["--tasks", *SMALL_TASKS] if options.small else ["--draw", str(draw), "--seed", str(seed)]
        if options.first and not options.small:  # of a second part too: a shard is of the order that --first makes
            words += ["--first", *options.first]
        if is_begun(out):
            words.append("--resume")
        if not lane.on_gpu:
            return [*words, "--device", "emulated", "--jobs", "1"]
        known = lane.out(like) / "results.jsonl" if like else None
        if known and known.exists():
            words += ["--baselines", str(known), "--baseline", "eager,graph"]
        else:
            words += ["--baseline", "eager,graph,compile"]
        return [*words, "--no-verify", "--pipeline", "--tuning", f"{tuning:g}", "--jobs", str(options.jobs),
                "--compile-jobs", "3", "--sample-seconds", "2", "--compile-seconds", "90", "--kernels-below", "0.97",
                "--memory", f"{options.memory:g}", *lane.cpu_options()]

    return command


def programs(math: str) -> Callable[[Lane, float], list[str]]:
    """Those of problems/, verified."""

    def command(lane: Lane, seconds: float) -> list[str]:
        some = lane.share(sorted((ROOT / "problems").glob("*.py")))[: 1 if lane.options.small else None]
        if not some:
            return []
        words = [sys.executable, "bench/programs/run", lane.options.binary, str(lane.out(f"programs-{math}")),
                 "--math", math, "--seconds", f"{seconds:.0f}", "--resume"]
        words += ["--tune-seconds", "10", "--jobs", "2", "--tune-jobs", "4", "--compile-seconds", "60",
                  *lane.cpu_options()] if lane.on_gpu else ["--device", "emulated", "--jobs", "1", "--tune-jobs", "1"]
        return [*words, "--programs", *(str(each.relative_to(ROOT)) for each in some)]

    return command


def kernels(lane: Lane, _: float) -> list[str]:
    """Rates of kernels beside a copy or the library: nothing that the emulated device has."""
    names = " ".join(lane.share(list(KERNELS))).split()
    return ["bench/kernels/run", *names] if names and lane.on_gpu else []


def native(lane: Lane, _: float) -> list[str]:
    """Candidates in CUDA that must be accepted, judged on the device: all on the first GPU."""
    if lane.number:
        return []
    return [sys.executable, "tests/candidates/run", str(lane.out("native")), "--device", lane.options.device,
            "--no-time", "--seeds", "1", "--only", SMALL_NATIVE if lane.options.small else NATIVE,
            "--jobs", str(lane.options.jobs), "--build", str(pathlib.Path(lane.options.binary).parent)]


PARTS = (
    Part("tuned", "KernelBench, the first draw, tuned", 700, kernelbench("tuned", 120, 1, 20)),
    Part("untuned", "the same without tuning, by what ships", 260, kernelbench("untuned", 120, 1, 0, like="tuned"),
         cache="cache-untuned"),
    Part("programs-fp32", "problems/ in fp32", 170, programs("fp32"), 90),
    Part("programs-tf32", "problems/ in tf32", 170, programs("tf32"), 90),
    Part("kernels", "kernels beside a copy or the library", 90, kernels, 30, ends_itself=False),
    Part("native", "honest candidates in CUDA, judged on the device", 150, native, 30, ends_itself=False),
    Part("second", "KernelBench, another draw, tuned, once", 200, kernelbench("second", 40, 2, 20)),
)
