# SPDX-License-Identifier: Apache-2.0
"""The client of `stitchcuda serve` against a stub: what is tried again, what is not, and how long."""

from __future__ import annotations

import asyncio
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from stitchcuda import evaluation
from stitchcuda.evaluation import (
    AsyncEvaluationClient,
    DeadlinePassed,
    EvaluationClient,
    RequestRefused,
    request_of,
)

from .stub_service import TOKEN, Said, Stub, answer, stub_service

Evaluate = Callable[..., dict[str, Any]]


def by_thread(url: str, request: dict[str, Any], **options: Any) -> dict[str, Any]:
    return EvaluationClient(url, token=TOKEN, **options).evaluate(request)


def by_coroutine(url: str, request: dict[str, Any], **options: Any) -> dict[str, Any]:
    return asyncio.run(AsyncEvaluationClient(url, token=TOKEN, **options).evaluate(request))


BOTH = pytest.mark.parametrize("evaluate", [by_thread, by_coroutine])
REQUEST = request_of("task", "completion", "text")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_pause", lambda heard, failures: 0.001)


def in_turn(*said: Said) -> Callable[[str, str, Any], Said]:
    left = list(said)
    return lambda method, path, body: left.pop(0) if len(left) > 1 else left[0]


def paths(stub: Stub) -> list[str]:
    return [f"{method} {path}" for method, path, _ in stub.heard]


@BOTH
def test_what_has_not_ended_is_waited_for(evaluate: Evaluate) -> None:
    with stub_service(in_turn((202, {}, answer(status="queued")), (202, {}, answer(status="running")),
                              (200, {}, answer()))) as stub:
        assert evaluate(stub.url, REQUEST)["reward"]["value"] == 0.5
        assert paths(stub) == ["POST /v1/evaluations", "GET /v1/evaluations/ev-1", "GET /v1/evaluations/ev-1"]


@BOTH
def test_what_may_be_tried_again_is(evaluate: Evaluate) -> None:
    with stub_service(in_turn((429, {"Retry-After": "2"}, {"error": "full"}), (503, {}, {"error": "drains"}),
                              (0, {}, None), (500, {}, "no JSON"), (200, {}, answer()))) as stub:
        assert evaluate(stub.url, REQUEST)["outcome"] == "ok"
        bodies = [body for _, _, body in stub.heard]
        assert len(bodies) == 5
        assert all(body == REQUEST for body in bodies), "another body would be another evaluation"


@BOTH
@pytest.mark.parametrize("status", [400, 401, 403, 409, 413])
def test_what_will_be_refused_again_is_not_tried_again(evaluate: Evaluate, status: int) -> None:
    with stub_service(in_turn((status, {}, {"error": "because"}))) as stub:
        with pytest.raises(RequestRefused, match=f"{status}: because") as refused:
            evaluate(stub.url, REQUEST)
        assert refused.value.status == status
        assert len(stub.heard) == 1


@BOTH
def test_a_service_that_forgot_is_asked_anew(evaluate: Evaluate) -> None:
    with stub_service(in_turn((202, {}, answer(status="queued")), (404, {}, {"error": "none"}),
                              (200, {}, answer()))) as stub:
        assert evaluate(stub.url, REQUEST)["outcome"] == "ok"
        assert paths(stub)[-1] == "POST /v1/evaluations"


@BOTH
def test_nothing_is_tried_beyond_the_deadline(evaluate: Evaluate) -> None:
    with stub_service(in_turn((503, {}, {"error": "drains"}))) as stub, pytest.raises(DeadlinePassed, match="drains"):
        evaluate(stub.url, REQUEST, deadline_s=0.1)
    with pytest.raises(DeadlinePassed):
        evaluate("http://127.0.0.1:9", REQUEST, deadline_s=0.1)


def test_pauses_grow_heed_the_service_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    heard = evaluation._Heard(503, {}, b"")
    assert 0.125 <= evaluation._pause(heard, 0) <= 0.375
    assert 15 <= evaluation._pause(heard, 50) <= 45
    assert 3.5 <= evaluation._pause(evaluation._Heard(429, {"retry-after": "7"}, b""), 0) <= 10.5
    assert len({evaluation._pause(heard, 3) for _ in range(20)}) > 10


def test_the_key_follows_from_the_request() -> None:
    assert REQUEST == request_of("task", "completion", "text")
    others = [request_of("task", "completion", "other"), request_of("other", "completion", "text"),
              request_of("task", "completion", "text", key=1), request_of("task", "completion", "text", run_id="b"),
              request_of("task", "files", {"a.cu": "text"}),
              request_of("task", "completion", "text", profile="stitch_v1")]
    assert len({REQUEST["request_id"], *(other["request_id"] for other in others)}) == 7
    assert request_of("t", "completion", "x", task={"version": "v"})["task"] == {
        "id": "t", "skill": "generate", "version": "v"}


def test_tokens_come_from_files_or_the_environment(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stub_service(in_turn((200, {}, answer()))) as stub:
        with pytest.raises(RequestRefused, match="401"):
            EvaluationClient(stub.url).evaluate(REQUEST)
        (tmp_path / "token").write_text(TOKEN + "\n")
        assert EvaluationClient(stub.url, token_file=tmp_path / "token").evaluate(REQUEST)["outcome"] == "ok"
        monkeypatch.setenv(evaluation.TOKEN_VARIABLE, TOKEN)
        assert EvaluationClient(stub.url).evaluate(REQUEST)["outcome"] == "ok"
    with pytest.raises(ValueError, match="no address"):
        EvaluationClient("127.0.0.1:8940")


def test_thousands_may_wait_at_once() -> None:
    async def all_of(url: str) -> list[dict[str, Any]]:
        client = AsyncEvaluationClient(url, token=TOKEN)
        return await asyncio.gather(*(client.evaluate(request_of("t", "completion", str(i))) for i in range(200)))

    with stub_service(lambda method, path, body: (200, {}, {**answer(), "request_id": body["request_id"]})) as stub:
        answers = asyncio.run(all_of(stub.url))
    assert len({one["request_id"] for one in answers}) == 200
