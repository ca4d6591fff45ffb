# SPDX-License-Identifier: Apache-2.0
"""A stand-in for `stitchcuda serve`: what each request is answered, a test says."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

TOKEN = "0123456789abcdef"
OUTCOMES = ("ok", "invalid_output", "static_reject", "compile_error", "runtime_error", "timeout", "mismatch", "hack",
            "infra_error")
METRICS = ("compiled", "correct", "speedup_eager", "speedup_compile", "kernel_ms", "ref_ms", "noise_rel", "coverage")
Said = tuple[int, dict[str, str], Any]


def answer(outcome: str = "ok", reward: float | None = 0.5, status: str = "done") -> dict[str, Any]:
    """Every key of the schema, as the service has them."""
    is_right = outcome == "ok"
    metrics: dict[str, Any] = dict.fromkeys(METRICS)
    if outcome != "infra_error":
        metrics |= {"compiled": int(outcome != "compile_error"), "correct": int(is_right)}
    return {
        "schema": "stitchcuda.eval/1", "id": "ev-1", "request_id": "r", "status": status,
        "outcome": outcome if status == "done" else None, "sentence": "so it is",
        "reward": {"value": None if outcome == "infra_error" else reward, "milestone": None, "rule": None,
                   "rubric_multiplier": None, "profile": "stitch_v1", "reason": ""},
        "trainable": outcome != "infra_error", "metrics": metrics,
        "rubric": {"status": "skipped", "total": None, "dims": {}, "flag_major": False, "why": ""},
        "feedback": {"text": f"It is {outcome}.", "truncated": False, "stage": "verify", "sha256": "f" * 64},
        "evidence": {"candidate_sha256": "c" * 64, "build_sha256": None, "task_version": "v",
                     "profile_version": "stitch_v1", "artefacts": []},
        "timing": dict.fromkeys(("compile_s", "verify_s", "profile_s", "rubric_s")) | {"queue_s": 1.5, "total_s": 4.0},
        "worker": dict.fromkeys(("id", "device", "gpu_uuid", "driver", "sm_clock_mhz", "mem_clock_mhz", "attempt")),
        "cache": {"compile": False, "correctness": False, "timing": False}}


class Stub:
    """`say` is asked with method, path and body; its answers are kept with what they answered in `heard`."""

    def __init__(self, say: Callable[[str, str, Any], Said]) -> None:
        self.say = say
        self.heard: list[tuple[str, str, Any]] = []
        self.url = ""


@contextlib.contextmanager
def stub_service(say: Callable[[str, str, Any], Said]) -> Iterator[Stub]:
    stub = Stub(say)

    class Handler(http.server.BaseHTTPRequestHandler):
        def reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            asked = (self.command, self.path.partition("?")[0], json.loads(body) if body else None)
            stub.heard.append(asked)
            authorized = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            status, headers, said = stub.say(*asked) if authorized else (401, {}, {"error": "send the token"})
            if status == 0:  # the connection breaks
                self.close_connection = True
                return
            text = json.dumps(said).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_DELETE = reply

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
