# SPDX-License-Identifier: Apache-2.0
"""Margins of mutants: programs of ours with one mistake in a line, as bench/mutants/run records their verdicts."""

from __future__ import annotations

import dataclasses
import math
import pathlib
import re

ACCEPTED = 4.0
COLUMNS = 7  # of the tables of bench/mutants/run


@dataclasses.dataclass
class Mutant:
    family: str
    program: str
    kind: str
    mistake: str
    ratio: float  # of the worst element to the reference's own error; infinite where it is no number


def mutants(record: pathlib.Path) -> list[Mutant]:
    """Those that were refused for their numbers; others crashed, wrote outside or never ended."""
    found = []
    for line in record.read_text().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != COLUMNS or not cells[5].startswith("wrong"):
            continue
        ratio = re.search(r"([\d.]+(?:e[+-]\d+)?) times the reference", cells[5])
        if ratio is None and not re.search(r"got -?(nan|inf)", cells[5]):
            continue
        found.append(Mutant(cells[0], cells[1], cells[2], cells[4], float(ratio[1]) if ratio else math.inf))
    return found


def section(record: pathlib.Path) -> str:
    found = sorted(mutants(record), key=lambda each: each.ratio)
    finite = [each for each in found if math.isfinite(each.ratio)]
    if not finite:
        return ""
    rows = [
        f"| {each.family} | {each.program} | {each.kind} | {each.ratio:.3g} | {each.ratio / ACCEPTED:.3g} "
        f"| {each.mistake.replace('|', chr(92) + '|')} |"
        for each in finite
    ]
    return (
        f"\n## Mutants, the closest first\n\nOf `{record.name}`, {len(found)} that were refused for their numbers, "
        f"{len(found) - len(finite)} of them at an element that is none; of the others the smallest error "
        f"{finite[0].ratio:.3g} (margin {finite[0].ratio / ACCEPTED:.3g}).\n\n"
        "| family | program | kind | error | margin | mistake |\n|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )
