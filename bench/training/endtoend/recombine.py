# SPDX-License-Identifier: Apache-2.0
"""New pointwise programs of the lines of known ones, each line with the expert's arithmetic: whoever has learned from a
few hundred programs alone knows them by heart, and copies nothing."""
from __future__ import annotations

import dataclasses
import random
import re

import expert

BODY = re.compile(r"(def forward\(self, x\):\n)((?:        x = .*\n)+)(        return x\n)")


@dataclasses.dataclass(frozen=True)
class Line:
    """A line that computes x from x. Its statements call what they read {x}, and their own values {0}, {1}."""

    source: str
    statements: tuple[str, ...]
    kind: str


def lines_of(program: str, pointwise: expert.Pointwise) -> list[tuple[str, tuple[str, ...]]]:
    """Empty where the expert's statements are not those of the program's lines, one after the other."""
    body = BODY.search(program) if pointwise.input == "x" else None
    sources = [line.strip() for line in body[2].splitlines()] if body else []
    found: list[tuple[str, list[str]]] = []
    for source, statement in zip(pointwise.sources, pointwise.statements, strict=True):
        if not found or found[-1][0] != source:
            found.append((source, []))
        found[-1][1].append(statement)
    if not sources or [source for source, _ in found] != sources:
        return []
    before, lines = pointwise.input, []
    for source, statements in found:
        names = {statement.split()[2]: f"{{{place}}}" for place, statement in enumerate(statements)}
        last = statements[-1].split()[2]
        known = {**names, before: "{x}"}
        text = [re.sub(r"\b(v\d+|x)\b", lambda name: known.get(name[0], "{}"), statement) for statement in statements]
        if "{}" in "".join(text):
            return []  # it reads what an earlier line computed
        lines.append((source, tuple(text)))
        before = last
    return lines if before == pointwise.result else []


def functions_in(source: str) -> tuple[str, ...]:
    return tuple(re.findall(r"(?:torch|F)\.(\w+)", source))


class Lines:
    """All lines whose kind is known: the one kind that the families of all programs with these functions have in
    common. What is made of them is of no family that is held out."""

    def __init__(self, known: list[tuple[str, str, expert.Pointwise]], held_out: set[str], longest: int = 5):
        """`known`: family, program and arithmetic of each that may be learned from. `longest`: lines of a program."""
        self.held_out, self.longest = held_out, longest
        kinds: dict[tuple[str, ...], set[str]] = {}
        found = []
        for family, program, pointwise in known:
            for source, statements in lines_of(program, pointwise):
                found.append((source, statements))
                key = functions_in(source)
                kinds[key] = kinds.get(key, set(family.split("+"))) & set(family.split("+"))
        self.lines = [Line(source, statements, *kinds[functions_in(source)])
                      for source, statements in dict(found).items() if len(kinds[functions_in(source)]) == 1]

    def drawn(self, draw: random.Random) -> list[Line]:
        while True:
            chain = draw.sample(self.lines, draw.randint(1, min(self.longest, len(self.lines))))
            if "+".join(sorted({line.kind for line in chain})) not in self.held_out:
                return chain


def joined(chain: list[Line], program: str, pointwise: expert.Pointwise) -> tuple[str, expert.Pointwise]:
    """The program with these lines in the place of its own, and its arithmetic."""
    statements, sources, before = [], [], pointwise.input
    for line in chain:
        names = {"x": before}
        for place, statement in enumerate(line.statements):
            names[str(place)] = f"v{len(statements) + 1}"
            statements.append(re.sub(r"\{(\w+)\}", lambda name: names[name[1]], statement))
            sources.append(line.source)
        before = statements[-1].split()[2]
    body = "".join(f"        {line.source}\n" for line in chain)
    text = BODY.sub(lambda found: found[1] + body + found[3], program)
    return text, dataclasses.replace(pointwise, statements=tuple(statements), sources=tuple(sources), result=before)
