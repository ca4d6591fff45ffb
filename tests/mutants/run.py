#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small mistakes in emitted programs and sees whether verification refuses each, and for the right reason.

    tests/mutants/run.py --programs out/mlp_residual out/... [--count 24] [--seed 1] [--record FILE]

Sites are drawn by the seed over all programs and kinds, in emitted steps and in the kernels a program carries.
Two proofs of equivalence are made here. A mutant whose library is the same as the original's, byte for byte, is the
original. And where a trap in place of the mistake changes no verdict, the program never runs that line: which lines run
depends on extents alone, and a program's extents are fixed. Any other mutant may be left out only by an entry in
equivalent.md, which holds the proof. Exit status 0 when enough of the rest were refused.
"""
from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sites import KINDS, Site, find_sites  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = pathlib.Path(__file__).resolve().parent / "equivalent.md"
RIGHT_KINDS = {
    "index": {"wrong", "crashed", "cheated"},  # cheated: it wrote into memory that is not its own
    "barrier": {"wrong", "crashed", "timed_out"},
    "stride": {"wrong", "crashed", "cheated"},
    "guard": {"wrong", "crashed", "cheated"},
    "bias": {"wrong"},
    "accumulator": {"wrong"},
    "statistic": {"wrong"},
}


@dataclass
class Outcome:
    program: str
    site: Site
    verdict: str  # a verdict's kind, "equivalent", "never runs", "error" or "does not build"
    reason: str
    seconds: float

    @property
    def refused(self) -> bool:
        return self.verdict in RIGHT_KINDS[self.site.kind]


def program_files(folder: pathlib.Path) -> list[str]:
    """The device code of a program: its steps and the kernels it carries, less the abstractions all kernels share."""
    steps = sorted((folder / "steps").glob("*.cu"))
    kernels = sorted((folder / "runtime" / "kernels").rglob("*.cuh"))
    return [str(path.relative_to(folder)) for path in steps + kernels]


def all_sites(folder: pathlib.Path) -> list[Site]:
    return [site for name in program_files(folder) for site in find_sites(name, (folder / name).read_text())]


def draw(folders: list[pathlib.Path], seed: int) -> list[tuple[pathlib.Path, Site]]:
    """Every site once, in an order that goes round the kinds and, inside a kind, round the programs; half of the draws
    of a kind come from steps where there are any, since steps have fewer sites than kernels."""
    source = random.Random(seed)
    queues: dict[str, list[tuple[pathlib.Path, Site]]] = {}
    sites = {folder: all_sites(folder) for folder in folders}
    for kind in KINDS:
        piles = []
        for folder in source.sample(folders, len(folders)):
            for in_steps in (True, False):
                pile = [
                    site for site in sites[folder]
                    if site.kind == kind and site.file.startswith("steps/") == in_steps
                ]
                source.shuffle(pile)
                piles.append([(folder, site) for site in pile])
        source.shuffle(piles)
        rows = range(max(map(len, piles), default=0))
        queues[kind] = [item for row in rows for pile in piles for item in pile[row : row + 1]]
    order = []
    while any(queues.values()):
        for kind in KINDS:
            if queues[kind]:
                order.append(queues[kind].pop(0))
    return order


def run_json(arguments: list[str], timeout_s: float) -> dict:
    """The object that `stitchcuda … --json` prints."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        return {"error": {"code": "timeout", "sentence": f"{arguments[1]} took more than {timeout_s:g} s"}}
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"error": {"code": "no_json", "sentence": (done.stderr or "nothing was printed").strip()[-300:]}}


