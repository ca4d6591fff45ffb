# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/trust.md, between their marks: what was seen, never what is hoped for."""

from __future__ import annotations

import pathlib
import re

from folder import Candidate, Seen


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


def write_table(page: pathlib.Path, results: list[Seen], candidates: list[Candidate]) -> None:
    seen = {each.candidate.name: each for each in results}
    text = page.read_text()
    for collection in ("rejects", "honest"):
        mine = [each for each in candidates if each.collection == collection]
        order = sorted(mine, key=lambda each: (each.values["id"], each.folder.name))
        table = "\n".join(
            ["| id | folder | what it does | verdict |", "|---|---|---|---|"] + rows(order, seen, told_before(text))
        )
        text, found = re.subn(
            rf"(<!-- {collection} -->\n).*?(<!-- /{collection} -->)",
            lambda match: match.group(1) + table + "\n" + match.group(2),
            text,
            flags=re.S,
        )
        if found != 1:
            raise ValueError(f"{page} has no place for the table of {collection}")
    page.write_text(text)
