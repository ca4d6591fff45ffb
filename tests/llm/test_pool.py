# SPDX-License-Identifier: Apache-2.0
"""Several commands that ask one endpoint wait for their turns: as many at once as it allows, in order of arrival."""

import json
import pathlib
import signal
import subprocess
import threading
import time

from .server import Server, by_request, head, reply_body, status, then_waits, whole
from .test_chat import content, request, start


class Crowd:
    """Answers each request after a while; how many there were at once at most."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.lock = threading.Lock()
        self.now = self.most = 0

    def say(self, _: dict):
        def act(peer) -> None:
            with self.lock:
                self.now += 1
                self.most = max(self.most, self.now)
            time.sleep(self.seconds)
            with self.lock:
                self.now -= 1
            body = reply_body("served").encode()
            peer.sendall(head(200, "application/json", Content_Length=str(len(body))) + body)

        return act


def pool(folder: pathlib.Path, **limits: int) -> dict:
    return {"folder": str(folder / "endpoint"), **limits}


def started(url: str, **more: object) -> subprocess.Popen:
    process = start()
    process.stdin.write(request(url, **more))
    process.stdin.flush()
    return process


def ended(process: subprocess.Popen) -> list[dict]:
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def test_eight_at_a_server_for_two(tmp_path: pathlib.Path) -> None:
    crowd = Crowd(0.1)
    with Server(by_request(crowd.say)) as server:
        began = time.monotonic()
        processes = [started(server.url, pool=pool(tmp_path, concurrency=2)) for _ in range(8)]
        answers = [ended(process) for process in processes]
        taken = time.monotonic() - began
    assert {content(lines[-1]) for lines in answers} == {"served"}
    assert crowd.most == 2 and taken < 4, "all of both places are used, and whoever leaves wakes the next"
    waits = [line["progress"] for lines in answers for line in lines[:-1]]
    assert waits and all("waits for the endpoint" in line for line in waits)
    assert max(lines[-1]["ok"]["waited_seconds"] for lines in answers) > 0.1, "four turns, less starts"


def test_whoever_is_killed_gives_the_place_back(tmp_path: pathlib.Path) -> None:
    with Server(then_waits(lambda peer: None), whole("served")) as server:
        first = started(server.url, pool=pool(tmp_path, concurrency=1))
        while not server.requests:
            time.sleep(0.01)
        second = started(server.url, pool=pool(tmp_path, concurrency=1))
        assert "1 before it" in json.loads(second.stdout.readline())["progress"]
        assert len(server.requests) == 1
        first.send_signal(signal.SIGKILL)
        first.communicate()
        assert content(ended(second)[-1]) == "served"


def test_rates_and_what_the_server_asks_for_hold_for_all(tmp_path: pathlib.Path) -> None:
    with Server(whole("served")) as server:
        limits = pool(tmp_path, requests_per_minute=1)
        assert content(ended(started(server.url, pool=limits))[-1]) == "served"
        late = started(server.url, pool=limits)
        assert "for the endpoint's rate" in json.loads(late.stdout.readline())["progress"]
        late.kill()
        late.communicate()
        assert len(server.requests) == 1
    with Server(status(429, "", Retry_After="2"), whole("served")) as server:
        limits = pool(tmp_path / "other", concurrency=9)
        began = time.monotonic()
        ended(started(server.url, pool=limits, retries=0))
        assert content(ended(started(server.url, pool=limits))[-1]) == "served"
    assert 1.9 <= time.monotonic() - began < 20
