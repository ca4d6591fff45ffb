# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda serve` with a test at the other end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 60 * float(os.environ.get("STITCH_TEST_PATIENCE", "1"))
TOKEN = "0123456789abcdef0123456789abcdef"


class Service:
    def __init__(self, build: pathlib.Path, folder: pathlib.Path, *arguments: str, variable: bool = True) -> None:
        self.folder = folder
        environment = {**os.environ, "STITCHCUDA_STATE": str(folder / "state")}
        if variable:
            environment["STITCHCUDA_SERVE_TOKEN"] = TOKEN
        command = [str(build / "stitchcuda"), "serve", "--state", str(folder / "serve"), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment)
        assert self.process.stderr is not None
        self.said = []
        self.port = 0
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"listening on http://[^:]+:(\d+);", line):
                self.port = int(found[1])
                break
        self.reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str], Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            sent = {"Authorization": f"Bearer {TOKEN}", **headers}
            text = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
            connection.request(method, path, text, sent)
            answer = connection.getresponse()
            said = answer.read()
            with contextlib.suppress(ValueError):
                return answer.status, dict(answer.getheaders()), json.loads(said)
            return answer.status, dict(answer.getheaders()), said.decode()

    def end(self, signal: int) -> int:
        self.process.send_signal(signal)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def serve(build: pathlib.Path, folder: pathlib.Path, *arguments: str, **options: bool) -> Iterator[Service]:
    service = Service(build, folder, *arguments, **options)
    try:
        yield service
    finally:
        service.process.kill()
        service.process.wait()


def request(request_id: str, text: str, **members: object) -> dict[str, Any]:
    return {"schema": "stitchcuda.eval/1", "request_id": request_id, "task": {"id": "linear_relu"},
            "candidate": {"format": "completion", "text": text}, **members}
