# SPDX-License-Identifier: Apache-2.0
"""Rewards from `stitchcuda serve` (docs/service.md), for programs that wait and for coroutines.

    client = EvaluationClient("http://127.0.0.1:8940", token_file="serve-token")
    answer = client.evaluate(request_of("model", "completion", text, profile="stitch_v1"))
    answer["reward"]["value"]                # None exactly where the world failed

What may be tried again is tried again, with jitter, until the deadline: 429, 5xx, and connections that fail. The
request carries its own key, so that a second post of it is no second execution. Needs nothing beside Python.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import http.client
import json
import os
import pathlib
import random
import ssl
import time
import urllib.parse
from collections.abc import Generator, Mapping
from typing import Any

SCHEMA = "stitchcuda.eval/1"
TOKEN_VARIABLE = "STITCHCUDA_SERVE_TOKEN"
LONG_POLL_S = 25.0
Answer = dict[str, Any]


class EvaluationFailed(Exception):
    """No answer: the service refused the request, or did not give one until the deadline."""


class RequestRefused(EvaluationFailed):
    """400, 401, 403, 404, 409 or 413: the same request will be refused again."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(f"{status}: {sentence}")
        self.status = status


class DeadlinePassed(EvaluationFailed):
    """What was last heard is in the message."""


def request_of(task_id: str, form: str, candidate: str | Mapping[str, str], *, profile: str | None = None,
               skill: str = "generate", run_id: str = "default", key: object = "", **members: Any) -> Answer:
    """A request whose request_id follows from all of it and `key` (step, prompt, sample), so that it is the same when
    it is made again. `form` is "completion" (a text) or "files" (contents by path)."""
    if form == "completion":
        body: Answer = {"format": form, "text": candidate}
    else:
        assert isinstance(candidate, Mapping)
        body = {"format": form, "files": [{"path": path, "content": text} for path, text in candidate.items()]}
    request: Answer = {"schema": SCHEMA, "task": {"id": task_id, "skill": skill}, "candidate": body}
    if profile is not None:
        request["reward"] = {"profile": profile}
    for name, value in members.items():
        both = isinstance(value, Mapping) and isinstance(request.get(name), Mapping)
        request[name] = {**request[name], **value} if both else value
    request["trial"] = {"run_id": run_id, **request.get("trial", {})}
    named = json.dumps([request, str(key)], sort_keys=True)
    request["request_id"] = f"{run_id}:{hashlib.sha256(named.encode()).hexdigest()}"
    return request


@dataclasses.dataclass
class _Ask:
    method: str
    target: str
    body: bytes
    timeout_s: float


@dataclasses.dataclass
class _Sleep:
    seconds: float


