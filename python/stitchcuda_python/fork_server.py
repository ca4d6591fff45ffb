# SPDX-License-Identifier: Apache-2.0
"""Starts programs that have PyTorch at hand: loading it is most of what the verdict on a small program costs.

This process loads PyTorch and our verbs, and runs nothing of any user. For each request on descriptor 3 it forks; the
fork forks once more and becomes the program that was asked for, so that the second fork is the program's own child,
serves it as `server.main` does, and is ended and counted with it. src/base/process/fork_server.h has the protocol."""

from __future__ import annotations

import array
import ctypes
import faulthandler
import fcntl
import json
import os
import resource
import select
import signal
import socket
import sys
import warnings
from typing import Any

from . import server

HELPER_VARIABLE = "STITCHCUDA_PYTHON_HELPER"
_LENGTH_BYTES = 4
_CHANNEL = 3
_LAST_DESCRIPTOR = 1 << 20
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_FIRST_TO_GO = b"500"  # where memory ends the kernel shall choose a helper, and not who runs many jobs
_GPU_FILES = "/dev/nvidia"
# The interpreter does not leave these as a program expects to find them.
_IGNORED_BY_PYTHON = ("SIGPIPE", "SIGXFSZ")


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Request:
    """One program to start, and the descriptors that came with it."""

    def __init__(self, asked: dict[str, Any], descriptors: list[int]) -> None:
        self.arguments: list[str] = asked["arguments"]
        self.environment = dict(entry.partition("=")[::2] for entry in asked["environment"])
        self.folder: str = asked["folder"]
        self.status, self.output, self.error = descriptors


class Connection:
    """The socket to who asks."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> Request | None:
        """The next request, None where nobody asks any more. Raises ValueError where it is none."""
        descriptors = array.array("i")
        room = socket.CMSG_SPACE(3 * descriptors.itemsize)
        length, ancillary, _, _ = self._socket.recvmsg(_LENGTH_BYTES, room)
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
        if not length:
            return None
        length += self._exactly(_LENGTH_BYTES - len(length))
        asked = json.loads(self._exactly(int.from_bytes(length, "little")))
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        return Request(asked, list(descriptors))

    def _exactly(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            part = self._socket.recv(size - len(content))
            if not part:
                raise ValueError("the request ends early")
            content += part
        return content

    def answer(self, said: dict[str, Any]) -> None:
        content = json.dumps(said).encode()
        self._socket.sendall(len(content).to_bytes(_LENGTH_BYTES, "little") + content)


class Children:
    """The programs that run, by number, each with where to tell how it ended."""

    def __init__(self) -> None:
        self._status: dict[int, int] = {}

    def add(self, pid: int, status: int) -> None:
        self._status[pid] = status

    def reap(self) -> None:
        """Tells of all that have ended. Their descendants come to this process, and end here without a word."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            pid = ended.si_pid
            if pid in self._status:
                _kill_group(pid)  # what it left there, while its number cannot be anyone else's
            _, status = os.waitpid(pid, 0)
            if pid in self._status:
                descriptor = self._status.pop(pid)
                _write(descriptor, status.to_bytes(4, "little"))
                os.close(descriptor)


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass


def _write(descriptor: int, content: bytes) -> None:
    try:
        os.write(descriptor, content)
    except OSError:  # nobody wants to know
        pass


def _leave_with(parent: int) -> None:
    """This process ends with its parent, and leads a group of its own."""
    os.setpgid(0, 0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(127)


def _default_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _place(descriptors: dict[int, int]) -> None:
    """Moves descriptors, by the number that each gets."""
    aside = {number: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _CHANNEL + 1) for number, source in descriptors.items()}
    for number, source in aside.items():
        os.dup2(source, number)


def _null() -> int:
    return os.open(os.devnull, os.O_RDWR)


def serve_program(request: Request, channel: int, output: int, error: int, verbs: dict[str, server.Verb]) -> None:
    """The helper: never returns."""
    status = 1
    try:
        _place({0: _null(), 1: output, 2: error, _CHANNEL: channel})
        os.closerange(_CHANNEL + 1, _LAST_DESCRIPTOR)
        _write(score := os.open("/proc/self/oom_score_adj", os.O_WRONLY), _FIRST_TO_GO)
        os.close(score)
        os.environ.clear()
        os.environ.update(request.environment)
        os.chdir(request.folder)
        if server.THREADS in request.environment:
            server.use_threads()
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed()  # the interpreter does as much for its own generator
        server.main(verbs)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - told as the interpreter would
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def become(request: Request, parent: int, verbs: dict[str, server.Verb]) -> None:
    """The first fork: never returns."""
    try:
        _default_signals()
        _leave_with(parent)
        near, far = socket.socketpair()
        output, output_end = os.pipe()
        error, error_end = os.pipe()
        own = os.getpid()
        helper = os.fork()
        if helper == 0:
            _leave_with(own)
            serve_program(request, far.fileno(), output_end, error_end, verbs)
        os.setpgid(helper, helper)
        os.chdir(request.folder)
        for name in _IGNORED_BY_PYTHON:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        kept = [near.fileno(), output, error]
        for descriptor in kept:
            os.set_inheritable(descriptor, True)
        os.dup2(_null(), 0)
        os.dup2(request.output, 1)
        os.dup2(request.error, 2)
        told = " ".join(str(number) for number in [own, helper, *kept])
        os.execve(request.arguments[0], request.arguments, {**request.environment, HELPER_VARIABLE: told})
    except BaseException as failed:  # noqa: BLE001 - told where the program's errors are read
        _write(request.error, f"cannot start {request.arguments[0]}: {failed}\n".encode())
    finally:
        os._exit(127)


def has_opened_gpu() -> bool:
    """Whether CUDA has begun in this process: no fork of it could use a GPU."""
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{descriptor}").startswith(_GPU_FILES):
                return True
        except OSError:  # that of the listing
            pass
    return False


def serve(connection: Connection, verbs: dict[str, server.Verb]) -> None:
    """Until nobody asks any more."""
    children = Children()
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    own = os.getpid()
    while True:
        ready, _, _ = select.select([connection, reader], [], [])
        if reader in ready:
            os.read(reader, 1 << 16)
            children.reap()
        if connection not in ready:
            continue
        request = connection.receive()
        if request is None:
            return
        try:
            pid = os.fork()
        except OSError as error:
            os.close(request.status)
            connection.answer({"error": str(error)})
        else:
            if pid == 0:
                become(request, own, verbs)
            children.add(pid, request.status)
            connection.answer({"pid": pid})
        os.close(request.output)
        os.close(request.error)


def main() -> None:
    """Serves the socket on descriptor 3."""
    faulthandler.disable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    connection = Connection(_CHANNEL)
    with server.kept_bytecode():
        verbs = server.load_verbs()
    if has_opened_gpu():
        sys.exit("PyTorch began to use a GPU while it was loaded, which a fork could not go on with")
    serve(connection, verbs)
