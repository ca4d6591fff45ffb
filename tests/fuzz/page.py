# SPDX-License-Identifier: Apache-2.0
"""The page of one or more fuzzing.json."""

from __future__ import annotations

import os
import pathlib
import time

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
HEAD = """# Fuzzing

`tests/fuzz`: libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer. A search begins with what
`tests/fuzz/corpus` keeps, and ends at its first finding.

"""
COLUMNS = (
    "| target | seconds | executions | a second | edges at first | edges reached | new inputs | peak MB | findings |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)


def facts(outcomes: list[dict], at_a_time: int, seed: int) -> dict:
    return {
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": f"{os.cpu_count()} cores",
        "at_a_time": at_a_time,
        "seed": seed,
        "targets": outcomes,
    }


def section(facts: dict) -> str:
    rows = [
        f"| {each['target']} | {each['seconds']:.0f} | {each['executions']:,} "
        f"| {each['executions'] / max(each['seconds'], 0.1):,.0f} | {each['edges_at_first']:,} | {each['edges']:,} "
        f"| {each['units']:,} | {each['peak_mb']:,} | {len(each['problems'])} |\n"
        for each in facts["targets"]
    ]
    problems = [
        f"- {problem.partition('; the input')[0]}\n" for each in facts["targets"] for problem in each["problems"]
    ]
    return (
        f"## {facts['day']}, {facts['machine']}, {facts['at_a_time']} targets at a time, seed {facts['seed']}\n\n"
        + COLUMNS
        + "".join(rows)
        + ("\n" if problems else "")
        + "".join(problems)
        + "\n"
    )


def found() -> str:
    names = sorted(path.relative_to(CORPUS) for path in CORPUS.glob("*/found_*"))
    lines = [f"- {name.parent}: {name.name.removeprefix('found_').replace('_', ' ')}\n" for name in names]
    return "## Found and mended, kept in the corpus\n\n" + "".join(lines)


def page(records: list[dict]) -> str:
    return HEAD + "".join(section(record) for record in records) + found()
