# SPDX-License-Identifier: Apache-2.0
"""A key that a run is given is in nothing that the run leaves, prints, or shows of its processes."""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import subprocess
import threading
import time
import uuid

import pytest
from llm.server import Act, Server, by_request, status, whole

from .conftest import PROGRAM, Workplace
from .model import Model, cannot, not_compiling

KEY = f"sk-planted-{uuid.uuid4().hex[:10]}"  # another in each process: tests that run beside show theirs on purpose
MAY_HOLD_IT = {"stitchcuda", "stitchcuda-chat"}  # who was given it, and who speaks HTTP


class Watch:
    """Collects what all processes show while a command runs, and files of its own that hold the key for a moment."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.arguments: set[bytes] = set()
        self.holders: set[str] = set()  # programs whose environment has the key
        self.files: set[pathlib.Path] = set()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self) -> None:
        while not self.ended.wait(0.1):
            for path in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    arguments = (path / "cmdline").read_bytes()
                    self.arguments.add(arguments)
                    if KEY.encode() in (path / "environ").read_bytes():
                        self.holders.add(pathlib.Path(os.fsdecode(arguments.split(b"\0")[0])).name)
                except OSError:
                    continue
            self.files |= set(files_with(KEY, self.folder))

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def files_with(key: str, folder: pathlib.Path) -> list[pathlib.Path]:
    """By grep, since the cache may be large; in a run files come and go."""
    done = subprocess.run(["grep", "-rlaFs", "--", key, str(folder)], capture_output=True, text=True, check=False)
    return [pathlib.Path(line) for line in done.stdout.splitlines()]


def environment(place: Workplace) -> dict[str, str]:
    (place.folder / "temporary").mkdir(exist_ok=True)
    return {"STITCHCUDA_LLM_KEY": KEY, "STITCHCUDA_CACHE": str(place.folder / "cache"),
            "TMPDIR": str(place.folder / "temporary")}


def test_a_planted_key_stays_with_who_speaks_http(place: Workplace) -> None:
    model = Model(not_compiling, cannot)
    with model.server() as server, Watch(place.folder / "temporary") as watch:
        ended = place.command(*place.words("--llm", server.url, "--model", "m", "--without", "retrieval"),
                              **environment(place))
        headers = [headers for headers, _ in server.requests]
    assert ended.status == 0, ended.error
    assert {each.get("authorization") for each in headers} == {f"Bearer {KEY}"}, "the server is to get it"
    assert any(b"stitchcuda-chat" in each for each in watch.arguments), "nothing was watched"
    assert not any(KEY.encode() in each for each in watch.arguments)
    assert watch.holders == MAY_HOLD_IT, "compilers, candidates and the user's Python are none of them"
    assert KEY not in ended.error and KEY not in str(ended.json)
    run = place.runs[0].name
    for words in (["show", run], ["show", run, "--graph"], ["export", run], ["replay", run]):
        told = place.command("runs", *words)
        assert told.status == 0 and KEY not in told.error + told.json["text"], words
    assert not watch.files and not files_with(KEY, place.folder), "out, state, cache and whatever else the run left"
    assert all('<material from="documents">' not in prompt for _, prompt in model.asked), "nothing was looked up"
    assert os.listdir(place.folder / "cache")


def repeats() -> Act:
    """A server whose model, once the run has begun, answers with the key, then with an error that is cut within it."""
    acts = iter([whole(f"cannot, because {KEY}")])

    def say(body: dict) -> Act:
        if body["messages"][0]["content"].startswith("You are an expert CUDA programmer"):
            return next(acts, status(401, f"{'x' * 290}{KEY}"))
        return Model(planner=lambda _: f"{KEY} is no plan").say(body)

    return by_request(say)


def test_a_server_that_repeats_it_teaches_nobody(place: Workplace) -> None:
    with Server(repeats()) as server:
        ended = place.optimize("--llm", server.url, "--model", "m", "--without", "retrieval", **environment(place))
    assert ended.status == 4 and "401" in ended.error + str(ended.json), ended.error
    assert KEY[:6] not in ended.error + str(ended.json)
    assert files_with("[key]", place.runs[0]), "the server repeated nothing"
    assert not files_with(KEY[:6], place.folder), "the journal pauses with the error"


@pytest.mark.parametrize("act", [
    status(401, f'{{"error": {{"message": "Incorrect API key provided: {KEY}."}}}}'),
    status(307, Location=f"http://127.0.0.2:9/{KEY}/"),
    lambda peer: peer.sendall(f"{KEY} no HTTP\r\n\r\n".encode()),
], ids=["refused", "redirected", "no_http"])
def test_an_endpoint_that_refuses_it_leaves_nothing(act: Act, place: Workplace) -> None:
    with Server(act) as server:
        ended = place.optimize("--llm", server.url, "--model", "m", **environment(place))
    assert ended.status == 4 and KEY[:6] not in ended.error + str(ended.json), ended.error
    assert not place.runs and not place.out.exists() and not files_with(KEY[:6], place.folder)


@pytest.mark.parametrize("url", [
    f"http://me:{KEY}@127.0.0.1:9/v1", f"http://{KEY}@127.0.0.1:9/v1", f"http://127.0.0.1:9/v1?key={KEY}",
    f"{KEY}@127.0.0.1:9", f"http://127.0.0.1:9/v1#{KEY}", f"ftp://{KEY}/v1",
], ids=["password", "user", "query", "no_scheme", "fragment", "ftp"])
def test_an_address_with_the_key_in_it_is_refused_without_it(url: str, place: Workplace) -> None:
    ended = place.optimize("--llm", url, "--model", "m")
    assert ended.status == 2 and KEY not in ended.error + str(ended.json), ended.error
    config = place.folder / "team.toml"
    config.write_text(f'endpoint.a.url = "{url}"\nteam.default.coder = {{ endpoint = "a", model = "m" }}\n')
    told = place.optimize("--team", "default", "--config", str(config))
    assert told.status in (2, 3) and "team.toml:1" in told.error + str(told.json), told.error
    assert KEY not in told.error + str(told.json)
    assert not place.runs and files_with(KEY, place.folder) == [config]


def test_one_that_is_killed_with_a_signal_leaves_no_core(place: Workplace) -> None:
    """By whom the key was given: its environment would be in the core."""
    program = place.folder / "model.py"
    program.write_text("import time\ntime.sleep(60)\n" + program.read_text())
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        pytest.skip("no program may leave a core here")
    words = ["/bin/sh", "-c", 'ulimit -c "$(ulimit -H -c)"; exec "$0" "$@"', str(PROGRAM), "import", "model.py"]
    with subprocess.Popen(words, cwd=place.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**place.environment, **environment(place)}) as process:
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        deadline = time.monotonic() + 60
        while not children.read_text().strip() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGABRT)
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGABRT
    assert not files_with(KEY, place.folder)
