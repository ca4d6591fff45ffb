# SPDX-License-Identifier: Apache-2.0
"""Mistakes in what a kernel computes: terms, initial values, precision, the order of operands, steps of a loop."""
from __future__ import annotations

import re
from collections.abc import Iterator

from mistakes import Edit, Site, line_around, make_site

def _bias(file: str, text: str, code: str) -> Iterator[Site]:
    by_name: dict[str, list[Edit]] = {}
    for found in re.finditer(r" \+ (\w*bias\w*?)(?:_lanes|_value)?(?:\[\w+\])?(?=;|,|\)| )", code):
        by_name.setdefault(found.group(1), []).append(Edit(found.start(), found.end(), ""))
    for edits in by_name.values():
        yield make_site("bias", file, text, edits)


_HALF = "__half2float(__float2half({}))"
_TOTAL = r"(?:\w*sums?_?|part|\w*total\w*|output_|mean|squared_deviations|accumulator\w*)"


def _accumulator(file: str, text: str, code: str) -> Iterator[Site]:
    plus = re.compile(rf"(?<![\w.>])((?:\w+\.)?{_TOTAL}(?:\[[^\]]*\])*) \+= ([^;]+);")
    for found in plus.finditer(code):
        line = code[code.rfind("\n", 0, found.start()) + 1 : found.start()]
        in_loop_head = "for (" in line and line.count("(") > line.count(")")
        if not in_loop_head and not re.search(r"\bint\b|int64_t", found.group(0)):
            replaced = f"{found.group(1)} = " + _HALF.format(f"{found.group(1)} + ({found.group(2)})") + ";"
            yield make_site("accumulator", file, text, [Edit(found.start(), found.end(), replaced)])
    fused = re.compile(rf"({_TOTAL}(?:\[[^\]]*\])+) = (fmaf\(.*?\));", re.S)
    for found in fused.finditer(code):
        replaced = f"{found.group(1)} = " + _HALF.format(found.group(2)) + ";"
        yield make_site("accumulator", file, text, [Edit(found.start(), found.end(), replaced)])


def _statistic(file: str, text: str, code: str) -> Iterator[Site]:
    """A running statistic that is written back as it was read: where the kept and the added share are joined."""
    joined = re.compile(r"const float \w*running_(?:mean|variance)\w* = (\w+_kept\w*) \+ \w+;")
    for found in joined.finditer(code):
        kept = re.search(rf"const float {found.group(1)} = (?:\w+ \* )?(\w*running_\w+)", code)
        old = kept.group(1) if kept else found.group(1)
        at = code.index("=", found.start()) + 2
        yield make_site("statistic", file, text, [Edit(at, found.end() - 1, old)])


_ADDED = re.compile(rf"(?<![\w.>])((?:\w+\.)?{_TOTAL}(?:\[[^\]]*\])*) \+= (?=[^;]+;)")


def _overwrite(file: str, text: str, code: str) -> Iterator[Site]:
    """What was gathered before is thrown away."""
    for found in _ADDED.finditer(code):
        if "for (" not in line_around(code, found.start(), found.start()):
            yield make_site("overwrite", file, text, [Edit(found.start(), found.end(), f"{found.group(1)} = ")])


_NUMBER = {"0.0f": "1.0f", "1.0f": "0.0f", "T(0)": "T(1)", "T(1)": "T(0)", "-INFINITY": "0.0f", "INFINITY": "0.0f",
           "0": "1", "T()": "T(1)", "{}": "{1}"}
_FIRST_VALUES = (
    re.compile(r"\b(?:float|double|T) \w+(?:\[[^\]]*\])* = (?P<value>-?[\w.]+|\{\});"),
    re.compile(r"\bidentity\(\) \{ return \{(?P<value>-?[\w.]+(?:\(\d?\))?)[,}]"),
    re.compile(r"\b\w*(?:total|rank|count)\w* = (?P<value>0);"),
)


