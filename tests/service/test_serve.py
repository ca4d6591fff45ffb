# SPDX-License-Identifier: Apache-2.0
"""stitchcuda serve as a process: who may ask, what it promises in its document, and how it ends."""

from __future__ import annotations

import json
import pathlib
import signal
import stat
import subprocess
import time
from typing import Any

import jsonschema
import pytest

from .serve import ROOT, TOKEN, Service, request, serve

TASK = str(ROOT / "tests" / "programs" / "linear_relu.py")
NO_CODE = request("no-code", "I cannot.")
BROKEN = "Here it is.\n```cuda\nint main( {\n```\n"


@pytest.fixture(scope="module")
def document(build: pathlib.Path) -> dict[str, Any]:
    return json.loads(subprocess.run([build / "stitchcuda", "serve", "--openapi"], capture_output=True, check=True,
                                     text=True).stdout)


def check(document: dict[str, Any], name: str, said: object) -> None:
    jsonschema.validate(said, {**document, "$ref": f"#/components/schemas/{name}"})


@pytest.fixture(scope="module")
def idle(build: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Nobody works for it: what it answers, it answers itself."""
    folder = tmp_path_factory.mktemp("serve")
    with serve(build, folder, "--tasks", TASK, "--workers", "0", "--max-body", "1") as service:
        yield service


def test_answers_are_those_of_the_document(idle: Service, document: dict[str, Any]) -> None:
    check(document, "Request", NO_CODE)
    status, _, answer = idle.ask("POST", "/v1/evaluations", NO_CODE)
    assert (status, answer["outcome"], answer["reward"]["value"]) == (200, "invalid_output", 0)
    check(document, "Evaluation", answer)
    status, _, answer = idle.ask("POST", "/v1/evaluations?wait=0.1", request("waits", BROKEN))
    assert (status, answer["status"], answer["outcome"]) == (202, "queued", None)
    check(document, "Evaluation", answer)
    status, _, answer = idle.ask("DELETE", f"/v1/evaluations/{answer['id']}")
    assert (status, answer["status"]) == (200, "cancelled")
    check(document, "Evaluation", answer)
    status, _, answer = idle.ask("POST", "/v1/evaluations", {**NO_CODE, "cache": "none"})
    assert status == 409
    check(document, "Error", answer)
    assert idle.ask("GET", "/openapi.json")[2] == document
    assert [task["id"] for task in idle.ask("GET", "/v1/tasks")[2]["tasks"]] == ["linear_relu"]


@pytest.mark.parametrize(("method", "path", "headers", "status"), [
    ("GET", "/healthz", {"Authorization": "Bearer wrong"}, 200), ("GET", "/metrics", {}, 200),
    ("GET", "/metrics", {"Authorization": "Bearer wrong"}, 401), ("GET", "/metrics", {"Host": "example.com"}, 403),
    ("GET", "/metrics", {"Origin": "http://example.com"}, 403), ("PUT", "/v1/evaluations", {}, 405),
    ("GET", "/else", {}, 404)])
def test_who_may_ask(idle: Service, method: str, path: str, headers: dict[str, str], status: int) -> None:
    assert idle.ask(method, path, None, **headers)[0] == status


def test_a_long_body_is_not_read(idle: Service) -> None:
    try:
        assert idle.ask("POST", "/v1/evaluations", b" " * (2 << 20))[0] == 413
    except (BrokenPipeError, ConnectionResetError):  # it did not read on
        pass
    assert idle.ask("GET", "/healthz")[0] == 200


def test_a_token_is_made_and_never_told(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "token"
    options = ("--tasks", TASK, "--workers", "0", "--token-file", str(file))
    with serve(build, tmp_path, *options, variable=False) as service:
        token = file.read_text().strip()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert service.ask("GET", "/v1/tasks")[0] == 401
        assert service.ask("GET", "/v1/tasks", Authorization=f"Bearer {token}")[0] == 200
        assert service.end(signal.SIGTERM) == 0
        service.reader.join()
        assert token not in "".join(service.said)
        command = pathlib.Path(f"/proc/{service.process.pid}/cmdline")
        assert not command.exists() or token.encode() not in command.read_bytes()
    kept = [path for path in (tmp_path / "serve").rglob("*") if path.is_file()]
    assert not [path for path in kept if token.encode() in path.read_bytes()]


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_was_taken_outlives_the_service(build: pathlib.Path, tmp_path: pathlib.Path, ending: int) -> None:
    options = ("--tasks", TASK, "--workers", "0", "--grace", "0.1")
    with serve(build, tmp_path, *options) as service:
        _, _, first = service.ask("POST", "/v1/evaluations", request("a", BROKEN))
        begun = time.monotonic()
        assert service.end(ending) == (-9 if ending == signal.SIGKILL else 0)
        assert time.monotonic() - begun < 10, "it lets go of what waits for workers"
    with serve(build, tmp_path, *options) as service:
        _, _, again = service.ask("POST", "/v1/evaluations", request("a", BROKEN))
        assert (again["id"], again["status"]) == (first["id"], "queued")
        assert "stitchcuda_serve_open 1\n" in service.ask("GET", "/metrics")[2]


def test_a_client_that_waits_does_not_keep_it_from_ending(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with serve(build, tmp_path, "--tasks", TASK, "--workers", "0") as service:
        _, _, posted = service.ask("POST", "/v1/evaluations", request("a", BROKEN))
        command = ["curl", "-s", "-H", f"Authorization: Bearer {TOKEN}",
                   f"http://127.0.0.1:{service.port}/v1/evaluations/{posted['id']}?wait=25"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as client:
            time.sleep(0.3)
            begun = time.monotonic()
            assert service.end(signal.SIGINT) == 0
            assert time.monotonic() - begun < 5, "Ctrl-C ends it within a second, on a machine that is not overloaded"
            client.wait(20)


@pytest.mark.parametrize(("arguments", "sentence"), [
    ([], "serve needs --tasks"), (["--tasks", "none.py"], "there is no none.py"),
    (["--tasks", TASK, "--listen", "somewhere"], "'somewhere' is no port to listen on"),
    (["--tasks", TASK, "--store", "redis://127.0.0.1:1"], "share for files"),
    (["--tasks", TASK, "--device", "gpu", "--workers", "2"], "workers of the service's own have no GPU"),
    (["--tasks", TASK, "--token-file", "readable"], "others may read the token")])
def test_a_mistaken_command_is_told(build: pathlib.Path, tmp_path: pathlib.Path, arguments: list[str],
                                    sentence: str) -> None:
    (tmp_path / "readable").write_text("0123456789abcdef\n")
    (tmp_path / "readable").chmod(0o644)
    command = [build / "stitchcuda", "serve", "--json", "--state", tmp_path / "serve", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60)
    assert ended.returncode == 2, ended
    assert sentence in json.loads(ended.stdout)["error"]["sentence"]


def wait_for(service: Service, one: dict[str, Any], seconds: float = 280) -> dict[str, Any]:
    answer = {"status": "queued"}
    until = time.monotonic() + seconds
    while answer["status"] in ("queued", "running"):
        assert time.monotonic() < until, service.said
        _, _, answer = service.ask("POST", "/v1/evaluations?wait=25", one)
    return answer


def sources(name: str) -> dict[str, Any]:
    folder = ROOT / "tests" / "honest" / "native" / "numerics" / name / "candidate"
    include = ROOT / "tests" / "candidates" / "include"
    files = [folder / "program.cu", include / "candidate.h", include / "linear_relu.h"]
    return {"format": "files", "files": [{"path": file.name, "content": file.read_text()} for file in files]}


def test_a_real_candidate_has_its_reward(build: pathlib.Path, tmp_path: pathlib.Path,
                                         document: dict[str, Any]) -> None:
    with serve(build, tmp_path, "--tasks", TASK) as service:
        broken = wait_for(service, request("broken", BROKEN))
        assert (broken["outcome"], broken["reward"]["value"]) == ("compile_error", 0)
        assert "program.cu" in broken["feedback"]["text"]
        right = wait_for(service, {**request("right", ""), "candidate": sources("plain_linear_relu"),
                                   "stages": ["extract", "static", "compile", "verify"]})
        assert (right["outcome"], right["reward"]["value"]) == ("ok", 0.5), right
        for answer in (broken, right):
            check(document, "Evaluation", answer)
