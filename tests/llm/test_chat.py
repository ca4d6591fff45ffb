# SPDX-License-Identifier: Apache-2.0
"""stitchcuda-chat before a server that streams, cuts, refuses, dawdles and lies."""

import gzip
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import pytest

from .server import (EVENTS, Server, chunk, drip, event, events, head, nothing, raw_events, reply_body, status,
                     then_waits, whole)

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHAT = ROOT / os.environ.get("STITCHCUDA_BUILD", "build") / "stitchcuda-chat"
KEY = "sk-planted-6f1e9b27"
BODY = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "stream": True}


def request(url: str, number: int = 1, **more: object) -> str:
    arguments = {"url": url, "body": BODY, **more}
    return json.dumps({"id": number, "verb": "complete", "arguments": arguments}) + "\n"


def start(folder: pathlib.Path | None = None, **environment: str) -> subprocess.Popen:
    pipe = subprocess.PIPE
    # A command that was started in the background ignores Ctrl-C, and so do those that it starts.
    return subprocess.Popen([str(CHAT)], stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=folder,
                            env={**os.environ, **environment},
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def ask(url: str, **more: object) -> tuple[dict, list[str]]:
    """The answer, and what was told on the way."""
    with start() as process:
        out, err = process.communicate(request(url, **more), timeout=60)
    assert (process.returncode, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert all(line["id"] == 1 for line in lines)
    return lines[-1], [line["progress"] for line in lines[:-1]]


def content(answer: dict) -> str:
    return answer["ok"]["content"]


def sentence(answer: dict) -> str:
    return answer["error"]["sentence"]


def test_a_stream_is_read_as_it_comes() -> None:
    with Server(events("Hello", ", ", "world")) as server:
        answer, told = ask(server.url)
    assert (content(answer), answer["ok"]["finish"], told) == ("Hello, world", "stop", [])
    assert answer["ok"]["usage"]["is_estimated"]
    assert 0 < answer["ok"]["first_token_seconds"] <= answer["ok"]["seconds"]
    assert server.lines == ["POST /v1/chat/completions HTTP/1.1"]
    headers, body = server.requests[0]
    assert body == BODY and "authorization" not in headers


def test_a_whole_answer_brings_its_usage() -> None:
    with Server(whole("Hello")) as server:
        answer, _ = ask(server.url + "/")
    assert content(answer) == "Hello"
    assert answer["ok"]["usage"] == {"prompt_tokens": 7, "cached_tokens": 0, "answer_tokens": 3, "reasoning_tokens": 0,
                                     "is_estimated": False}


def test_bytes_that_come_one_by_one_are_the_same() -> None:
    stream = b": x\r\n\r\n" + event({"content": "pr\u20acis"}).replace(b"\n", b"\r\n") + event({}, "stop")
    with Server(raw_events(*[stream[i:i + 1] for i in range(len(stream))])) as server:
        assert content(ask(server.url)[0]) == "pr\u20acis"


def test_a_connection_left_open_after_the_end_is_not_waited_for() -> None:
    with Server(then_waits(events("Hello"))) as server:
        began = time.monotonic()
        assert content(ask(server.url)[0]) == "Hello"
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(("act", "why"), [
    (nothing, "the connection to the endpoint failed: "),
    (events("Hel", ends=False), "the connection to the endpoint failed: "),
    (raw_events(event({"content": "Hel"})), "the stream ended before the answer did"),
    (raw_events(b"data: {oops\n\n"), "what the endpoint sent is no JSON: {oops"),
    (raw_events(b"<html>welcome</html>\n\n"), "the endpoint answered with a page of HTML: most addresses"),
    (raw_events(b"welcome\n\n"), "the endpoint's answer holds no choice"),
    (status(500, "oops"), "the endpoint answered with status 500: oops"),
    (status(429, '{"error": {"message": "slow down"}}'), "the endpoint answered with status 429: slow down"),
    (status(503, "", Retry_After="0"), "the endpoint answered with status 503"),
])
def test_what_may_pass_is_asked_again(act, why: str) -> None:
    with Server(act, events("Hello")) as server:
        answer, told = ask(server.url)
    assert content(answer) == "Hello"
    assert answer["ok"]["retries"] == 1 and len(server.requests) == 2
    assert len(told) == 1 and told[0].startswith(why) and told[0].endswith(", 1 of 5"), told


def test_retries_end_and_the_last_fault_is_told() -> None:
    with Server(status(500, "oops")) as server:
        answer, told = ask(server.url, retries=2)
    assert answer["error"]["code"] == "environment" and answer["error"]["place"] == server.url
    assert sentence(answer) == "the endpoint answered with status 500: oops"
    assert len(server.requests) == 3 and len(told) == 2


def test_retry_after_is_obeyed() -> None:
    with Server(status(429, "", Retry_After="1"), events("Hello")) as server:
        began = time.monotonic()
        assert content(ask(server.url)[0]) == "Hello"
    assert time.monotonic() - began >= 1


@pytest.mark.parametrize(("code", "body", "told"), [
    (400, '{"error": {"message": "bad tool arguments"}}', "bad tool arguments"),
    (401, '{"error": {"message": "no key"}}', "no key"),
    (404, '{"error": "model \'m\' not found"}', "model 'm' not found"),
    (422, "\x1b[31mred", "?[31mred"),
])
def test_what_will_not_pass_is_asked_once(code: int, body: str, told: str) -> None:
    with Server(status(code, body)) as server:
        answer, progress = ask(server.url)
    assert sentence(answer) == f"the endpoint answered with status {code}: {told}"
    assert len(server.requests) == 1 and not progress


def packed(data: bytes, content_type: str):
    data = gzip.compress(data)
    begin = head(200, content_type, Content_Encoding="gzip", Content_Length=str(len(data)))
    return lambda peer: peer.sendall(begin + data)


@pytest.mark.parametrize("act", [
    packed(reply_body("Hello").encode(), "application/json"),
    packed(event({"content": "Hello"}, "stop"), "text/event-stream"),
    raw_events(b"\xef\xbb", b"\xbfdata:" + event({"content": "Hello"}, "stop")[6:]),
    lambda peer: peer.sendall(b"HTTP/1.0 200 OK\r\n\r\n\xef\xbb\xbf" + reply_body("Hello").encode()),
])
def test_what_came_otherwise_than_asked_is_read(act) -> None:
    with Server(act) as server:
        assert content(ask(server.url)[0]) == "Hello"
        assert server.requests[0][0]["accept-encoding"] == "identity"


def test_of_an_answer_without_end_no_more_is_taken_than_was_allowed() -> None:
    with Server(drip(chunk(event({"content": "the "}) * 100), 0, EVENTS)) as server:
        answer, _ = ask(server.url, body={**BODY, "max_tokens": 64})
    assert answer["ok"]["finish"] == "length" and content(answer) == "the " * (4 * 64 + 256 + 1)


def test_usage_that_no_request_has_is_estimated() -> None:
    body = reply_body("Hello").replace('"prompt_tokens": 7', '"prompt_tokens": 70000000').encode()
    begin = head(200, "application/json", Content_Length=str(len(body)))
    with Server(lambda peer: peer.sendall(begin + body)) as server:
        usage = ask(server.url)[0]["ok"]["usage"]
    assert usage["is_estimated"] and usage["prompt_tokens"] < 100


def test_a_redirect_is_not_followed() -> None:
    with Server(whole("stolen")) as thief, Server(status(302, "", Location=thief.url)) as server:
        answer, _ = ask(server.url, retries=1)
        told = f"the endpoint answered with status 302, which leads to {thief.url}: keys are not sent on"
        assert sentence(answer) == told
        assert len(server.requests) == 1 and not thief.lines


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    answer, _ = ask(url, retries=0)
    assert answer["error"]["code"] == "environment"
    assert sentence(answer).startswith("the connection to the endpoint failed: Could")


@pytest.mark.parametrize(("act", "limits", "code", "told"), [
    (drip(b"X-Slow: 1\r\n", 0.05, b"HTTP/1.1 200 OK\r\n"), {"first_token_ms": 400}, "timeout",
     "the endpoint began no answer within 0.4 s"),
    (drip(chunk(b": wait\n\n"), 0.05, EVENTS), {"first_token_ms": 400}, "timeout",
     "the endpoint began no answer within 0.4 s"),
    (drip(chunk(event({"content": "x"})), 0.05, EVENTS), {"whole_ms": 500}, "timeout",
     "the endpoint's answer takes more than 0.5 s"),
    (drip(chunk(event({"content": "x" * 1000})), 0, EVENTS), {"max_bytes": 100_000}, "environment",
     "the endpoint's answer has more than 100000 bytes"),
    (drip(b"X-Many: " + b"1" * 1000 + b"\r\n", 0, b"HTTP/1.1 200 OK\r\n"), {}, "environment",
     "the connection to the endpoint failed: "),
    (then_waits(raw_events(event({"content": "x"}), ends=False)), {"silence_ms": 300}, "environment",
     "the endpoint sent nothing for 0.3 s"),
])
def test_limits_end_what_has_no_end(act, limits: dict, code: str, told: str) -> None:
    with Server(act) as server:
        began = time.monotonic()
        answer, _ = ask(server.url, limits=limits, retries=0)
    assert answer["error"]["code"] == code and sentence(answer).startswith(told), answer
    assert time.monotonic() - began < 10


def test_one_process_answers_many_requests() -> None:
    with Server(events("one"), whole("two")) as server, start() as process:
        out, _ = process.communicate(request(server.url) + request("ftp://x", 2) + request(server.url, 3), timeout=60)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert (content(answers[0]), content(answers[2])) == ("one", "two")
    assert answers[1]["error"]["code"] == "usage"


@pytest.mark.parametrize("how", ["ctrl-c", "nobody reads"])
def test_it_ends_within_a_second(how: str) -> None:
    with Server(then_waits(lambda peer: None)) as server, start() as process:
        process.stdin.write(request(server.url))
        process.stdin.flush()
        while not server.requests:
            time.sleep(0.01)
        began = time.monotonic()
        if how == "ctrl-c":
            process.send_signal(signal.SIGINT)
        else:
            process.stdout.close()
            process.stdin.close()
        process.wait(timeout=10)
        assert time.monotonic() - began < 1


class TestKey:
    """A planted key reaches the server, and nothing else."""

    def converse(self, key: dict, server: Server, folder: pathlib.Path, **environment: str) -> list[dict]:
        with start(folder, HOME=str(folder), **environment) as process:
            process.stdin.write(request(server.url, key=key, retries=1))
            process.stdin.flush()
            line = process.stdout.readline()
            command = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
            out, err = process.communicate(timeout=60)
        assert KEY not in line + out + err and KEY.encode() not in command
        return [json.loads(each) for each in (line + out).splitlines()]

    def test_of_a_variable(self, tmp_path: pathlib.Path) -> None:
        with Server(whole("Hello")) as server:
            answers = self.converse({"environment": "PLANTED"}, server, tmp_path, PLANTED=KEY)
        assert content(answers[-1]) == "Hello"
        assert server.requests[0][0]["authorization"] == f"Bearer {KEY}"
        assert not list(tmp_path.iterdir())

    def test_of_a_file(self, tmp_path: pathlib.Path) -> None:
        file = tmp_path / "key"
        file.write_text(KEY + "\n")
        file.chmod(0o600)
        with Server(whole("Hello")) as server:
            self.converse({"file": str(file)}, server, tmp_path)
            assert server.requests[0][0]["authorization"] == f"Bearer {KEY}"
            file.chmod(0o644)
            answers = self.converse({"file": str(file)}, server, tmp_path)
        assert "may be read or written by others" in sentence(answers[-1])
        assert answers[-1]["error"]["remedy"] == f"chmod 600 {file}"
        assert len(server.requests) == 1

    @pytest.mark.parametrize("act", [
        status(401, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}."}})),
        status(500, f"oops {KEY}"),
        status(401, f"{'x' * 290}{KEY}"),
        raw_events(f"data: {'x' * 70}{KEY}\n\n".encode()),
        status(307, Location=f"http://127.0.0.1:9/{KEY}"),
        raw_events(f"data: {KEY}\n\n".encode()),
        events("you sent ", KEY[:7], KEY[7:]),
        whole(f"you sent {KEY}"),
    ])
    def test_that_a_server_repeats_is_taken_out(self, act, tmp_path: pathlib.Path) -> None:
        with Server(act) as server:
            answers = self.converse({"environment": "PLANTED"}, server, tmp_path, PLANTED=KEY)
        assert "[key]" in json.dumps(answers)
        assert KEY[:5] not in json.dumps(answers), "a text that is cut may end in the middle of it"

    def test_that_is_missing_is_told_before_anything_is_sent(self, tmp_path: pathlib.Path) -> None:
        with Server(whole("Hello")) as server:
            answers = self.converse({"environment": "STITCH_NO_SUCH_KEY"}, server, tmp_path)
        assert "STITCH_NO_SUCH_KEY" in sentence(answers[-1]) and not server.lines


def test_arguments_and_lines_that_are_no_requests_are_refused() -> None:
    assert subprocess.run([str(CHAT), KEY], capture_output=True, check=False).returncode == 2
    with start() as process:
        _, err = process.communicate("hello\n", timeout=60)
    assert process.returncode == 1 and "no request" in err
