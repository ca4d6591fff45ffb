# SPDX-License-Identifier: Apache-2.0
"""One unit: preprocessed by the compiler that builds it, parsed by clang."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

from clang.cindex import Cursor, Diagnostic, Index, SourceLocation, TranslationUnit

from .assembly import assembly
from .facts import MAX_FACTS, Fact
from .finder import Finder
from .own_text import OwnText, own_text

_NAME = "unit.cpp"
# PyTorch's headers, in the place of which a short one is parsed.
_TORCH = re.compile(r"(?:^|/)(?:torch|ATen|c10|pybind11|caffe2|stitch_emulator/torch)/|/stitch_emulator_torch\.h$")
_FOR_TORCH = "<stitch_emulator/torch_for_reading.h>"
_FORGED_MARKER = re.compile(r"^\s*(?:#|%:|\?\?=)\s*\d", re.M)


class Unreadable(Exception):
    """The compiler or clang could make nothing of it; a sentence."""


def read_unit(command: list[str], unit: str, folder: pathlib.Path, header: pathlib.Path) -> list[Fact]:
    """`command`: the compiler with its options, without -c, -o and the unit, which lies in `folder`; `header` comes
    after what these include."""
    text, folders = _preprocessed(command, unit, folder, header)
    own = own_text(
        text,
        lambda path: _is_below(folder, path),
        lambda path: _included_name(path, folders),
    )
    arguments = ["-x", "c++", "-std=c++20", "-w", "-ferror-limit=0", "-fno-spell-checking", "-nostdinc"]
    arguments += [word for path in folders for word in ("-isystem", path)]
    os.chdir(folder)
    try:
        parsed = Index.create().parse(_NAME, arguments, [(_NAME, own.text)])
    except Exception as error:  # clang's own exceptions have no common class
        raise Unreadable(f"clang cannot parse it: {error}") from error
    return sorted(_facts_of(parsed, own) + _forged_markers(folder), key=lambda fact: (fact.file, fact.line, fact.what))


def _preprocessed(command: list[str], unit: str, folder: pathlib.Path, header: pathlib.Path) -> tuple[str, list[str]]:
    """The text, and where the compiler looks for headers, in its order."""
    words = command + ["-include", str(header), "-E", "-v", "-x", "c++", unit]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    before, _, told = done.stderr.partition("#include <...> search starts here:")
    listed, _, said = told.partition("End of search list.")
    if done.returncode != 0:
        raise Unreadable("the preprocessor failed: " + (said or before).strip()[-500:])
    return done.stdout, [line.strip() for line in listed.splitlines() if line.strip()]


def _included_name(path: str, folders: list[str]) -> str:
    """As a search finds it: a header that goes on to the next of its name must not be included by its whole path."""
    if _TORCH.search(path):
        return _FOR_TORCH
    for folder in folders:
        if path.startswith(folder.rstrip("/") + "/"):
            return f"<{path[len(folder.rstrip('/')) + 1:]}>"
    return f'"{path}"'


def _is_below(folder: pathlib.Path, path: str) -> bool:
    return (folder / path).resolve().is_relative_to(folder.resolve())


def _facts_of(parsed: TranslationUnit, own: OwnText) -> list[Fact]:
    facts: dict[tuple[str, int, str], Fact] = {}

    def tell_at(
        location: SourceLocation, what: str, audit: bool = False, refused: bool = False, uncompilable: bool = False
    ) -> None:
        file, line = own.place(location.line)
        if len(facts) < MAX_FACTS or refused or uncompilable:
            facts.setdefault((file, line, what), Fact(file, line, what, audit, refused, uncompilable))

    def is_own(cursor: Cursor) -> bool:
        return cursor.location.file is not None and cursor.location.file.name == _NAME

    def tell(cursor: Cursor, what: str, audit: bool = False, uncompilable: bool = False) -> None:
        tell_at(cursor.location, what, audit, uncompilable=uncompilable)

    finder = Finder(tell, is_own, own.text.encode())
    try:
        finder.look_at([each for each in parsed.cursor.get_children() if is_own(each)])
    except RecursionError:
        facts[("", 0, "")] = Fact("", 0, "nests too deeply to be looked through", audit=True)
    tokens = list(parsed.get_tokens(extent=parsed.cursor.extent))
    for token, what, audit, refused in assembly(tokens):
        tell_at(token.location, what, audit, refused)
    errors = [each for each in parsed.diagnostics if each.severity >= Diagnostic.Error]
    ours = [each for each in errors if each.location.file is not None and each.location.file.name == _NAME]
    if ours and _FOR_TORCH not in own.text:
        tell_at(ours[0].location, f"clang does not understand {len(ours)} places, the first: {ours[0].spelling}")
    return list(facts.values())


def _forged_markers(folder: pathlib.Path) -> list[Fact]:
    """Lines that only a preprocessor writes, by which a file could pass for another's."""
    facts = []
    for path in sorted(folder.rglob("*")):
        text = path.read_text(errors="replace") if path.is_file() else ""
        for match in _FORGED_MARKER.finditer(text):
            line = text.count("\n", 0, match.end())  # the rewriter put one on top, which says whose the rest are
            facts.append(Fact(str(path.relative_to(folder)), line, "writes a preprocessor's own marker", audit=True))
    return facts
