# SPDX-License-Identifier: Apache-2.0
"""Answers requests of the C++ side until it closes the channel: `python -m stitchcuda_python.server`, socket on 3."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib.util
import os
import pathlib
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .ahead import Ahead
from .capture import Capture
from .channel import CHANNEL_CLOSED_STATUS, Channel
from .failures import ENVIRONMENT, INTERNAL, Failure, formatted, from_user_code, one_line
from .memory import is_out_of_memory, limit_memory
from .program.exits import exits_told
from .program.source import parse_source, read_source
from .stopwatch import Stopwatch

Progress = Callable[[str], None]
Verb = Callable[[dict[str, Any], Progress], dict[str, Any]]


THREADS = "STITCHCUDA_PYTHON_THREADS"


def use_threads() -> None:
    """As many threads as STITCHCUDA_PYTHON_THREADS asks for, else for half the processors that this process may use, 8
    at most: the rest compile and run the candidate meanwhile. Where PyTorch's threads wait by spinning, as
    OMP_WAIT_POLICY may have them do, a draw of 30 ms takes 1.5 s with one thread too many."""
    import torch

    asked = int(os.environ.get(THREADS, "0"))
    torch.set_num_threads(asked or max(1, min(8, len(os.sched_getaffinity(0)) // 2)))


def load_verbs(watch: Stopwatch | None = None) -> dict[str, Verb]:
    """The table of verbs. Raises a Failure where PyTorch is missing or too old."""
    watch = watch or Stopwatch()
    gc.disable()  # nothing of what is loaded goes away again
    try:
        import torch
    except ImportError as error:
        remedy = "Install PyTorch 2.6 or newer into the Python that stitchcuda uses: pip install torch."
        raise Failure(ENVIRONMENT, f"{sys.executable} has no PyTorch ({error}).", sys.executable, remedy) from error
    release = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if release < (2, 6):
        message = f"PyTorch {torch.__version__} is older than 2.6, the oldest that exports programs as needed."
        raise Failure(ENVIRONMENT, message, sys.executable, "Install a newer PyTorch: pip install -U torch.")
    use_threads()
    watch.lap("import torch")
    from .verbs.table import VERBS

    watch.lap("import stitchcuda")
    load_exporter()
    watch.lap("import torch.export")
    # PyTorch's own objects live as long as this process: walking over them again and again costs a tenth of an import.
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)
    return VERBS


@contextlib.contextmanager
def kept_bytecode() -> Iterator[None]:
    """What Python compiles of an installed PyTorch's modules and ours is kept beside them, as it usually is, but
    nothing of the user's files: an installation without it takes seconds more at each start."""
    found = importlib.util.find_spec("torch")
    folders = pathlib.Path((found and found.origin) or "").parts
    is_installed = "site-packages" in folders or "dist-packages" in folders
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, sys.dont_write_bytecode and not is_installed
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def load_exporter() -> None:
    """What PyTorch's export loads at its first use."""
    for name in ("torch._dynamo", "torch.export._trace", "torch._functorch.aot_autograd"):
        with contextlib.suppress(ImportError):  # of another release; it is loaded where it is used
            importlib.import_module(name)


def refuse_unreadable(request: dict[str, Any]) -> None:
    """Tells of a file that is missing or no Python before PyTorch is loaded, which takes more than a second."""
    file = (request.get("arguments") or {}).get("file")
    if isinstance(file, str) and (os.path.exists(file) or ":" not in file):
        parse_source(read_source(os.path.abspath(file)), os.path.abspath(file))


