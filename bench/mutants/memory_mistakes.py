# SPDX-License-Identifier: Apache-2.0
"""Mistakes in where a kernel reads and writes, and in when: elements, strides, guards, blocks, barriers, buffers."""
from __future__ import annotations

import re
from collections.abc import Iterator

from mistakes import Edit, Site, make_site

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
            yield make_site("index", file, text, [Edit(found.start(2), found.end(2), replaced)])
    for found in _GROUP.finditer(code):
        yield make_site("index", file, text, [Edit(found.start(1), found.end(1), f"{found.group(1)} + 1")])


def _barrier(file: str, text: str, code: str) -> Iterator[Site]:
    for found in re.finditer(r"__sync(?:threads|warp)\([^;]*\);", code):
        yield make_site("barrier", file, text, [Edit(found.start(), found.end(), ";")])


_STRIDED = re.compile(r"(?<![/%*] )(?<![\w.])(\w+) \* (\w*[sS]tride\w*) \+ (\w+)\b(?!\s*(?:[*/%(.\[<]|::))")


def _stride(file: str, text: str, code: str) -> Iterator[Site]:
    for found in _STRIDED.finditer(code):
        swapped = f"{found.group(3)} * {found.group(2)} + {found.group(1)}"
        yield make_site("stride", file, text, [Edit(found.start(), found.end(), swapped)])
    pair = re.compile(r"\.row_stride = ([^,\n]+),(\s*)\.column_stride = ([^,\n]+),")
    for found in pair.finditer(code):
        swapped = f".row_stride = {found.group(3)},{found.group(2)}.column_stride = {found.group(1)},"
        yield make_site("stride", file, text, [Edit(found.start(), found.end(), swapped)])


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
        yield make_site("guard", file, text, [Edit(found.start(), found.end(), "true")])
    for found in _OUTSIDE.finditer(code):
        yield make_site("guard", file, text, [Edit(found.start(1), found.end(1), "false")])


_WHOLE_BLOCKS = re.compile(r"\bceil_divide\((?P<count>[^(),]+(?:\([^()]*\)[^(),]*)?), (?P<block>[^(),]+)\)")


def _grid(file: str, text: str, code: str) -> Iterator[Site]:
    """The last part, when it is not a whole one, is forgotten."""
    for found in _WHOLE_BLOCKS.finditer(code):
        if found["count"].startswith("int64_t "):
            continue  # the definition
        replaced = f"(({found['count']}) / ({found['block']}))"
        yield make_site("grid", file, text, [Edit(found.start(), found.end(), replaced)])


_OTHER_BUFFER = re.compile(r"\b\w+ \^ 1\b|\(\w+ [+-] \w+\) % (?:2|k\w*(?:Stages|Buffers)\w*)\b")


def _stale(file: str, text: str, code: str) -> Iterator[Site]:
    """The buffer of the step before, in place of this step's."""
    for found in _OTHER_BUFFER.finditer(code):
        word = re.match(r"\(?(\w+)", found.group(0)).group(1)
        modulus = re.search(r"%.*", found.group(0))
        replaced = f"{word} {modulus.group(0)}" if modulus else word
        yield make_site("stale", file, text, [Edit(found.start(), found.end(), replaced)])


MEMORY_MISTAKES = {
    "index": _index,
    "stride": _stride,
    "guard": _guard,
    "grid": _grid,
    "barrier": _barrier,
    "stale": _stale,
}
