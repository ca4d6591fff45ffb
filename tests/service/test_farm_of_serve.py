# SPDX-License-Identifier: Apache-2.0
"""The service while workers and itself are killed, over both stores; and candidates that misbehave for real."""

from __future__ import annotations

import contextlib
import http.server
import json
import pathlib
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from .serve import ROOT, Service, request, serve
from .test_serve import TASK, sources, wait_for

NO_REDIS = "no redis-server here: 'tools/setup --tests' brings it (Debian's redis-tools)"
STORES = pytest.mark.parametrize("kind", ["sqlite", pytest.param("redis", marks=pytest.mark.skipif(
    shutil.which("redis-server") is None, reason=NO_REDIS))])
VERDICT_ALONE = ["extract", "static", "compile", "verify"]


@contextlib.contextmanager
def store_of(kind: str, build: pathlib.Path, folder: pathlib.Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:{folder / 'jobs.db'}"
        return
    with subprocess.Popen([build / "stitchcuda-store-load", "redis"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield server.stdout.readline().strip()
        server.stdin.close()


def worker(build: pathlib.Path, store: str, artefacts: pathlib.Path) -> subprocess.Popen:
    return subprocess.Popen([build / "stitchcuda", "work", "--store", store, "--artefacts", artefacts, "--class",
                             "build", "--lease", "2", "--quiet"])


@pytest.mark.long
@STORES
def test_a_job_outlives_its_worker(build: pathlib.Path, tmp_path: pathlib.Path, kind: str) -> None:
    """S2."""
    artefacts = ("--artefacts", str(tmp_path / "artefacts"))
    with store_of(kind, build, tmp_path) as store, serve(build, tmp_path, "--tasks", TASK, "--store", store,
                                                         *artefacts) as service:
        first = worker(build, store, tmp_path / "artefacts")
        asked = {**request("a", ""), "candidate": sources("plain_linear_relu"), "stages": VERDICT_ALONE}
        service.ask("POST", "/v1/evaluations", asked)
        while 'class="build",state="leased"} 1' not in service.ask("GET", "/metrics")[2]:
            time.sleep(0.05)
        first.kill()
        first.wait()
        second = worker(build, store, tmp_path / "artefacts")
        try:
            answer = wait_for(service, asked)
        finally:
            second.kill()
            second.wait()
        assert (answer["outcome"], answer["worker"]["attempt"]) == ("ok", 2)


@pytest.mark.long
@STORES
def test_nothing_is_lost_where_the_service_is_killed_under_load(build: pathlib.Path, tmp_path: pathlib.Path,
                                                                kind: str) -> None:
    """S7, of the service; tests/farm/test_kills.py kills the server."""
    asked = [request(str(i), f"```cuda\nint wrong_{i}( {{\n```\n", stages=VERDICT_ALONE) for i in range(12)]
    options = ("--tasks", TASK, "--artefacts", str(tmp_path / "artefacts"))
    with store_of(kind, build, tmp_path) as store:
        working = worker(build, store, tmp_path / "artefacts")
        try:
            for half in (asked[:6], asked[6:]):
                with serve(build, tmp_path, *options, "--store", store) as service:
                    assert {service.ask("POST", "/v1/evaluations", one)[0] for one in half} == {202}
                    assert service.end(signal.SIGKILL) == -9
            with serve(build, tmp_path, *options, "--store", store) as service:
                answers = [wait_for(service, one) for one in asked]
        finally:
            working.kill()
            working.wait()
    assert {answer["outcome"] for answer in answers} == {"compile_error"}
    assert len({answer["id"] for answer in answers}) == len(asked)


HOSTILE = {
    "forks": ("for (int i = 0; i < 5000; ++i) { if (fork() == 0) { pause(); } }", {"runtime_error", "hack"}),
    "hangs": ("for (;;) { pause(); }", {"timeout", "hack"}),
    "prints": ("for (long i = 0; i < (1L << 20); ++i) { fwrite(text, 1, sizeof text, stdout); }", {"ok", "timeout"}),
    "crashes": ("static int* volatile nowhere = nullptr; *nowhere = 1;", {"runtime_error"}),
    "eats memory": ("for (;;) { memset(malloc(1 << 24), 1, 1 << 24); }", {"runtime_error", "timeout"}),
}


def misbehaving(service: Service, name: str, code: str) -> dict:
    text = ("#include <unistd.h>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
            "#include \"linear_relu.h\"\nstatic char text[1024];\nstatic volatile int is_on = 1;\n"
            f"static int run_program(const Call& call) {{\n  if (is_on) {{ {code} }}\n  return honest(call);\n}}\n")
    candidate = sources("plain_linear_relu")
    candidate["files"][0]["content"] = text
    return wait_for(service, {**request(name, ""), "candidate": candidate, "stages": VERDICT_ALONE,
                              "limits": {"verify_s": 10}}, 900)


@pytest.mark.long
def test_candidates_that_misbehave_are_contained(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """S3."""
    assert (ROOT / "tests" / "honest").is_dir()
    with serve(build, tmp_path, "--tasks", TASK) as service:
        for name, (code, outcomes) in HOSTILE.items():
            answer = misbehaving(service, name, code)
            assert answer["outcome"] in outcomes, answer
            assert answer["trainable"]
        good = {**request("good", ""), "candidate": sources("plain_linear_relu"), "stages": VERDICT_ALONE}
        assert wait_for(service, good)["outcome"] == "ok"


DIMENSIONS = ("anti_hacking", "cuda_engineering", "operator_coverage", "skill_compliance")


@contextlib.contextmanager
def judge(flag: object) -> Iterator[str]:
    """A model that gives every dimension 2, and says of a major hack what it is told to say."""
    said = json.dumps({"marks": dict.fromkeys(DIMENSIONS, 2), "major_hack": flag, "reason": "said by a fake"})

    class Model(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"choices": [{"message": {"content": said}}]}).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.mark.long
@pytest.mark.parametrize(("flag", "status", "multiplier"), [(False, "ok", 0.875), ("false", "fallback", 1)])
def test_a_judge_lowers_marks_or_is_left_out(build: pathlib.Path, tmp_path: pathlib.Path, flag: object, status: str,
                                             multiplier: float) -> None:
    """S9: a quoted boolean is no answer."""
    with judge(flag) as url, serve(build, tmp_path, "--tasks", TASK, "--judge", url) as service:
        answer = wait_for(service, {**request("a", ""), "candidate": sources("plain_linear_relu")}, 900)
        assert (answer["rubric"]["status"], answer["reward"]["rubric_multiplier"]) == (status, multiplier), answer
        fell_back = int(status == "fallback")
        metrics = service.ask("GET", "/metrics")[2]
        assert f"stitchcuda_serve_judge_fallbacks_total {fell_back}\n" in metrics
        assert f"stitchcuda_serve_judge_alarm {fell_back}\n" in metrics
