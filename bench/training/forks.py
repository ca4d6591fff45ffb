# SPDX-License-Identifier: Apache-2.0
"""Starts programs whose Python has loaded PyTorch before: the product's process that forks, asked as `bench` asks it
(src/base/process/fork_server.h has the protocol)."""
from __future__ import annotations

import array
import json
import os
import pathlib
import select
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A json.py in the folder where this is run is none of Python's.
SERVE = ("import os, sys; os.dup2({0}, 3); os.close({0}); sys.path[:] = [p for p in sys.path if p]; "
         "from stitchcuda_python.fork_server import main; main()")


def python_with_torch() -> str:
    """The one that the product takes (src/driver/job/resources.cc)."""
    own = ROOT / ".venv" / "bin" / "python"
    return os.environ.get("STITCHCUDA_PYTHON") or (str(own) if own.exists() else sys.executable)


def run_alone(words: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)


class Forks:
    """A server, which ends with the one that started it. Where it has ended, programs load PyTorch themselves."""

    def __init__(self) -> None:
        near, far = socket.socketpair()
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                       "OMP_WAIT_POLICY": "passive"}
        words = [python_with_torch(), "-c", SERVE.format(far.fileno())]
        self._server = subprocess.Popen(words, pass_fds=[far.fileno()], env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        far.close()
        self._socket, self._lock = near, threading.Lock()

    def close(self) -> None:
        self._socket.close()
        self._server.wait()

    def run(self, words: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
        """As run_alone(), in this process's folder. Raises TimeoutExpired likewise."""
        try:
            return self._forked(words, timeout)
        except (OSError, ValueError):  # the server is gone
            return run_alone(words, timeout)

    def _forked(self, words: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
        reads, writes = zip(*(os.pipe() for _ in range(3)))
        readers = [os.fdopen(each, "rb") for each in reads]
        try:
            pid = self._started(words, list(writes))
        finally:
            for each in writes:
                os.close(each)
        parts, until = {reader: b"" for reader in readers}, time.monotonic() + timeout
        left = set(readers)
        while left:
            ready, _, _ = select.select(left, [], [], max(0.0, until - time.monotonic()))
            if not ready:
                os.kill(pid, 9)
                raise subprocess.TimeoutExpired(words, timeout)
            for reader in ready:
                part = os.read(reader.fileno(), 1 << 16)
                parts[reader] += part
                left -= set() if part else {reader}
        status, output, error = (parts[reader] for reader in readers)
        for reader in readers:
            reader.close()
        if len(status) != 4:
            raise ValueError("nobody told how the program ended")
        code = os.waitstatus_to_exitcode(int.from_bytes(status, "little"))
        return subprocess.CompletedProcess(words, code, output.decode(), error.decode())

    def _started(self, words: list[str], descriptors: list[int]) -> int:
        asked = {"arguments": words, "environment": [f"{name}={value}" for name, value in os.environ.items()],
                 "folder": os.getcwd()}
        content = json.dumps(asked).encode()
        with self._lock:
            self._socket.sendmsg([len(content).to_bytes(4, "little")],
                                 [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])
            self._socket.sendall(content)
            said = json.loads(self._exactly(int.from_bytes(self._exactly(4), "little")))
        if "pid" not in said:
            raise OSError(said["error"])
        return said["pid"]

    def _exactly(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            part = self._socket.recv(size - len(content))
            if not part:
                raise ValueError("the process that forks has ended")
            content += part
        return content
