# SPDX-License-Identifier: Apache-2.0
"""A preprocessed unit without what came from elsewhere. The compiler that builds it has expanded its macros and chosen
its branches; headers of others are included again by name, because clang does not take g++'s expansion of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Callable

_MARKER = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)\s*$')
_ENTERS = "1"
_RETURNS = "2"


@dataclass
class OwnText:
    """Text to parse, and where each of its lines stood."""

    lines: list[str] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def place(self, line: int) -> tuple[str, int]:
        """Of a line of `text`, counted from 1."""
        return self.places[line - 1] if 0 < line <= len(self.places) else ("", 0)

    def add(self, line: str, place: tuple[str, int]) -> None:
        self.lines.append(line)
        self.places.append(place)


def own_text(preprocessed: str, is_own: Callable[[str], bool], name_of: Callable[[str], str]) -> OwnText:
    """`is_own`: whether an included file is the candidate's. A file that another's header includes never is.
    `name_of`: how one that is not is included again, "<vector>"."""
    own = OwnText()
    foreign_depth = 0
    file, number = "", 1
    for line in preprocessed.split("\n"):
        marker = _MARKER.match(line)
        if marker is None:
            if foreign_depth == 0:
                own.add(line, (file, number))
            number += 1
            continue
        path, flags = _unquoted(marker[2]), marker[3].split()
        if _ENTERS in flags and (foreign_depth > 0 or not is_own(path)):
            if foreign_depth == 0:
                own.add("#include " + name_of(path), (file, number))
            foreign_depth += 1
        elif _RETURNS in flags and foreign_depth > 0:
            foreign_depth -= 1
        if foreign_depth == 0:
            file, number = path, int(marker[1])
    return own


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
