# SPDX-License-Identifier: Apache-2.0
"""Speaks to the server as the C++ side does: a socket on descriptor 3 of a child process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import Any

PYTHON_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Client:
    """One server process. Use as a context manager."""

    def __init__(self, before: str = "pass") -> None:
        """`before` is a statement that the process runs first."""
        ours, theirs = socket.socketpair()
        environment = dict(os.environ, PYTHONPATH=PYTHON_FOLDER)
        self._child = subprocess.Popen(
            [sys.executable, "-c", _START, str(theirs.fileno()), before],
            pass_fds=[theirs.fileno()],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        theirs.close()
        self._socket, self._file, self._id = ours, ours.makefile("rwb"), 0

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_unused: object) -> None:
        self._file.close()
        self._socket.close()
        self.printed = b"".join(self._child.communicate(timeout=30))

    def request(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The whole answer: {"id", "ok"} or {"id", "error"}; progress lines are skipped."""
        self._id += 1
        line = json.dumps({"id": self._id, "verb": verb, "arguments": arguments}) + "\n"
        self._file.write(line.encode())
        self._file.flush()
        while True:
            answer = json.loads(self._file.readline())
            if "progress" not in answer and "begun" not in answer:
                return answer

    def ok(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a request that must succeed."""
        answer = self.request(verb, **arguments)
        if "ok" not in answer:
            raise AssertionError(answer["error"])
        return answer["ok"]


# subprocess cannot place a descriptor at 3 itself; the child does, then becomes the server.
_START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); "
    "os.execv(sys.executable, [sys.executable, '-c', sys.argv[2] + '; "
    "from stitchcuda_python.server import main; main()'])"
)
