# SPDX-License-Identifier: Apache-2.0
"""A case file: what is bad, the files to lay out, the command, and how it must end.

    # one or more lines: what is bad, and what must come of it
    needs: base                  (optional; what must be laid out first or be there: see `NEEDS`)
    long: yes                    (optional; only with --long)
    deadline_s: 90               (optional; 60 by default)
    leaves: out/* base/report    (optional; patterns of files that the command may make, change or remove)
    file NAME:                   (any number; a block, indented by two spaces)
    setup:                       (optional block of bash, run before the folder is looked at)
    run: stitchcuda optimize program.py --out out --quiet      (bash; one line, or a block)
    exit: 3
    expect:                      (block: standard error, paths and times made alike)
"""
from __future__ import annotations

import dataclasses
import os
import pathlib

# base: the folder `base` of a verified program, `base.py` beside it. Without one of the others the case is skipped;
# little-memory: a program that runs under a limit of address space, as none does under AddressSanitizer.
NEEDS = ("base", "gpu", "no-gpu", "mount", "not-root", "little-memory")
KEYS = ("needs", "long", "deadline_s", "leaves", "setup", "run", "exit", "expect")


@dataclasses.dataclass
class Case:
    path: pathlib.Path
    about: str
    files: dict[str, str]
    values: dict[str, str]

    @property
    def name(self) -> str:
        return self.path.stem

    def words(self, key: str) -> list[str]:
        return self.values.get(key, "").split()

    def deadline_s(self) -> float:
        """On a machine that does other work too, STITCH_TEST_PATIENCE says how many times as long a case may take."""
        return float(self.values.get("deadline_s", "60")) * float(os.environ.get("STITCH_TEST_PATIENCE", "1"))

    def is_long(self) -> bool:
        return self.values.get("long") == "yes"


def read_case(path: pathlib.Path) -> Case:
    """Raises ValueError for a file that is no case: a case that is read wrongly would pass for no reason."""
    about, files, values, block = [], {}, {}, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("# ") and not values and not files:
            about.append(line[2:])
        elif block is not None and (line.startswith("  ") or not line):
            block.append(line[2:])
        elif line.startswith("file ") and line.endswith(":"):
            block = files.setdefault(line[5:-1], [])
        elif line.partition(":")[0] in KEYS:
            key, _, text = line.partition(":")
            block = values.setdefault(key, [])
            if text.strip():
                values[key], block = [text.strip()], None
        elif line:
            raise ValueError(f"{path}:{number}: neither a key nor part of a block: {line}")
    case = Case(path, "\n".join(about), {name: text_of(lines) for name, lines in files.items()},
                {key: text_of(lines).rstrip("\n") for key, lines in values.items()})
    unknown = [need for need in case.words("needs") if need not in NEEDS]
    if not about or unknown or "run" not in values:
        raise ValueError(f"{path}: a case says what is bad, what to run, and needs only what there is {unknown}")
    return case


def text_of(lines: list[str]) -> str:
    while lines and not lines[-1]:
        lines.pop()
    return "".join(line + "\n" for line in lines)


def with_expectation(case: Case, exit_code: int, standard_error: str) -> str:
    """The text of the case file with what was seen in the place of what it expects; `exit` and `expect` are last."""
    kept = []
    for line in case.path.read_text().splitlines():
        if line.partition(":")[0] in ("exit", "expect") and not line.startswith(" "):
            break
        kept.append(line)
    kept += [f"exit: {exit_code}", "expect:"] + ["  " + line if line else "" for line in standard_error.splitlines()]
    return "\n".join(kept) + "\n"
