#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small mistakes in emitted programs and sees whether verification refuses each, and for the right reason.

    tests/mutants/run.py --programs out/mlp_residual out/... [--count 24] [--seed 1] [--record FILE]

Sites are drawn by the seed over all programs and kinds, in emitted steps and in the kernels a program carries.
A mutant whose library is the same as the original's, byte for byte, is equivalent by that very fact. Others may be
left out only by an entry in equivalent.md, which holds the proof. Exit status 0 when enough of the rest were refused.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sites import KINDS, Site, find_sites  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = pathlib.Path(__file__).resolve().parent / "equivalent.md"
RIGHT_KINDS = {
    "index": {"wrong", "crashed"},
    "barrier": {"wrong", "crashed", "timed_out"},
    "stride": {"wrong", "crashed"},
    "guard": {"wrong", "crashed"},
    "bias": {"wrong"},
    "accumulator": {"wrong"},
    "statistic": {"wrong"},
}


@dataclass
class Outcome:
    program: str
    site: Site
    verdict: str  # a verdict's kind, "equivalent", "error" or "does not build"
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
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=timeout_s, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"error": {"code": "no_json", "sentence": (done.stderr or "nothing was printed").strip()[-300:]}}


def library_digest(stitchcuda: str, folder: pathlib.Path, timeout_s: float) -> str | None:
    """SHA-256 of the library that the folder builds to; None when it does not build or no path is told."""
    answer = run_json([stitchcuda, "build", str(folder), "--device", "emulated", "--json"], timeout_s)
    library = answer.get("library") or (answer.get("compile") or {}).get("library")
    if not library or not pathlib.Path(library).is_file():
        return None
    return hashlib.sha256(pathlib.Path(library).read_bytes()).hexdigest()


def judge(folder: pathlib.Path, site: Site, original: str | None, options: argparse.Namespace) -> Outcome:
    stitchcuda = options.stitchcuda
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stitchcuda-mutant-") as scratch:
        mutant = pathlib.Path(scratch) / folder.name
        shutil.copytree(folder, mutant, ignore=shutil.ignore_patterns("evidence", "build"))
        path = mutant / site.file
        path.write_text(site.apply(path.read_text()))
        outcome = lambda kind, reason: Outcome(folder.name, site, kind, reason, time.monotonic() - start)  # noqa: E731
        if original is not None and library_digest(stitchcuda, mutant, options.timeout_s) == original:
            return outcome("equivalent", "the library is the same, byte for byte")
        command = [stitchcuda, "verify", str(mutant), "--device", "emulated", "--scale", options.scale, "--json"]
        try:
            answer = run_json(command, options.timeout_s)
        except subprocess.TimeoutExpired:
            return outcome("error", f"verify took more than {options.timeout_s:g} s")
    if "verdict" not in answer:
        return outcome("error", (answer.get("error") or {}).get("sentence", "no verdict"))
    verdict = answer["verdict"]
    if verdict["kind"] == "build_failed":
        return outcome("does not build", verdict["reason"])
    return outcome(verdict["kind"], verdict["reason"])


def proven() -> set[str]:
    """The identities that equivalent.md has a proof for: lines that begin with `## <identity>`."""
    if not EQUIVALENT.exists():
        return set()
    return {line.split()[1] for line in EQUIVALENT.read_text().splitlines() if line.startswith("## ")}


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
    start, counted, left_out, originals = time.monotonic(), [], [], {}
    known = proven()
    for folder, site in order:
        if len(counted) >= options.count or time.monotonic() - start > options.budget_s:
            break
        if folder not in originals:
            originals[folder] = library_digest(options.stitchcuda, folder, options.timeout_s)
        outcome = judge(folder, site, originals[folder], options)
        proved = outcome.verdict == "ok" and site.identity in known
        out = proved or outcome.verdict in ("equivalent", "does not build")
        (left_out if out else counted).append(outcome)
        print(f"{len(counted):3} {outcome.program} {site.kind} {site.file}:{site.line} {site.identity} -> "
              f"{outcome.verdict}{' (proven equivalent)' if proved else ''}: {outcome.reason[:140]}", file=sys.stderr)
    refused = sum(item.refused for item in counted)
    kinds = {item.site.kind for item in counted}
    missing = [kind for kind in KINDS if kind not in kinds]
    text = (f"Seed {options.seed}, scale {options.scale}: {refused} of {len(counted)} mutants refused with the right "
            f"kind; {len(left_out)} drawn besides were equivalent or did not build."
            + (f" Kinds without a site: {', '.join(missing)}." if missing else "")
            + f"\n\n{table(counted)}\n\nLeft out:\n\n{table(left_out)}\n")
    print(text)
    if options.record:
        options.record.parent.mkdir(parents=True, exist_ok=True)
        options.record.write_text("# Mutants\n\n" + text)
    return 0 if counted and refused >= options.share * len(counted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
