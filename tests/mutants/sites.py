# SPDX-License-Identifier: Apache-2.0
"""Finds places in CUDA text where one small mistake can be made, of seven kinds.

Works on lines with comments and strings blanked out, so that no site lies in prose. A site is a replacement of one
stretch of text, or of several in one file, where the same mistake is written twice: once for vectors, once for scalars.
"""
from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

KINDS = ("index", "barrier", "stride", "guard", "bias", "accumulator", "statistic")


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
    """Just behind the semicolon or brace before the statement around `at`, outside of all its parentheses."""
    depth = 0
    for place in range(at - 1, -1, -1):
        letter = code[place]
        if letter == ")":
            depth += 1
        elif letter == "(":
            depth = max(0, depth - 1)
        elif letter in ";{}" and depth == 0:
            # A semicolon inside a loop's head is no end of a statement.
            head = code.rfind("for (", 0, place)
            if letter == ";" and head >= 0 and code.count("(", head, place) > code.count(")", head, place):
                continue
            return place + 1
    return 0


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


def find_sites(file: str, text: str) -> list[Site]:
    """All sites of a file, in its order."""
    code = blanked(text)
    sites = [site for finder in _FINDERS for site in finder(file, text, code)]
    sites.sort(key=lambda site: (site.edits[0].start, site.kind, site.after))
    seen: dict[tuple[str, str, str], int] = {}
    numbered = []
    for site in sites:
        key = (site.kind, site.before, site.after)
        numbered.append(replace(site, ordinal=seen.get(key, 0)))
        seen[key] = seen.get(key, 0) + 1
    return numbered


def _site(kind: str, file: str, text: str, edits: list[Edit]) -> Site:
    first = edits[0]
    begin = text.rfind("\n", 0, first.start) + 1
    end = text.find("\n", first.stop)
    end = len(text) if end < 0 else end
    after = text[begin : first.start] + first.text + text[first.stop : end]
    squeeze = lambda words: " ".join(words.split())  # noqa: E731
    line = text.count("\n", 0, first.start) + 1
    return Site(kind, file, line, squeeze(text[begin:end]), squeeze(after), tuple(edits))


# Reads and writes of elements: pointer[i], and pointer + i where a group of neighbours is loaded or stored.
_SUBSCRIPT = re.compile(r"(?<![\w>\]])([A-Za-z_]\w*)\[([^\[\]\n]+)\]")
_GROUP = re.compile(r"\b(?:load|store)\w*lanes(?:<\w+>)?\((\w[^,()]*\+[^,()]*)(?=[,)])")
_NOT_ELEMENTS = {"tensors", "extents", "struct_size"}


def _index(file: str, text: str, code: str) -> Iterator[Site]:
    for found in _SUBSCRIPT.finditer(code):
        line = code[code.rfind("\n", 0, found.start()) + 1 : found.start()]
        declares = re.search(r"(?:\b(?:float|int|int64_t|auto|Lanes<[^>]*>|\w+)[>&*]*|\()\s+$", line) is not None
        if declares and not re.search(r"(?:[=+\-*/(,<>?:]|return)\s*$", line):
            continue
        if found.group(1) in _NOT_ELEMENTS or found.group(2).strip() in ("", "=", "&") or found.group(2).isupper():
            continue
        for sign in ("+", "-"):
            replaced = f"{found.group(2)} {sign} 1"
            yield _site("index", file, text, [Edit(found.start(2), found.end(2), replaced)])
    for found in _GROUP.finditer(code):
        yield _site("index", file, text, [Edit(found.start(1), found.end(1), f"{found.group(1)} + 1")])


def _barrier(file: str, text: str, code: str) -> Iterator[Site]:
    for found in re.finditer(r"__sync(?:threads|warp)\([^;]*\);", code):
        yield _site("barrier", file, text, [Edit(found.start(), found.end(), ";")])


_STRIDED = re.compile(r"(?<![/%*] )(?<![\w.])(\w+) \* (\w*[sS]tride\w*) \+ (\w+)\b(?!\s*(?:[*/%(.\[<]|::))")


