#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small mistakes in emitted programs and sees whether verification refuses each, and for the right reason.

    tests/mutants/run.py --programs out/mlp_residual out/... [--count 24] [--seed 1] [--record FILE]

Sites are drawn by the seed, round all families of skeletons (families.py) that the programs use and in each round the
kinds of mistake, in emitted steps and in the kernels a program carries. programs/ holds what no problem uses.
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
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from families import FAMILIES, draw  # noqa: E402
from mistakes import Site  # noqa: E402
from sites import KINDS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = pathlib.Path(__file__).resolve().parent / "equivalent.md"
# cheated: it wrote into memory that is not its own. A mistake in what is computed may also be one in an address, a size
# or the end of a loop.
_ANYWHERE = {"wrong", "crashed", "cheated"}
RIGHT_KINDS = {
    "index": _ANYWHERE,
    "stride": _ANYWHERE,
    "guard": _ANYWHERE,
    "grid": {"wrong", "crashed"},
    "barrier": {"wrong", "crashed", "timed_out"},
    "stale": {"wrong"},
    "bias": {"wrong"},
    "accumulator": {"wrong"},
    "overwrite": {"wrong"},
    "initial": _ANYWHERE,
    "fill": {"wrong"},
    "skip": _ANYWHERE | {"timed_out"},
    "operands": _ANYWHERE | {"timed_out"},
    "comparison": _ANYWHERE | {"timed_out"},
    "statistic": {"wrong"},
}


@dataclass
class Outcome:
    family: str
    program: str
    site: Site
    verdict: str  # a verdict's kind, "equivalent", "never runs", "error" or "does not build"
    reason: str
    seconds: float

    @property
    def refused(self) -> bool:
        return self.verdict in RIGHT_KINDS[self.site.kind]


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
        self._earlier = earlier(options.record) if options.resume and options.record else {}
        self._controls: dict[tuple[pathlib.Path, str], str | None] = {}

    def judge(self, family: str, folder: pathlib.Path, site: Site) -> Outcome:
        start = time.monotonic()
        known = self._earlier.get((folder.name, site.identity))
        if known is not None and known[0] != "ok":
            return Outcome(family, folder.name, site, *known)
        kind, reason = known[:2] if known is not None else self._verdict(folder, site)
        if kind == "ok" and self._never_runs(folder, site):
            kind, reason = "never runs", "a trap in its place changes nothing: this program's extents never lead there"
        return Outcome(family, folder.name, site, kind, reason, time.monotonic() - start)

    def _verdict(self, folder: pathlib.Path, site: Site) -> tuple[str, str]:
        with changed_copy(folder, site.file, site.apply) as mutant:
            digest = self._digest(mutant)
            if digest is not None and digest == self._control(folder, site):
                return "equivalent", "the library is the same, byte for byte"
            return self._verify(mutant)

    def _never_runs(self, folder: pathlib.Path, site: Site) -> bool:
        with changed_copy(folder, site.file, site.trapped) as witness:
            return self._digest(witness) is not None and self._verify(witness)[0] == "ok"

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


COLUMNS = ("family", "program", "kind", "place", "mistake", "verdict", "s")
NOT_REFUSED = " **not refused**"


def table(outcomes: list[Outcome]) -> str:
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for item in outcomes:
        mark = NOT_REFUSED if item.verdict == "ok" else ""
        cell = lambda words: words.replace("|", "\\|")  # noqa: E731
        place = f"{item.site.file}:{item.site.line} `{item.site.identity}`"
        lines.append(
            f"| {item.family} | {item.program} | {item.site.kind} | {place} "
            f"| `{cell(item.site.after)}` | {item.verdict}{mark}: {cell(item.reason)[:240]} | {item.seconds:.1f} |"
        )
    return "\n".join(lines)