@dataclasses.dataclass
class _Heard:
    """Status 0: the connection failed, and `body` says how."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            return {"error": f"no JSON: {self.body[:200]!r}"}

    def sentence(self) -> str:
        said = self.json() if self.status else None
        return str(said["error"]) if isinstance(said, dict) and "error" in said else repr(self.body[:200])


_Conversation = Generator["_Ask | _Sleep", "_Heard | None", Answer]


def _may_try_again(status: int) -> bool:
    return status in (0, 429) or status >= 500


def _pause(heard: _Heard, failures: int) -> float:
    asked = heard.headers.get("retry-after", "")
    base = float(asked) if asked.isdigit() else min(30.0, 0.25 * 2.0 ** failures)
    return base * random.uniform(0.5, 1.5)


def _evaluate(request: Mapping[str, Any], deadline: float) -> _Conversation:
    """One evaluation from its post to its end, without input or output of its own: who drives it sends and sleeps."""
    body = json.dumps(request).encode()
    place, method, failures, last = "/v1/evaluations", "POST", 0, "nothing was heard"
    while (left := deadline - time.monotonic()) > 0:
        wait = min(LONG_POLL_S, left)
        heard = yield _Ask(method, f"{place}?wait={wait:.3f}", body if method == "POST" else b"", wait + 30)
        assert heard is not None
        if heard.status == 200:
            answer: Answer = heard.json()
            return answer
        if heard.status == 202:
            place, method, failures, last = f"/v1/evaluations/{heard.json()['id']}", "GET", 0, "it had not ended"
        elif heard.status == 404 and method == "GET":  # a service that lost what it knew is asked anew
            place, method = "/v1/evaluations", "POST"
        elif _may_try_again(heard.status):
            last = f"{heard.status}: {heard.sentence()}"
            yield _Sleep(min(_pause(heard, failures), max(0.0, deadline - time.monotonic())))
            failures += 1
        else:
            raise RequestRefused(heard.status, heard.sentence())
    raise DeadlinePassed(f"no answer until the deadline; {last}")


def _ask_once(method: str, target: str, deadline: float, body: bytes = b"") -> _Conversation:
    failures = 0
    while True:
        heard = yield _Ask(method, target, body, 30)
        assert heard is not None
        if heard.status == 200:
            answer: Answer = heard.json()
            return answer
        if not _may_try_again(heard.status):
            raise RequestRefused(heard.status, heard.sentence())
        if time.monotonic() >= deadline:
            raise DeadlinePassed(f"{heard.status}: {heard.sentence()}")
        yield _Sleep(_pause(heard, failures))
        failures += 1


class _Place:
    """Where the service is, and the token, which is read once and never shown."""

    def __init__(self, url: str, token: str | None, token_file: str | os.PathLike[str] | None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a service: say http://HOST:PORT")
        self.is_encrypted = parts.scheme == "https"
        self.host: str = parts.hostname
        self.port: int = parts.port or (443 if self.is_encrypted else 80)
        self.prefix = parts.path.rstrip("/")
        if token is None and token_file is not None:
            token = pathlib.Path(token_file).read_text(encoding="utf-8").strip()
        self._token: str = token or os.environ.get(TOKEN_VARIABLE, "")

    def headers(self, ask: _Ask) -> dict[str, str]:
        return {"Host": f"{self.host}:{self.port}", "Authorization": f"Bearer {self._token}", "Connection": "close",
                "Content-Type": "application/json", "Content-Length": str(len(ask.body))}


class _Client:
    """What is asked of the service; a client says how its caller waits for it."""

    def __init__(self, url: str, *, token: str | None = None, token_file: str | os.PathLike[str] | None = None,
                 deadline_s: float = 1500) -> None:
        self.place, self.deadline_s = _Place(url, token, token_file), deadline_s

    def _evaluation(self, request: Mapping[str, Any]) -> _Conversation:
        return _evaluate(request, time.monotonic() + self.deadline_s)

    def _cancellation(self, evaluation_id: str) -> _Conversation:
        return _ask_once("DELETE", f"/v1/evaluations/{evaluation_id}", time.monotonic() + self.deadline_s)


class EvaluationClient(_Client):
    """Waits in the calling thread; any number of threads may share one."""

    def evaluate(self, request: Mapping[str, Any]) -> Answer:
        """The answer once it has ended. RequestRefused, or DeadlinePassed."""
        return self._drive(self._evaluation(request))

    def cancel(self, evaluation_id: str) -> Answer:
        return self._drive(self._cancellation(evaluation_id))

    def tasks(self) -> Answer:
        return self._drive(_ask_once("GET", "/v1/tasks", time.monotonic() + self.deadline_s))

    def _drive(self, conversation: _Conversation) -> Answer:
        heard: _Heard | None = None
        while True:
            try:
                step = conversation.send(heard)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            if isinstance(step, _Sleep):
                time.sleep(step.seconds)
                heard = None
            else:
                heard = self._send(step)

    def _send(self, ask: _Ask) -> _Heard:
        kind = http.client.HTTPSConnection if self.place.is_encrypted else http.client.HTTPConnection
        connection = kind(self.place.host, self.place.port, timeout=ask.timeout_s)
        try:
            connection.request(ask.method, self.place.prefix + ask.target, ask.body, self.place.headers(ask))
            said = connection.getresponse()
            headers = {name.lower(): value for name, value in said.getheaders()}
            return _Heard(said.status, headers, said.read())
        except (OSError, http.client.HTTPException) as failed:
            return _Heard(0, {}, str(failed).encode())
        finally:
            connection.close()


class AsyncEvaluationClient(_Client):
    """The same for coroutines: thousands may wait at once, none of them in a thread."""

    async def evaluate(self, request: Mapping[str, Any]) -> Answer:
        """The answer once it has ended. RequestRefused, or DeadlinePassed."""
        return await self._drive(self._evaluation(request))

    async def cancel(self, evaluation_id: str) -> Answer:
        return await self._drive(self._cancellation(evaluation_id))

    async def _drive(self, conversation: _Conversation) -> Answer:
        heard: _Heard | None = None
        while True:
            try:
                step = conversation.send(heard)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            if isinstance(step, _Sleep):
                await asyncio.sleep(step.seconds)
                heard = None
            else:
                heard = await self._send(step)

    async def _send(self, ask: _Ask) -> _Heard:
        try:
            return await asyncio.wait_for(self._exchange(ask), ask.timeout_s)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError) as failed:
            return _Heard(0, {}, repr(failed).encode())

    async def _exchange(self, ask: _Ask) -> _Heard:
        context = ssl.create_default_context() if self.place.is_encrypted else None
        reader, writer = await asyncio.open_connection(self.place.host, self.place.port, ssl=context)
        try:
            lines = [f"{ask.method} {self.place.prefix + ask.target} HTTP/1.1",
                     *(f"{name}: {value}" for name, value in self.place.headers(ask).items())]
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + ask.body)
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = (line.partition(":") for line in head[1:])
            headers = {name.strip().lower(): value.strip() for name, _, value in fields}
            length = headers.get("content-length")
            body = await (reader.read() if length is None else reader.readexactly(int(length)))
            return _Heard(int(head[0].split()[1]), headers, body)
        finally:
            writer.close()