def answer(request: dict[str, Any], verbs: dict[str, Verb], capture: Capture, progress: Progress) -> dict[str, Any]:
    """Runs one request; every failure becomes an `error` object."""
    verb = request.get("verb")
    program = os.path.abspath(str((request.get("arguments") or {}).get("file") or "the program"))
    try:
        if "malformed" in request or verb not in verbs:
            raise Failure(INTERNAL, f"The Python side knows no request {request.get('malformed', verb)!r}.")
        with capture, exits_told():
            return {"ok": verbs[str(verb)](request.get("arguments") or {}, progress)}
    except Failure as failure:
        failure.trace = failure.trace or formatted(failure)
        return {"error": _with_output(failure, capture).to_json()}
    except (SystemExit, KeyboardInterrupt) as stop:
        failure = from_user_code(stop, "running", str(program), "Remove the call that exits.")
        return {"error": _with_output(failure, capture).to_json()}
    except Exception as error:  # noqa: BLE001 - the server must outlive any request
        if is_out_of_memory(error):
            failure = from_user_code(error, f"serving {verb!r}", str(program), "")
            return {"error": _with_output(failure, capture).to_json()}
        message = f"The Python side failed at {verb!r}: {type(error).__name__}: {one_line(str(error))}."
        failure = Failure(INTERNAL, message, "", "Run again with --debug and report the trace.", formatted(error))
        return {"error": _with_output(failure, capture).to_json()}


def _with_output(failure: Failure, capture: Capture) -> Failure:
    printed = capture.tail().strip()
    if printed:
        failure.trace += f"\nThe program printed:\n{printed}\n"
    return failure


class Server:
    """Answers one request after the other. A missing PyTorch answers every one with the same error instead of ending
    the process at the start."""

    def __init__(self, channel: Channel, verbs: dict[str, Verb] | None = None) -> None:
        self._channel = channel
        self._capture = Capture()
        self._verbs = verbs or {}  # loaded at the first request where they are not yet
        self._loaded: dict[str, float] = {}  # seconds of what was loaded, told with the first answer that tells any
        self._ahead = Ahead(lambda request: answer(request, self._verbs, Capture(), lambda said: None))
        self._is_fresh = True  # nothing was answered yet, and PyTorch has no threads that a fork would lose

    def serve(self) -> None:
        """Until the other side closes the channel."""
        for request in self._channel.requests():
            identity = request.get("id")
            try:
                self._load(request)
                if "malformed" not in request:
                    self._channel.send({"id": identity, "begun": True})
                reply = self._reply(request)
            except Failure as failure:
                reply = {"error": failure.to_json()}
            self._channel.send({"id": identity, **reply})

    def _load(self, request: dict[str, Any]) -> None:
        if self._is_fresh:
            refuse_unreadable(request)
        if not self._verbs:
            watch = Stopwatch()
            with kept_bytecode():
                self._verbs = load_verbs(watch)
            self._loaded = watch.seconds

    def _reply(self, request: dict[str, Any]) -> dict[str, Any]:
        if request.get("verb") == "settle":
            settle(request)
            return {"ok": {}}
        if request.get("verb") == "ahead":
            # Arguments: file, groups of requests that will come. Answers nothing.
            if self._is_fresh:
                self._ahead.begin((request.get("arguments") or {}).get("groups") or [])
            return {"ok": {}}
        self._is_fresh = False
        identity = request.get("id")
        progress = lambda message: self._channel.send({"id": identity, "progress": message})  # noqa: E731
        reply = self._ahead.take(request) or answer(request, self._verbs, self._capture, progress)
        if request.get("verb") == "import" and "seconds" in reply.get("ok", {}):
            reply["ok"]["seconds"], self._loaded = self._loaded | reply["ok"]["seconds"], {}
        return reply


def settle(request: dict[str, Any]) -> None:
    """What a process that was forked ahead could not know: the folder for its temporary files."""
    os.environ["TMPDIR"] = request["arguments"]["temporary"]
    tempfile.tempdir = None


def main(verbs: dict[str, Verb] | None = None) -> None:
    """Serves the channel on descriptor 3 until the other side closes it. `verbs`: where they are loaded."""
    # A crash of native code is told by the user's own line, on the real standard error: Capture replaces descriptor 2.
    faulthandler.enable(os.fdopen(os.dup(2), "w"), all_threads=False)
    limit_memory()
    warnings.simplefilter("ignore")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a program that asks for input gets the end of it
    channel = Channel()
    try:
        Server(channel, verbs).serve()
    except OSError:
        if channel.is_closed():
            os._exit(CHANNEL_CLOSED_STATUS)
        raise


if __name__ == "__main__":
    main()