def earlier(record: pathlib.Path) -> dict[tuple[str, str], tuple[str, str, float]]:
    """(verdict, reason, seconds) by (program, mistake) of what an earlier run wrote into its tables."""
    found = {}
    for line in record.read_text().splitlines() if record.is_file() else []:
        cells = [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        identity = re.search(r"`(\w{12})`", cells[3]) if len(cells) == len(COLUMNS) else None
        if identity is not None:
            verdict, reason = cells[5].strip().split(": ", 1)
            if verdict != "error":
                verdict = verdict.removesuffix(NOT_REFUSED)
                found[cells[1].strip(), identity.group(1)] = (verdict, reason, float(cells[6]))
    return found


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", nargs="+", required=True, type=pathlib.Path, help="folders made by optimize")
    parser.add_argument("--stitchcuda", default=str(ROOT / "build" / "stitchcuda"))
    parser.add_argument("--count", type=int, default=24, help="mutants that count: built, and not equivalent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", default="small")
    parser.add_argument("--share", type=float, default=0.95, help="of them that must be refused with the right kind")
    parser.add_argument("--timeout-s", type=float, default=900, help="for one command")
    parser.add_argument("--budget-s", type=float, default=float("inf"), help="no new mutant is begun after this")
    parser.add_argument("--record", type=pathlib.Path, help="write the table there as Markdown")
    parser.add_argument("--resume", action="store_true", help="take the verdicts that the record holds already")
    parser.add_argument("--list", action="store_true", help="only print the sites in the order they would be drawn")
    return parser.parse_args(arguments)


def verified(folder: pathlib.Path) -> bool:
    """Whether optimize left a program there that it had verified: a mutant of any other says nothing."""
    result = folder / "evidence" / "result.json"
    return result.is_file() and json.loads(result.read_text())["verdict"]["kind"] == "ok"


class Tally:
    """What was drawn so far: mutants that count, and those left out."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._known = proven()
        self._start = time.monotonic()
        self.counted: list[Outcome] = []
        self.left_out: list[Outcome] = []

    @property
    def is_over(self) -> bool:
        return len(self.counted) >= self._options.count or time.monotonic() - self._start > self._options.budget_s

    @property
    def refused(self) -> int:
        return sum(item.refused for item in self.counted)

    def add(self, outcome: Outcome) -> bool:
        """Whether it counts."""
        site = outcome.site
        known = any((site.identity, name) in self._known for name in (outcome.program, "*"))
        proved = outcome.verdict == "ok" and known
        counts = not proved and outcome.verdict not in ("equivalent", "never runs", "does not build", "error")
        (self.counted if counts else self.left_out).append(outcome)
        print(f"{len(self.counted):3} {outcome.family}; {outcome.program} {site.kind} {site.file}:{site.line} "
              f"{site.identity} -> {outcome.verdict}{' (proven equivalent)' if proved else ''}: {outcome.reason[:140]}",
              file=sys.stderr)
        if self._options.record:
            self._options.record.parent.mkdir(parents=True, exist_ok=True)
            self._options.record.write_text("# Mutants\n\n" + self.text())
        return counts

    def text(self) -> str:
        kinds = {item.site.kind for item in self.counted}
        families = {item.family for item in self.counted}
        missing = [kind for kind in KINDS if kind not in kinds]
        untouched = [family for family in FAMILIES if family not in families]
        return (
            f"{time.strftime('%Y-%m-%d')}, emulated device. Seed {self._options.seed}, scale {self._options.scale}: "
            f"{self.refused} of {len(self.counted)} mutants refused with the right kind, in {len(families)} families "
            f"of skeletons; {len(self.left_out)} drawn besides are equivalent, never run or got no verdict."
            + (f" Kinds without a mutant: {', '.join(missing)}." if missing else "")
            + (f" Families without a mutant: {', '.join(untouched)}." if untouched else "")
            + f"\n\n{table(self.counted)}\n\nLeft out:\n\n{table(self.left_out)}\n"
        )


def main(arguments: list[str]) -> int:
    options = options_of(arguments)
    folders = [path.resolve() for path in options.programs]
    for folder in folders:
        if not verified(folder):
            print(f"{folder} holds no program that optimize has verified.", file=sys.stderr)
            return 2
    queues = {family: iter(sites) for family, sites in draw(folders, options.seed).items()}
    if options.list:
        for family, sites in queues.items():
            for folder, site in sites:
                place = f"{site.file}:{site.line} {site.identity}"
                print(f"{family}; {folder.name} {site.kind} {place} {site.before} => {site.after}")
        return 0
    tally, judge = Tally(options), Judge(options)
    seen: set[tuple[pathlib.Path, str]] = set()
    while queues and not tally.is_over:
        for family in list(queues):  # one that counts from each family, then a second, ...
            for folder, site in queues[family]:
                if tally.is_over:
                    break
                if (folder, site.identity) in seen:
                    continue
                seen.add((folder, site.identity))
                if tally.add(judge.judge(family, folder, site)):
                    break
            else:
                del queues[family]
    print(tally.text())
    return 0 if tally.counted and tally.refused >= options.share * len(tally.counted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
