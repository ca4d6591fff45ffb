# SPDX-License-Identifier: Apache-2.0
"""Frames over the supervisor's socket (src/wire/frame): a fixed header, a JSON payload, descriptors beside it."""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from typing import Any

_HEADER = struct.Struct("<IIQII")  # magic, kind, id, payload bytes, descriptors
_MAGIC = 0x31574353
_REQUEST, _ANSWER, _ERROR = 1, 2, 3
_MAX_PAYLOAD_BYTES = 4 << 20
_MAX_DESCRIPTORS = 64
_OUT_OF_THE_WAY = 500


class Fault(Exception):
    """What the candidate did wrong. `place` is "unsupported" where this device cannot run it, "device" where the
    device reported it."""

    def __init__(self, message: str, location: str = "") -> None:
        super().__init__(message)
        self.message, self.location = message, location


def out_of_the_way(descriptor: int) -> int:
    """The same file under a high number: a candidate that writes to low ones by mistake should not speak for us."""
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
    os.close(descriptor)
    return moved


class Channel:
    """Requests one after the other, each answered before the next is read."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=out_of_the_way(descriptor))
        self._received = b""
        self._descriptors: list[int] = []

    def receive(self) -> tuple[int, dict[str, Any], list[int]] | None:
        """(id, message, descriptors) of the next request; None once the supervisor has left."""
        while len(self._received) < _HEADER.size:
            if not self._read():
                return None
        magic, kind, identity, size, count = _HEADER.unpack_from(self._received)
        if magic != _MAGIC or kind != _REQUEST or size > _MAX_PAYLOAD_BYTES or count > _MAX_DESCRIPTORS:
            return None
        while len(self._received) < _HEADER.size + size:
            if not self._read():
                return None
        payload = self._received[_HEADER.size : _HEADER.size + size]
        self._received = self._received[_HEADER.size + size :]
        taken, self._descriptors = self._descriptors[:count], self._descriptors[count:]
        return identity, json.loads(payload), taken

    def _read(self) -> bool:
        space = socket.CMSG_SPACE(_MAX_DESCRIPTORS * array.array("i").itemsize)
        data, ancillary, _, _ = self._socket.recvmsg(1 << 16, space, socket.MSG_CMSG_CLOEXEC)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
                self._descriptors += numbers
        self._received += data
        return bool(data)

    def answer(self, identity: int, value: dict[str, Any]) -> None:
        """The result of request `identity`."""
        self._send(_ANSWER, identity, value)

    def refuse(self, identity: int, fault: Fault) -> None:
        """The candidate's fault as the answer to request `identity`."""
        error = {"code": "program_invalid", "sentence": fault.message[:4000], "place": fault.location, "remedy": ""}
        self._send(_ERROR, identity, error)

    def _send(self, kind: int, identity: int, value: dict[str, Any]) -> None:
        payload = json.dumps(value, allow_nan=False).encode()
        self._socket.sendall(_HEADER.pack(_MAGIC, kind, identity, len(payload), 0) + payload)
