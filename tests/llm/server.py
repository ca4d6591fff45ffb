# SPDX-License-Identifier: Apache-2.0
"""A server of chat completions that does as it is told: each connection takes the next act of its script.

Real HTTP over a socket, written by hand, since most acts are what no library of a server would do.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable

Act = Callable[[socket.socket], None]


def reply_body(content: str) -> str:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


def event(delta: dict, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def head(status: int, content_type: str, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


EVENTS = head(200, "text/event-stream", Transfer_Encoding="chunked")


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def whole(content: str) -> Act:
    body = reply_body(content).encode()
    return lambda peer: peer.sendall(head(200, "application/json", Content_Length=str(len(body))) + body)


def status(code: int, body: str = "", **headers: str) -> Act:
    return lambda peer: peer.sendall(
        head(code, "application/json", Content_Length=str(len(body)), **headers) + body.encode()
    )


def raw_events(*data: bytes, ends: bool = True) -> Act:
    """Each piece a chunk of its own; without `ends` the connection breaks in the middle of the stream."""

    def act(peer: socket.socket) -> None:
        peer.sendall(EVENTS)
        for piece in data:
            peer.sendall(chunk(piece))
        if ends:
            peer.sendall(chunk(b""))

    return act


def events(*words: str, ends: bool = True) -> Act:
    last = [event({}, "stop"), b"data: [DONE]\n\n"] if ends else []
    return raw_events(b": hello\n\n", *[event({"content": word}) for word in words], *last, ends=ends)


def then_waits(act: Act, seconds: float = 30) -> Act:
    """Does it and says nothing more, the connection open, until the other side has gone."""

    def waiting(peer: socket.socket) -> None:
        act(peer)
        peer.settimeout(seconds)
        peer.recv(1)

    return waiting


def drip(piece: bytes, pause_s: float, first: bytes = b"") -> Act:
    """The same few bytes for ever."""

    def act(peer: socket.socket) -> None:
        peer.sendall(first)
        while True:
            peer.sendall(piece)
            time.sleep(pause_s)

    return act


def nothing(peer: socket.socket) -> None:
    """The connection is closed before anything is said."""


def by_request(say: Callable[[dict], Act]) -> Act:
    """What is done follows from the request's body."""

    def act(peer: socket.socket) -> None:
        raise AssertionError("the server hands the request over")

    act.say = say  # type: ignore[attr-defined]
    return act


class Server:
    """`with Server(act, ...) as server`: acts in turn, the last one again and again. `requests`: what was asked."""

    def __init__(self, *acts: Act) -> None:
        self.acts = list(acts)
        self.requests: list[tuple[dict[str, str], dict]] = []
        self.lines: list[str] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()

    def _listen(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            act = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
            threading.Thread(target=self._serve, args=(peer, act), daemon=True).start()

    def _serve(self, peer: socket.socket, act: Act) -> None:
        with peer:
            try:
                with peer.makefile("rb") as lines:
                    self.lines.append(lines.readline().decode().strip())
                    headers = {}
                    while line := lines.readline().decode().strip():
                        name, _, value = line.partition(": ")
                        headers[name.lower()] = value
                    body = json.loads(lines.read(int(headers.get("content-length", 0))))
                    self.requests.append((headers, body))
                say = getattr(act, "say", None)
                (act if say is None else say(body))(peer)
            except OSError:
                return  # the other side has had enough
