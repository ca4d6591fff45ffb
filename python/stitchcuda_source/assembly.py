# SPDX-License-Identifier: Apache-2.0
"""Inline assembly, by clang's tokens: the tree drops statements whose operands it does not know, as PTX's."""

from __future__ import annotations

import re

from clang.cindex import Token, TokenKind

_WORDS = ("asm", "__asm", "__asm__")
# What enters the system past the C library, by whose names imports are judged; and what reads files at build time.
_REFUSED = re.compile(r"\b(syscall|sysenter|int\s+\$?0x80|vmcall|\.incbin)\b", re.I)
_CLOCKS = re.compile(r"\b(rdtscp?|globaltimer\w*|clock(?:64|_hi)?)\b")
_OPCODE = re.compile(r"^[\s{;]*(?:@!?[%\w]+\s+)?([a-z_.][\w.:]*)", re.I)


def assembly(tokens: list[Token]) -> list[tuple[Token, str, bool, bool]]:
    """(token, what, audit, refused) of each piece of assembly."""
    found = []
    for index, token in enumerate(tokens):
        if token.kind == TokenKind.KEYWORD and token.spelling in _WORDS:
            text = _template(tokens, index + 1)
            refused = _REFUSED.search(text)
            clock = _CLOCKS.search(text)
            if refused:
                words = " ".join(refused[0].split())
                what = f"enters the system or reads files by assembly ({words}): no kernel needs that"
            elif clock:
                what = f"reads a clock by assembly ({clock[0]})"
            else:
                opcode = _OPCODE.match(text)
                what = f"has assembly of its own ({opcode[1] if opcode else 'empty'})"
            found.append((token, what, bool(refused or clock), bool(refused)))
    return found


def _template(tokens: list[Token], start: int) -> str:
    """The strings before the first colon, joined."""
    parts = []
    for token in tokens[start:]:
        text = token.spelling
        if text in (":", "::", ";"):
            break
        if token.kind == TokenKind.LITERAL and text.endswith('"'):
            parts.append(_unescaped(text[text.index('"') + 1 : -1]))
    return "".join(parts)


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")
