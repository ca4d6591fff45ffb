# SPDX-License-Identifier: Apache-2.0
"""Every key that docs/training.md has in a table of keys is one that `train --dry-run` and chains know."""
from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def documented(text: str) -> list[str]:
    """Of tables that begin with the column `key`: `a.b`, `.c` are a.b and a.c."""
    keys: list[str] = []
    is_inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            is_inside = False
        elif cells[0] == "key":
            is_inside = True
        elif is_inside and not set(cells[0]) <= {"-"}:
            for word in re.findall(r"`([a-z_.0-9]+)`", cells[0]):
                keys.append(keys[-1].rpartition(".")[0] + word if word.startswith(".") else word)
    return keys


def test_keys_of_tables_are_read_as_they_are_meant() -> None:
    table = "| key | value |\n|---|---|\n| `a.b`, `.c` | `no` |\n| `d` or `e.f` | |\n\n| kind | x |\n| `g` | |\n"
    assert documented(table) == ["a.b", "a.c", "d", "e.f"]


def test_the_dry_run_knows_what_is_documented() -> None:
    known = re.findall(r'^STITCH_KEY\("([^"]+)"', (ROOT / "src/recipe/keys/keys.def").read_text(), re.MULTILINE)
    keys = documented((ROOT / "docs" / "training.md").read_text())
    assert len(keys) > 70
    unknown = [key for key in keys if key not in known and not any(each.startswith(key + ".") for each in known)]
    assert unknown == []
