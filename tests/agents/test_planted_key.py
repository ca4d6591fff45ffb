# SPDX-License-Identifier: Apache-2.0
"""A key that a run is given is in nothing that the run leaves, prints, or shows of its processes."""

from __future__ import annotations

import os
import pathlib
import subprocess
import threading

from .conftest import Workplace
from .model import Model, cannot, not_compiling

KEY = "sk-planted-0f4d1c7e9b"


class Watch:
    """Collects the argument lists of all processes while a command runs."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self) -> None:
        while not self.ended.wait(0.1):
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self.seen.add(path.read_bytes())
                except OSError:
                    continue

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def files_with(key: str, folder: pathlib.Path) -> list[pathlib.Path]:
    """By grep, since the cache may be large."""
    done = subprocess.run(["grep", "-rlaF", "--", key, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [pathlib.Path(line) for line in done.stdout.splitlines()]


def test_a_planted_key_stays_with_who_speaks_http(place: Workplace) -> None:
    model = Model(not_compiling, cannot)
    with model.server() as server, Watch() as watch:
        ended = place.command(*place.words("--llm", server.url, "--model", "m", "--without", "retrieval"),
                              STITCHCUDA_LLM_KEY=KEY, STITCHCUDA_CACHE=str(place.folder / "cache"))
        headers = [headers for headers, _ in server.requests]
    assert ended.status == 0, ended.error
    assert {each.get("authorization") for each in headers} == {f"Bearer {KEY}"}, "the server is to get it"
    assert any(b"stitchcuda-chat" in each for each in watch.seen), "nothing was watched"
    assert not any(KEY.encode() in each for each in watch.seen)
    assert KEY not in ended.error and KEY not in str(ended.json)
    assert not files_with(KEY, place.folder), "out, state, cache and whatever else the run left"
    assert all('<material from="documents">' not in prompt for _, prompt in model.asked), "nothing was looked up"
    assert os.listdir(place.folder / "cache")
