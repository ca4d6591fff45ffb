# SPDX-License-Identifier: Apache-2.0
"""How a request that cannot be served is told: a code, one sentence, a place and a remedy."""

from __future__ import annotations

import importlib.util
import os
import traceback
from types import TracebackType

from .memory import available_bytes, is_out_of_memory

PROGRAM_INVALID = "program_invalid"
ENVIRONMENT = "environment"
TIMEOUT = "timeout"
INTERNAL = "internal"
# What programs are often built from, that we do not need ourselves: by their names on PyPI, which are those imported.
PACKAGES = ("diffusers", "einops", "timm", "torchaudio", "torchvision", "transformers")
_NOT_RECORDED = "does not require grad"  # PyTorch's words for a derivative of what ran without autograd


class Failure(Exception):
    """A request that ends without an answer. `place` is "file.py:12" or a path; `trace` is shown with --debug only."""

    def __init__(self, code: str, message: str, location: str = "", remedy: str = "", trace: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.location = location
        self.remedy = remedy
        self.trace = trace

    def to_json(self) -> dict[str, str]:
        """The wire form; an empty trace is left out."""
        wire = {"code": self.code, "sentence": self.message, "place": self.location, "remedy": self.remedy}
        if self.trace:
            wire["trace"] = self.trace
        return wire


def one_line(text: str, limit: int = 240) -> str:
    """The first non-empty line of `text`, cut to `limit` characters, without a closing full stop."""
    for line in text.splitlines():
        if line.strip():
            line = line.strip()
            return (line if len(line) <= limit else line[: limit - 3] + "...").rstrip(".")
    return ""


def innermost_line_in(folder: str, trace: TracebackType | None) -> traceback.FrameSummary | None:
    """The deepest frame of `trace` whose file lies under `folder` and not in an installed package."""
    found = None
    for frame in traceback.extract_tb(trace):
        if is_user_file(frame.filename, folder):
            found = frame
    return found


_live_files: dict[str, str] = {}
_live_folders: list[str] = []


def know_live_code(files: dict[str, str], folders: list[str]) -> None:
    """Takes what a live module's code was compiled from for the user's: `files` by name, each with the name to show
    (a notebook's cell is no file on disk), and everything under `folders`."""
    _live_files.update(files)
    _live_folders.extend(folder for folder in folders if folder not in _live_folders)


def shown_name(filename: str) -> str:
    """What to call a file of code in a sentence or a place: its path, or a notebook's cell."""
    return _live_files.get(filename, filename)


def is_user_file(filename: str, folder: str) -> bool:
    """Whether `filename` is the user's own: under `folder`, and no installed package that happens to lie there."""
    if filename in _live_files:
        return True
    path = os.path.abspath(filename)
    under = any(path.startswith(root.rstrip(os.sep) + os.sep) for root in (folder, *_live_folders))
    return under and "site-packages" not in path and os.path.isfile(path)


def chain(error: BaseException) -> list[BaseException]:
    """`error` and what it was raised from, outermost first."""
    errors: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in errors:
        errors.append(current)
        current = current.__cause__ or current.__context__
    return errors


_DERIVATIVE = "Write the derivative out in forward, or leave it outside the module."
# What PyTorch says, what the program does then, why that is none for us, and the remedy.
_KNOWN_CAUSES = (
    (_NOT_RECORDED, "takes gradients", "programs are run without autograd", _DERIVATIVE),
    ("functorch tensor", "takes a derivative by torch.func", "programs are run without autograd", _DERIVATIVE),
    (
        ".numpy() is not supported for tensor subclasses",
        "hands a tensor to NumPy",
        "what is computed outside of PyTorch cannot be recorded",
        "Write it with functions of torch, or compute it in __init__ where it depends on no input.",
    ),
)


def from_user_code(error: BaseException, doing: str, file: str, remedy: str) -> Failure:
    """Explains an exception that the user's code raised while we were `doing` something with it, by their own line."""
    frame = None
    for link in chain(error):
        frame = frame or innermost_line_in(os.path.dirname(file), link.__traceback__)
    location, line = file, ""
    if frame is not None:
        location = f"{shown_name(frame.filename)}:{frame.lineno}"
        line = f", at `{(frame.line or '').strip()}`" if frame.line else ""
    package = _missing_package(error)
    if package:
        message = f"{os.path.basename(file)} needs the Python package {package}, which is not installed here{line}."
        return Failure(ENVIRONMENT, message, location, f"Install it: python -m pip install {package}", formatted(error))
    for link in chain(error):
        if isinstance(link, Failure):
            return Failure(link.code, f"{os.path.basename(file)}: {link.message}", location, link.remedy)
    if is_out_of_memory(error):
        return _out_of_memory(error, f"while {doing}{line}", location, os.path.basename(file))
    for mark, does, why, what in _KNOWN_CAUSES:
        if mark in str(error):
            message = f"{os.path.basename(file)} {does} while {doing}{line}; {why}."
            return Failure(PROGRAM_INVALID, message, location, what, formatted(error))
    said = one_line(str(error)) or "no message"
    message = f"{os.path.basename(file)} raised {type(error).__name__} while {doing}{line}: {said}."
    return Failure(PROGRAM_INVALID, message, location, remedy, formatted(error))


def _missing_package(error: BaseException) -> str:
    """The package of PACKAGES whose lack stopped the user's code; any other name may as well be misspelled."""
    for link in chain(error):
        is_known = isinstance(link, ModuleNotFoundError) and link.name in PACKAGES
        if is_known and importlib.util.find_spec(link.name) is None:
            return link.name
    return ""


def _out_of_memory(error: BaseException, when: str, location: str, name: str) -> Failure:
    left = available_bytes()
    has = "there is" if left is None else f"this machine has left ({left / 2**30:.1f} GiB)"
    said = one_line(str(error).rpartition("err == 0. ")[2]) or "no message"  # PyTorch names its own line first
    message = f"{name} asks for more memory than {has}, {when}: {said}."
    remedy = "Use smaller sizes, or a machine with more memory."
    return Failure(ENVIRONMENT, message, location, remedy, formatted(error))


def formatted(error: BaseException) -> str:
    """The full Python traceback as text."""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))
