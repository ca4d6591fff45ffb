# SPDX-License-Identifier: Apache-2.0
"""stitchcuda mcp with a test at the other end: what it is sent byte by byte, and what it says line by line."""

import contextlib
import http.client
import json
import os
import pathlib
import queue
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("STITCHCUDA_BUILD", "build") / "stitchcuda"
PATIENCE = 60 * float(os.environ.get("STITCH_TEST_PATIENCE", "1"))
INITIALIZE = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}


def request(number: object, method: str, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: object, tool: str, **arguments: object) -> dict[str, Any]:
    return request(number, "tools/call", name=tool, arguments=arguments)


def descendants(pid: int) -> list[int]:
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            state, parent = process.joinpath("stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found += [int(process.name), *descendants(int(process.name))]
    return found


def seconds_until_gone(pids: list[int], begun: float) -> float:
    """Since `begun`, at most a few."""
    while any(pathlib.Path(f"/proc/{pid}/cwd").exists() for pid in pids) and time.monotonic() < begun + 5:
        time.sleep(0.01)
    return time.monotonic() - begun


class Peer:
    """Over stdin and stdout."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen([str(PROGRAM), "mcp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
                                        env={**os.environ, **environment})
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.reader = threading.Thread(target=self.read_lines, daemon=True)
        self.reader.start()

    def read_lines(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def receive(self) -> Any:
        return json.loads(self.lines.get(timeout=PATIENCE))

    def ask(self, message: object) -> Any:
        self.send(message)
        return self.receive()

    def begin(self, version: str = "2025-06-18") -> None:
        hello = {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": version}}
        assert self.ask(hello)["result"]["protocolVersion"] == version
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def close(self) -> float:
        """Closes its input; the seconds until it is gone with all that it started."""
        assert self.process.stdin is not None
        started = descendants(self.process.pid)
        begun = time.monotonic()
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0
        return seconds_until_gone(started, begun)


class HttpPeer:
    """Over HTTP on a port that is free."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.token = token
        self.session = ""

    def post(self, body: bytes, **headers: str | None) -> tuple[int, dict[str, str], bytes]:
        return self.send("POST", body, **headers)

    def send(self, method: str, body: bytes = b"", path: str = "/mcp",
             **headers: str | None) -> tuple[int, dict[str, str], bytes]:
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                "Authorization": f"Bearer {self.token}"}
        if self.session:
            sent["Mcp-Session-Id"] = self.session
        for name, value in headers.items():
            sent[name.replace("_", "-")] = value  # type: ignore[assignment]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def ask(self, message: object) -> Any:
        status, headers, body = self.post(json.dumps(message).encode())
        assert status == 200, body
        self.session = headers.get("mcp-session-id", self.session)
        if headers["content-type"] == "text/event-stream":
            said = re.findall(rb"^data: (.*)$", body, re.M)
            return json.loads(said[-1])
        return json.loads(body)


@contextlib.contextmanager
def http_server(folder: pathlib.Path, *arguments: str) -> Iterator[HttpPeer]:
    file = folder / "token"
    process = subprocess.Popen([str(PROGRAM), "mcp", "--http", "0", "--token-file", str(file), *arguments], cwd=ROOT,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None and process.stdout is not None
        said = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said)
        assert found is not None, said
        yield HttpPeer(int(found[1]), file.read_text().strip())
        process.terminate()
        assert process.wait(PATIENCE) == 130
        assert process.stdout.read() == ""
    finally:
        process.kill()
        process.wait()
