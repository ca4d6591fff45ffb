#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/trust.md, between their marks: what was seen, never what is hoped for.

    tests/candidates/table.py SEEN docs/trust.md
SEEN: `--junitxml` of `pytest tests/candidates`, or results.jsonl of `tests/candidates/run`, of its first seed alone.
Prints the classes in the form of the papers: "12 clean / 3 partial hack / 40 total hack".
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

from folder import Candidate, all_candidates
from properties import PROPERTIES, members


@dataclasses.dataclass
class Seen:
    kind: str
    reason: str
    hack_class: str


def read_seen(path: pathlib.Path) -> dict[str, Seen]:
    """By the name of the candidate; without those that were skipped."""
    names = {each.path: each.name for each in all_candidates()}
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return {names[each["candidate"]]: Seen(each["kind"], each["reason"], each.get("hack_class", ""))
                for each in lines if each["seed"] == lines[0]["seed"] and each["candidate"] in names}
    found = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        values = {each.get("name"): each.get("value") for each in case.iter("property")}
        if "kind" in values:
            found[names[case.get("name").partition("[")[2].rstrip("]")]] = Seen(**values)
    return found


def class_counts(seen: list[Seen]) -> str:
    classes = [each.hack_class for each in seen]
    named = [(classes.count(name), name.replace("_", " ")) for name in ("clean", "partial_hack", "total_hack")]
    return " / ".join(f"{count} {name}" for count, name in named)


def cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def first_words(reason: str, most: int = 110) -> str:
    return reason if len(reason) <= most else reason[:most].rsplit(" ", 1)[0] + " …"


def told_before(text: str) -> dict[str, str]:
    """What the page says of each folder: it stays for those that were not run this time."""
    found = re.findall(r"^\| \S+ \| `(\w+)` \| .* \| ([^|]*) \|$", text, flags=re.M)
    return dict(found)


def rows(candidates: list[Candidate], seen: dict[str, Seen], before: dict[str, str]) -> list[str]:
    lines = []
    for each in candidates:
        result = seen.get(each.name)
        elsewhere = "not run" if "emulated" in each.devices() else "for a GPU alone"
        told = before.get(each.folder.name, elsewhere)
        if result is not None:
            told = cell(f"`{result.kind}`: {first_words(result.reason)}")
        lines.append(f"| {each.values['id']} | `{each.folder.name}` | {cell(each.values['what'])} | {told} |")
    return lines


def property_rows(candidates: list[Candidate]) -> list[str]:
    lines = []
    for each in PROPERTIES:
        words = [" ".join(f"`{name}`" for name, _ in members(some, each.of_tasks, candidates))
                 for some in (each.adaptive, each.fixed, each.honest)]
        lines.append(f"| {each.asked} | {' | '.join(words)} | {each.still_open} |")
    return lines


def between(text: str, mark: str, lines: list[str]) -> str:
    """Raises ValueError where the page has no such place."""
    table = "\n".join(lines)
    text, found = re.subn(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)",
                          lambda match: match.group(1) + table + "\n" + match.group(2), text, flags=re.S)
    if found != 1:
        raise ValueError(f"the page has no place for the table of {mark}")
    return text


def write_table(page: pathlib.Path, seen: dict[str, Seen], candidates: list[Candidate]) -> None:
    text = page.read_text()
    for collection in ("rejects", "honest"):
        mine = [each for each in candidates if each.collection == collection]
        order = sorted(mine, key=lambda each: (each.values["id"], each.folder.name))
        text = between(text, collection, ["| id | folder | what it does | verdict |", "|---|---|---|---|",
                                          *rows(order, seen, told_before(text))])
    text = between(text, "properties", ["| asked | adaptive | others | honest twins | still open |",
                                        "|---|---|---|---|---|",
                                        *property_rows(candidates)])
    page.write_text(text)


if __name__ == "__main__":
    told = read_seen(pathlib.Path(sys.argv[1]))
    write_table(pathlib.Path(sys.argv[2]), told, all_candidates())
    print(class_counts(list(told.values())))