def _stride(file: str, text: str, code: str) -> Iterator[Site]:
    for found in _STRIDED.finditer(code):
        swapped = f"{found.group(3)} * {found.group(2)} + {found.group(1)}"
        yield _site("stride", file, text, [Edit(found.start(), found.end(), swapped)])
    pair = re.compile(r"\.row_stride = ([^,\n]+),(\s*)\.column_stride = ([^,\n]+),")
    for found in pair.finditer(code):
        swapped = f".row_stride = {found.group(3)},{found.group(2)}.column_stride = {found.group(1)},"
        yield _site("stride", file, text, [Edit(found.start(), found.end(), swapped)])


# A coordinate against an extent, in a condition that is no loop.
_LIMIT = (
    r"(?:\w+\.)?\w*(?:rows|columns|height|width|queries|keys|groups|kept|outputs|dimension|extent|end|count"
    r"|\bm|\bn|\bk)\b\w*"
)
_INSIDE = re.compile(rf"(?<![\w.:])(?<!\+ )[\w.]+(?: \+ [\w:]+)? < (?:{_LIMIT})(?!\w*\(| [+\-*])")
_OUTSIDE = re.compile(rf"if \(([\w.]+ >= (?:{_LIMIT}))\) \{{\s*return")


def _guard(file: str, text: str, code: str) -> Iterator[Site]:
    for found in _INSIDE.finditer(code):
        line_start = code.rfind("\n", 0, found.start()) + 1
        line = code[line_start : code.find("\n", found.end())]
        if re.match(r"\s*(?:for|while)\b", line) or "template" in line or "constexpr" in line or "static" in line:
            continue
        if not re.search(r"\bif\b|&&|\?|return|const bool", line):
            continue
        yield _site("guard", file, text, [Edit(found.start(), found.end(), "true")])
    for found in _OUTSIDE.finditer(code):
        yield _site("guard", file, text, [Edit(found.start(1), found.end(1), "false")])


def _bias(file: str, text: str, code: str) -> Iterator[Site]:
    by_name: dict[str, list[Edit]] = {}
    for found in re.finditer(r" \+ (\w*bias\w*?)(?:_lanes|_value)?(?:\[\w+\])?(?=;|,|\)| )", code):
        by_name.setdefault(found.group(1), []).append(Edit(found.start(), found.end(), ""))
    for edits in by_name.values():
        yield _site("bias", file, text, edits)


_HALF = "__half2float(__float2half({}))"
_TOTAL = r"(?:\w*sums?_?|part|\w*total\w*|output_|mean|squared_deviations|accumulator\w*)"


def _accumulator(file: str, text: str, code: str) -> Iterator[Site]:
    plus = re.compile(rf"(?<![\w.>])((?:\w+\.)?{_TOTAL}(?:\[[^\]]*\])*) \+= ([^;]+);")
    for found in plus.finditer(code):
        line = code[code.rfind("\n", 0, found.start()) + 1 : found.start()]
        in_loop_head = "for (" in line and line.count("(") > line.count(")")
        if not in_loop_head and not re.search(r"\bint\b|int64_t", found.group(0)):
            replaced = f"{found.group(1)} = " + _HALF.format(f"{found.group(1)} + ({found.group(2)})") + ";"
            yield _site("accumulator", file, text, [Edit(found.start(), found.end(), replaced)])
    fused = re.compile(rf"({_TOTAL}(?:\[[^\]]*\])+) = (fmaf\(.*?\));", re.S)
    for found in fused.finditer(code):
        replaced = f"{found.group(1)} = " + _HALF.format(found.group(2)) + ";"
        yield _site("accumulator", file, text, [Edit(found.start(), found.end(), replaced)])


def _statistic(file: str, text: str, code: str) -> Iterator[Site]:
    """A running statistic that is written back as it was read: where the kept and the added share are joined."""
    joined = re.compile(r"const float \w*running_(?:mean|variance)\w* = (\w+_kept\w*) \+ \w+;")
    for found in joined.finditer(code):
        kept = re.search(rf"const float {found.group(1)} = (?:\w+ \* )?(\w*running_\w+)", code)
        old = kept.group(1) if kept else found.group(1)
        at = code.index("=", found.start()) + 2
        yield _site("statistic", file, text, [Edit(at, found.end() - 1, old)])


_FINDERS: tuple[Callable[[str, str, str], Iterator[Site]], ...] = (
    _index,
    _barrier,
    _stride,
    _guard,
    _bias,
    _accumulator,
    _statistic,
)
