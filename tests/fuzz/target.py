# SPDX-License-Identifier: Apache-2.0
"""One fuzz target: its kept inputs, its search for new ones, and what it reports of them."""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CORPUS = HERE / "corpus"
# What else of the tree a long search starts from.
SEEDS = {"ir": ("src/ir/testdata/**/*.case", "src/plan/testdata/operators/*.ir")}
LONG_S = 60
AT_A_TIME = 2
SEED = 20260
MAX_INPUT_BYTES = 16384
MEMORY_MB = 2048
STACK_BYTES = 64 << 20
# An input that takes longer is a hang. On a machine that does other work too, STITCH_TEST_PATIENCE multiplies it.
HANG_S = 25 * float(os.environ.get("STITCH_TEST_PATIENCE", "1"))
MERGE_S = 300
MAX_KEPT_BYTES = 2048
MARKS = re.compile(r"ERROR: (?:Address|Leak|libFuzzer)|runtime error:|does not hold:|^SUMMARY:|what\(\):|check failed")


@dataclasses.dataclass
class Fuzzing:
    build: pathlib.Path
    seconds: float  # of one target
    scratch: pathlib.Path
    found: pathlib.Path  # where inputs that fail are left
    seed: int


@dataclasses.dataclass
class Outcome:
    target: str
    passed: int = 0
    problems: list[str] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    executions: int = 0
    edges_at_first: int = 0
    edges: int = 0
    units: int = 0
    peak_mb: int = 0

    def message(self) -> str:
        return (
            f"{self.target}: {self.executions} executions in {self.seconds:.1f} s, {self.edges} edges "
            f"({self.edges_at_first} from kept inputs), {self.units} new inputs; {self.passed} passed"
        )


def targets() -> list[str]:
    return sorted(path.name.removesuffix("_fuzz.cc") for path in HERE.glob("*_fuzz.cc"))


def program_of(build: pathlib.Path, target: str) -> pathlib.Path:
    return build / "tests" / "fuzz" / f"{target}_fuzz"


def with_deep_stack() -> None:
    """Frames are larger under sanitizers, and std::regex recurses by the character."""
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    wanted = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


@functools.cache
def sanitizer_options(program: pathlib.Path) -> str:
    """Where a process may not trace itself, as in some containers, leaks cannot be looked for."""
    given = os.environ.get("ASAN_OPTIONS", "")
    done = subprocess.run([program, "-runs=0"], capture_output=True, text=True, errors="replace", check=False)
    can_trace = "LeakSanitizer has encountered a fatal error" not in done.stderr
    return given if can_trace else f"{given}:detect_leaks=0".lstrip(":")


