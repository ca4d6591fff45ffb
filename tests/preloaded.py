# SPDX-License-Identifier: Apache-2.0
"""A Python that has PyTorch loaded already: loading it is most of what a verdict on a small program costs.

`start(folder)` starts a process that imports PyTorch and our Python side, and writes FOLDER/bin/python, which suites
name as STITCHCUDA_PYTHON. Where stitchcuda starts the process that imports a program and computes its references, that
script asks for a fork of the loaded process, hands its descriptors and environment over, and ends as the fork ends; a
fork whose asker is gone is killed. Everything is computed as ever: nothing but the loading is shared. Other commands,
and an environment that changes how PyTorch loads, get the real Python. Suites on what a run leaves behind, and
candidates that look for other processes, do without it: a fork is no descendant of the run.
"""
from __future__ import annotations

import array
import contextlib
import importlib
import json
import os
import pathlib
import selectors
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON_FOLDER = str(ROOT / "python")
DESCRIPTORS = 4  # 0 to 2, and the channel
# As a cage sees it, which knows no link to an environment.
PYTHON = str(pathlib.Path(sys.prefix).resolve() / "bin" / "python")
# What changes how PyTorch loads, by how its name begins: with the same values it has loaded as it would.
LOADING = ("LD_", "OMP_", "MKL_", "KMP_", "TORCH", "PYTORCH", "CUDA_VISIBLE", "ATEN_")
# Starts with the interpreter alone, in 20 ms.
ASKER = """#!{python} -IS
import os, sys
words = sys.argv[1:]
loading = {{name: value for name, value in os.environ.items() if name.startswith({loading!r})}}
is_ours = (words[:1] == ["-c"] and "stitchcuda_python.server import main" in words[1]
           and os.environ.get("PYTHONPATH") == {python_folder!r} and loading == {loaded!r})
if not is_ours:  # perhaps in a cage, which lends no sockets
    os.execv({python!r}, [{python!r}, *words])
import array, json, socket
connection = socket.socket(socket.AF_UNIX)
connection.connect({address!r})
asked = json.dumps(dict(environment=dict(os.environ), folder=os.getcwd())).encode()
connection.sendmsg([len(asked).to_bytes(4, "little")],
                   [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", range({descriptors})))])
connection.sendall(asked)
for descriptor in range({descriptors}):
    os.close(descriptor)
status = connection.recv(4)
if len(status) < 4:
    os._exit(1)
status = int.from_bytes(status, "little")
if os.WIFSIGNALED(status):
    import resource, signal
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.WEXITSTATUS(status))
"""


def start(folder: pathlib.Path) -> tuple[subprocess.Popen, pathlib.Path]:
    """The process, which ends when its standard input closes, and the program to name as STITCHCUDA_PYTHON."""
    address, program = folder / "socket", folder / "bin" / "python"
    environment = {"OMP_WAIT_POLICY": "passive", **os.environ}  # as stitchcuda starts it
    loaded = subprocess.Popen([sys.executable, __file__, str(address)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=dict(environment, PYTHONPATH=PYTHON_FOLDER))
    if not loaded.stdout.readline():  # it listens
        raise OSError(f"{sys.executable} cannot load PyTorch and our Python side")
    program.parent.mkdir()
    loading = {name: value for name, value in environment.items() if name.startswith(LOADING)}
    program.write_text(ASKER.format(python=PYTHON, python_folder=PYTHON_FOLDER, address=str(address),
                                    descriptors=DESCRIPTORS, loading=LOADING, loaded=loading))
    program.chmod(0o755)
    return loaded, program


def receive(connection: socket.socket) -> tuple[dict, list[int]]:
    descriptors = array.array("i")
    length, ancillary, _, _ = connection.recvmsg(4, socket.CMSG_SPACE(DESCRIPTORS * descriptors.itemsize))
    for _, _, data in ancillary:
        descriptors.frombytes(data)
    text, wanted = b"", int.from_bytes(length, "little")
    while len(text) < wanted:
        more = connection.recv(wanted - len(text))
        if not more:
            raise OSError("it ended before it had asked")
        text += more
    return json.loads(text), list(descriptors)


def become(asked: dict, descriptors: list[int]) -> None:
    """In the fork: what the asker would have been, had it loaded PyTorch itself."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.closerange(DESCRIPTORS, 1024)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    tempfile.tempdir = None
    sys.argv = ["-c"]
    from stitchcuda_python.server import main

    code = 1
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # noqa: BLE001 - told as Python tells it
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


class Loaded:
    """One loop over the listening socket, the askers and their forks."""

    def __init__(self, address: str) -> None:
        self.selector = selectors.DefaultSelector()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(address)
        self.listener.listen(64)
        self.forks: dict[socket.socket, tuple[int, int]] = {}
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        self.selector.register(sys.stdin, selectors.EVENT_READ, self.end)

    def accept(self, _: object) -> None:
        connection, _ = self.listener.accept()
        try:
            asked, descriptors = receive(connection)
        except (OSError, ValueError):
            connection.close()
            return
        pid = os.fork()
        if pid == 0:
            become(asked, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        watched = os.pidfd_open(pid)
        self.forks[connection] = (pid, watched)
        self.selector.register(connection, selectors.EVENT_READ, self.asker_ended)
        self.selector.register(watched, selectors.EVENT_READ, lambda _: self.fork_ended(connection))

    def asker_ended(self, connection: socket.socket) -> None:
        if connection not in self.forks:  # its fork ended in the same moment, and was seen first
            return
        self.selector.unregister(connection)
        os.kill(self.forks[connection][0], signal.SIGKILL)

    def fork_ended(self, connection: socket.socket) -> None:
        pid, watched = self.forks.pop(connection)
        self.selector.unregister(watched)
        os.close(watched)
        status = os.waitpid(pid, 0)[1]
        with contextlib.suppress(KeyError):
            self.selector.unregister(connection)
        with contextlib.suppress(OSError):
            connection.sendall(status.to_bytes(4, "little"))
        connection.close()

    def end(self, _: object) -> None:
        for pid, _ in self.forks.values():
            os.kill(pid, signal.SIGKILL)
        os._exit(0)

    def serve(self) -> None:
        while True:
            for key, _ in self.selector.select():
                key.data(key.fileobj)


def modules_of_an_import() -> list[str]:
    """What PyTorch loads when it exports its first program, in that order; found out in a fork, which then ends."""
    from stitchcuda_python import server

    verbs = server.load_verbs()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        before = set(sys.modules)
        verbs["import"]({"file": str(ROOT / "tests" / "programs" / "linear_relu.py")}, lambda _: None)
        found = [name for name, module in sys.modules.items()
                 if name not in before and not str(getattr(module, "__file__", "")).startswith(str(ROOT / "tests"))]
        os.write(writer, "\n".join(found).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as names:
        found = names.read().splitlines()
    os.waitpid(pid, 0)
    return found


def main() -> None:
    loaded = Loaded(sys.argv[1])
    for name in modules_of_an_import():
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    print("listens", flush=True)
    loaded.serve()


if __name__ == "__main__":
    main()
