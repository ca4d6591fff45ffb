# SPDX-License-Identifier: Apache-2.0
"""What optimize() raises. The text of each is the sentence that the command line prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .verdict import Verdict


class Error(RuntimeError):
    """`code` is the command line's (docs/formats.md), `place` a file with its line or a path, `remedy` what to do."""

    def __init__(self, sentence: str, place: str = "", remedy: str = "", code: str = "internal") -> None:
        super().__init__(as_text(sentence, place, remedy))
        self.code = code
        self.sentence = sentence
        self.place = place
        self.remedy = remedy


class ProgramError(Error):
    """The program cannot be taken: a mistake in it, or an operator that is not supported."""


class MissingEnvironment(Error):
    """The machine lacks something: a compiler, CUDA's headers, memory, a GPU that was asked for."""


class UsageError(Error):
    """optimize() was called with arguments that do not go together."""


class InternalError(Error):
    """A mistake of stitchcuda's own."""


class NotVerified(Error):
    """A program was made, but its answers were not accepted. `verdict` says why, `out` is the folder that has it."""

    def __init__(self, text: str, verdict: Verdict, out: str) -> None:
        super().__init__(text, code=verdict.kind)
        self.verdict = verdict
        self.out = out


_KINDS: dict[str, type[Error]] = {
    "program_invalid": ProgramError,
    "unsupported_operator": ProgramError,
    "file_invalid": ProgramError,
    "timeout": ProgramError,
    "environment": MissingEnvironment,
    "usage": UsageError,
}


def error_from(answer: dict[str, Any]) -> Error:
    """The exception for the `error` object of a --json answer."""
    code = str(answer.get("code", "internal"))
    kind = _KINDS.get(code, InternalError)
    return kind(str(answer.get("sentence", "")), str(answer.get("place", "")), str(answer.get("remedy", "")), code)


def as_text(sentence: str, place: str, remedy: str) -> str:
    """One line as the command line prints it after "stitchcuda: "."""
    text = _without_stop(sentence)
    if place and place not in sentence:
        text += f" ({place})"
    remedy = _without_stop(remedy)
    return f"{text}." + (f" {remedy[0].upper()}{remedy[1:]}." if remedy else "")


def _without_stop(sentence: str) -> str:
    return sentence.rstrip(". ")