def start(program: pathlib.Path, words: list[str], home: pathlib.Path, limit_s: float) -> tuple[int, str]:
    """The exit status and what it printed; a target that does not even notice its own time limit is ended."""
    environment = dict(os.environ, TMPDIR=str(home), ASAN_OPTIONS=sanitizer_options(program))
    with open(home / "log", "w+", errors="replace") as log:
        try:
            code = subprocess.run(
                [str(program), *words],
                cwd=home,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                preexec_fn=with_deep_stack,
                timeout=limit_s,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code = -1
        log.seek(0)
        return code, log.read()


def what_happened(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if MARKS.search(line)]
    return "; ".join(lines[:3]) or said[-300:].strip()


def count(pattern: str, said: str, which: int = -1) -> int:
    found = re.findall(pattern, said, re.M)
    return int(found[which]) if found else 0


def lay_out_seeds(target: str, folder: pathlib.Path, with_tree: bool) -> pathlib.Path:
    """The kept inputs, and what the tree has besides, in one folder."""
    shutil.copytree(CORPUS / target, folder)
    for pattern in SEEDS.get(target, ()) if with_tree else ():
        for path in ROOT.glob(pattern):
            if path.stat().st_size <= MAX_INPUT_BYTES:
                shutil.copy(path, folder / f"tree_{path.name}")
    return folder


def kept_inputs(target: str) -> list[pathlib.Path]:
    return sorted((CORPUS / target).iterdir())


def home_of(fuzzing: Fuzzing, target: str) -> pathlib.Path:
    home = fuzzing.scratch / target
    (home / "new").mkdir(parents=True, exist_ok=True)
    return home


def options_of(fuzzing: Fuzzing, target: str) -> list[str]:
    return [f"-timeout={HANG_S:g}", f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={fuzzing.found}/{target}-"]


def take_kept(fuzzing: Fuzzing, target: str) -> dict[str, str]:
    """What happened at each kept input that fails, by its name."""
    program, home, options = program_of(fuzzing.build, target), home_of(fuzzing, target), options_of(fuzzing, target)
    kept = kept_inputs(target)
    # One process for all of them; where it fails, one for each says which.
    code, _ = start(program, options + [str(path) for path in kept], home, HANG_S * 4)
    problems = {}
    for path in kept if code else []:
        code, said = start(program, options + [str(path)], home, HANG_S * 2)
        if code:
            problems[path.name] = what_happened(said)
    return problems


def run_target(fuzzing: Fuzzing, target: str) -> Outcome:
    """Its kept inputs, and where they are as they should be, a search."""
    failing = take_kept(fuzzing, target)
    outcome = Outcome(target) if failing else search(fuzzing, target)
    outcome.passed += len(kept_inputs(target)) - len(failing)
    outcome.problems += [f"{target}/{name}: {said}" for name, said in failing.items()]
    return outcome


def search(fuzzing: Fuzzing, target: str) -> Outcome:
    outcome, home = Outcome(target), home_of(fuzzing, target)
    limits = [
        f"-max_total_time={max(1, round(fuzzing.seconds))}",
        f"-max_len={MAX_INPUT_BYTES}",
        f"-seed={fuzzing.seed}",
        "-print_final_stats=1",
    ]
    seeds = lay_out_seeds(target, home / "seeds", fuzzing.seconds >= LONG_S)
    words = [*options_of(fuzzing, target), *limits, "new", str(seeds)]
    started = time.monotonic()
    code, said = start(program_of(fuzzing.build, target), words, home, fuzzing.seconds * 2 + 120 + HANG_S)
    outcome.seconds = round(time.monotonic() - started, 1)
    outcome.executions = max([int(number) for number in re.findall(r"^#(\d+)", said, re.M)] + [0])
    outcome.edges_at_first = count(r"^#\d+\s+INITED cov: (\d+)", said)
    outcome.edges = count(r" cov: (\d+)", said)
    outcome.units = count(r"^stat::new_units_added:\s+(\d+)", said)
    outcome.peak_mb = count(r"^stat::peak_rss_mb:\s+(\d+)", said)
    if code or not outcome.executions:
        outcome.problems.append(f"{target}: {what_happened(said)}; the input is in {fuzzing.found}")
    else:
        outcome.passed += 1
    return outcome


def merge(target: str, build: pathlib.Path, scratch: pathlib.Path, into: pathlib.Path) -> None:
    """Of the new inputs, few that together reach the edges that the kept ones do not; the names begin with their order,
    the one with most new edges first."""
    home = scratch / target
    merged = lay_out_seeds(target, home / "merged", with_tree=False)
    known = set(os.listdir(merged))
    words = ["-set_cover_merge=1", "-use_counters=0", f"-max_len={MAX_KEPT_BYTES}", str(merged), "new"]
    start(program_of(build, target), words, home, MERGE_S)
    into.mkdir(parents=True)
    added = [path for path in merged.iterdir() if path.name not in known]
    for place, path in enumerate(sorted(added, key=lambda each: each.stat().st_mtime_ns)):
        shutil.copy(path, into / f"{place:04}_{path.name[:12]}")
