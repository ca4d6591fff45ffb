# SPDX-License-Identifier: Apache-2.0
"""Reads a SIZES file: a table beside programs that says at which sizes they are run, and how much work that is."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..failures import PROGRAM_INVALID, Failure


@dataclass(frozen=True)
class SizesRow:
    """One program: its constants and counted work at full and at small size."""

    file: str
    full: dict[str, int]
    full_gflop: float
    small: dict[str, int]
    small_mflop: float


def read_sizes(path: str) -> list[SizesRow]:
    """The rows of a SIZES file: `file | NAME=1 NAME=2 | GFLOP | NAME=1 NAME=2 | MFLOP`, # begins a comment."""
    rows = []
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            text = line.partition("#")[0].strip()
            if not text:
                continue
            try:
                file, full, full_gflop, small, small_mflop = (cell.strip() for cell in text.split("|"))
                rows.append(SizesRow(file, _sizes(full), float(full_gflop), _sizes(small), float(small_mflop)))
            except ValueError as error:
                message = f"Line {number} of {path} is no row of sizes."
                raise Failure(
                    PROGRAM_INVALID, message, f"{path}:{number}", "Follow the file's first lines."
                ) from error
    return rows


def _sizes(text: str) -> dict[str, int]:
    pairs = (item.split("=") for item in text.split())
    return {name: int(value) for name, value in pairs}


def small_sizes(program_file: str) -> dict[str, int] | None:
    """The small sizes of a program that a SIZES file in its folder lists; None where there is none."""
    path = os.path.join(os.path.dirname(program_file), "SIZES")
    if not os.path.isfile(path):
        return None
    rows = {row.file: row.small for row in read_sizes(path)}
    return rows.get(os.path.basename(program_file))