class Judge:
    """Builds and verifies changed copies of programs."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._controls: dict[tuple[pathlib.Path, str], str | None] = {}

    def judge(self, folder: pathlib.Path, site: Site) -> Outcome:
        start = time.monotonic()
        kind, reason = self._verdict_with_proofs(folder, site)
        return Outcome(folder.name, site, kind, reason, time.monotonic() - start)

    def _verdict_with_proofs(self, folder: pathlib.Path, site: Site) -> tuple[str, str]:
        with changed_copy(folder, site.file, site.apply) as mutant:
            digest = self._digest(mutant)
            if digest is not None and digest == self._control(folder, site):
                return "equivalent", "the library is the same, byte for byte"
            kind, reason = self._verify(mutant)
        if kind == "ok":
            with changed_copy(folder, site.file, site.trapped) as witness:
                if self._digest(witness) is not None and self._verify(witness)[0] == "ok":
                    return "never runs", "a trap in its place changes nothing: this program's extents never lead there"
        return kind, reason

    def _control(self, folder: pathlib.Path, site: Site) -> str | None:
        key = (folder, site.file if site.kind == "accumulator" else "")
        if key not in self._controls:
            with changed_copy(folder, site.file, site.control) as copy:
                self._controls[key] = self._digest(copy)
        return self._controls[key]

    def _run(self, *arguments: str) -> dict:
        command = [self._options.stitchcuda, *arguments, "--device", "emulated", "--json"]
        return run_json(command, self._options.timeout_s)

    def _digest(self, folder: pathlib.Path) -> str | None:
        """SHA-256 of the library that the folder builds to; None when it does not build."""
        library = self._run("build", str(folder)).get("library")
        if not library or not pathlib.Path(library).is_file():
            return None
        return hashlib.sha256(pathlib.Path(library).read_bytes()).hexdigest()

    def _verify(self, folder: pathlib.Path) -> tuple[str, str]:
        answer = self._run("verify", str(folder), "--scale", self._options.scale)
        if "verdict" not in answer:
            return "error", (answer.get("error") or {}).get("sentence", "no verdict")
        kind, reason = answer["verdict"]["kind"], answer["verdict"]["reason"]
        return ("does not build" if kind == "build_failed" else kind), reason


@contextlib.contextmanager
def changed_copy(folder: pathlib.Path, file: str, change: Callable[[str], str]) -> Iterator[pathlib.Path]:
    with tempfile.TemporaryDirectory(prefix="stitchcuda-mutant-") as scratch:
        copy = pathlib.Path(scratch) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("evidence", "build"))
        path = copy / file
        path.write_text(change(path.read_text()))
        yield copy


def proven() -> set[tuple[str, str]]:
    """The mutants that equivalent.md has a proof for: lines `## <identity> <program or *> ...`."""
    lines = EQUIVALENT.read_text().splitlines() if EQUIVALENT.exists() else []
    return {(line.split()[1], line.split()[2]) for line in lines if line.startswith("## ") and len(line.split()) > 2}


def table(outcomes: list[Outcome]) -> str:
    lines = ["| program | kind | place | mistake | verdict | s |", "|---|---|---|---|---|---|"]
    for item in outcomes:
        mark = "" if item.refused else " **not refused**" if item.verdict == "ok" else ""
        cell = lambda words: words.replace("|", "\\|")  # noqa: E731
        lines.append(
            f"| {item.program} | {item.site.kind} | {item.site.file}:{item.site.line} `{item.site.identity}` "
            f"| `{cell(item.site.after)}` | {item.verdict}{mark}: {cell(item.reason)[:160]} | {item.seconds:.1f} |"
        )
    return "\n".join(lines)


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", nargs="+", required=True, type=pathlib.Path, help="folders made by optimize")
    parser.add_argument("--stitchcuda", default=str(ROOT / "build" / "stitchcuda"))
    parser.add_argument("--count", type=int, default=24, help="mutants that count: built, and not equivalent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", default="small")
    parser.add_argument("--share", type=float, default=0.95, help="of them that must be refused with the right kind")
    parser.add_argument("--timeout-s", type=float, default=300, help="for one command")
    parser.add_argument("--budget-s", type=float, default=float("inf"), help="no new mutant is begun after this")
    parser.add_argument("--record", type=pathlib.Path, help="write the table there as Markdown")
    parser.add_argument("--list", action="store_true", help="only print the sites in the order they would be drawn")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = options_of(arguments)
    order = draw([path.resolve() for path in options.programs], options.seed)
    if options.list:
        for folder, site in order:
            print(f"{folder.name} {site.kind} {site.file}:{site.line} {site.identity} {site.before} => {site.after}")
        return 0
    start, counted, left_out = time.monotonic(), [], []
    known, judge = proven(), Judge(options)
    for folder, site in order:
        if len(counted) >= options.count or time.monotonic() - start > options.budget_s:
            break
        outcome = judge.judge(folder, site)
        proved = outcome.verdict == "ok" and any((site.identity, name) in known for name in (folder.name, "*"))
        out = proved or outcome.verdict in ("equivalent", "never runs", "does not build")
        (left_out if out else counted).append(outcome)
        print(f"{len(counted):3} {outcome.program} {site.kind} {site.file}:{site.line} {site.identity} -> "
              f"{outcome.verdict}{' (proven equivalent)' if proved else ''}: {outcome.reason[:140]}", file=sys.stderr)
    refused = sum(item.refused for item in counted)
    kinds = {item.site.kind for item in counted}
    missing = [kind for kind in KINDS if kind not in kinds]
    text = (f"Seed {options.seed}, scale {options.scale}: {refused} of {len(counted)} mutants refused with the right "
            f"kind; {len(left_out)} drawn besides are equivalent, never run or do not build."
            + (f" Kinds without a site: {', '.join(missing)}." if missing else "")
            + f"\n\n{table(counted)}\n\nLeft out:\n\n{table(left_out)}\n")
    print(text)
    if options.record:
        options.record.parent.mkdir(parents=True, exist_ok=True)
        options.record.write_text("# Mutants\n\n" + text)
    return 0 if counted and refused >= options.share * len(counted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