def _initial(file: str, text: str, code: str) -> Iterator[Site]:
    """A wrong value to begin with."""
    for pattern in _FIRST_VALUES:
        for found in pattern.finditer(code):
            other = _NUMBER.get(found["value"])
            line = line_around(code, found.start(), found.end())
            if other is not None and "constexpr" not in line and "for (" not in line:
                yield make_site("initial", file, text, [Edit(found.start("value"), found.end("value"), other)])


def _fill(file: str, text: str, code: str) -> Iterator[Site]:
    """What stands for elements outside of a tensor."""
    for found in re.finditer(r"\? [^?:;]+ : (?P<value>0\.0f|T\(0?\)|0\.0)(?=[;,)])", code):
        other = {"0.0f": "1.0f", "0.0": "1.0"}.get(found["value"], "T(1)")
        yield make_site("fill", file, text, [Edit(found.start("value"), found.end("value"), other)])


_LOOP = re.compile(
    r"\bfor \((?:int|int64_t|int32_t|unsigned) (?P<name>\w+) = (?P<first>[^;]+);(?P<rest>[^;]*); (?P<step>[^)]*)\)"
)


def _skip(file: str, text: str, code: str) -> Iterator[Site]:
    """The first round of a loop is left out."""
    for found in _LOOP.finditer(code):
        step = re.fullmatch(rf"(?:\+\+{found['name']}|{found['name']} \+= (?P<width>[^;]+))", found["step"])
        if step is None or not re.search(rf"\b{found['name']} <", found["rest"]):
            continue
        width = step["width"] or "1"
        replaced = f"({found['first']}) + ({width})"
        yield make_site("skip", file, text, [Edit(found.start("first"), found.end("first"), replaced)])


_OPERAND = r"(?:[A-Za-z_][\w.]*(?:\[\w+\])?)"
_ORDERED = re.compile(rf"(?<![\w.\])>*/%-] )(?<![\w.*&(<-])(?P<left>{_OPERAND}) (?P<sign>[-/]) (?P<right>{_OPERAND})"
                      r"(?=[;,)]| [+?:])")


def _operands(file: str, text: str, code: str) -> Iterator[Site]:
    """The operands of a difference or a quotient change places."""
    for found in _ORDERED.finditer(code):
        line = line_around(code, found.start(), found.end())
        constants = any(re.match(r"k[A-Z]", found[side]) for side in ("left", "right"))
        if constants or "constexpr" in line or "template" in line or found["left"] == found["right"]:
            continue
        replaced = f"{found['right']} {found['sign']} {found['left']}"
        yield make_site("operands", file, text, [Edit(found.start(), found.end(), replaced)])


_EXTREMES = {"fmaxf": "fminf", "fminf": "fmaxf", "maximum": "minimum", "minimum": "maximum", "larger": "smaller",
             "smaller": "larger"}
_COMPARED = re.compile(r"(?<=[\w\])]) (?P<sign>[<>]=?) (?=[\w(][^;]*(?:\?|;))")


def _comparison(file: str, text: str, code: str) -> Iterator[Site]:
    """A comparison of values, or an extreme, the wrong way round."""
    for found in re.finditer(rf"\b(?:{'|'.join(_EXTREMES)})(?=\()", code):
        line = line_around(code, found.start(), found.end())
        if not re.search(rf"\b(?:float|double|int64_t|bool|T) {found.group(0)}\(", line):
            yield make_site("comparison", file, text, [Edit(found.start(), found.end(), _EXTREMES[found.group(0)])])
    for found in _COMPARED.finditer(code):
        line = line_around(code, found.start(), found.end())
        is_value = re.search(r"\b(?:return|const bool)\b", line) or "?" in code[found.end() : found.end() + 60]
        if not is_value or re.match(r"\s*(?:for|while|template)\b", line) or "constexpr" in line or "<<<" in line:
            continue
        other = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[found["sign"]]
        yield make_site("comparison", file, text, [Edit(found.start("sign"), found.end("sign"), other)])


VALUE_MISTAKES = {
    "bias": _bias,
    "accumulator": _accumulator,
    "overwrite": _overwrite,
    "initial": _initial,
    "fill": _fill,
    "skip": _skip,
    "operands": _operands,
    "comparison": _comparison,
    "statistic": _statistic,
}
