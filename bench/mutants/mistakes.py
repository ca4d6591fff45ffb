# SPDX-License-Identifier: Apache-2.0
"""A mistake as an edit of a file's text: what all finders of mistakes share."""
from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    start: int  # offset in the file
    stop: int
    text: str


@dataclass(frozen=True)
class Site:
    kind: str
    file: str
    line: int
    before: str  # the line as it was, stripped
    after: str  # what stands there instead
    edits: tuple[Edit, ...]
    ordinal: int = 0  # among equal mistakes on equal lines of the file

    @property
    def identity(self) -> str:
        """Stays the same while file, line's text and mistake do; names the site in the list of equivalent mutants."""
        text = "\0".join((self.kind, self.file, self.before, self.after, str(self.ordinal)))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def apply(self, text: str) -> str:
        for edit in sorted(self.edits, key=lambda item: -item.start):
            text = text[: edit.start] + edit.text + text[edit.stop :]
        return self.control(text)

    def control(self, text: str) -> str:
        """The text with all that the mutant needs but its mistake: what its library is compared with."""
        return _with_half(text) if self.kind == "accumulator" else text

    def trapped(self, text: str) -> str:
        """The text with a trap in front of each statement that the mistake would change: a program that still verifies
        never runs them."""
        code = blanked(text)
        for edit in sorted(self.edits, key=lambda item: -item.start):
            at = _statement_start(code, edit.start)
            text = text[:at] + " __trap();" + text[at:]
        return text


def _statement_start(code: str, at: int) -> int:
    """Just behind the semicolon or brace before the statement around `at`, outside of all its parentheses and of the
    braces of its initialisers."""
    depth = 0
    for place in range(at - 1, -1, -1):
        letter = code[place]
        if letter == ")" or (letter == "}" and code[place + 1] in ",;)}.["):
            depth += 1
        elif letter == "(" or (letter == "{" and not _opens_block(code, place)):
            depth = max(0, depth - 1)
        elif letter in ";{}" and depth == 0:
            # A semicolon inside a loop's head is no end of a statement.
            head = code.rfind("for (", 0, place)
            if letter == ";" and head >= 0 and code.count("(", head, place) > code.count(")", head, place):
                continue
            return place + 1
    return 0


def _opens_block(code: str, place: int) -> bool:
    """Whether the brace at `place` begins a block, which stands after a blank; that of an initialiser does so only
    after `return`, an operator, a comma or a parenthesis."""
    return code[place - 1] in " \n" and not re.search(r"(?:\breturn|[=,(?:+*-])\s*$", code[:place])


def _with_half(text: str) -> str:
    """The text with fp16 declared, on a blank line or one that held only a comment, so that no other line moves."""
    found = re.search(r"^(?://[^\n]*)?\n(?=#include)", text, re.M)
    at = found.start() if found else 0
    stop = found.end() if found else 0
    return text[:at] + "#include <cuda_fp16.h>\n" + text[stop:]


def blanked(text: str) -> str:
    """The text with comments, strings and preprocessor lines replaced by spaces of the same length."""
    pattern = re.compile(
        r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#[^\n]*|static_assert\([^;]*;", re.S | re.M
    )
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), text)


def make_site(kind: str, file: str, text: str, edits: list[Edit]) -> Site:
    first = edits[0]
    begin = text.rfind("\n", 0, first.start) + 1
    end = text.find("\n", first.stop)
    end = len(text) if end < 0 else end
    after = text[begin : first.start] + first.text + text[first.stop : end]
    squeeze = lambda words: " ".join(words.split())  # noqa: E731
    line = text.count("\n", 0, first.start) + 1
    return Site(kind, file, line, squeeze(text[begin:end]), squeeze(after), tuple(edits))


def line_around(code: str, start: int, stop: int) -> str:
    end = code.find("\n", stop)
    return code[code.rfind("\n", 0, start) + 1 : len(code) if end < 0 else end]
