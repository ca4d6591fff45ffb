# SPDX-License-Identifier: Apache-2.0
"""What suites share: the parts that the commit chooses, and a Python that has PyTorch loaded."""
from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys

import pytest
from part import NUMBERS, VARIABLE, part, part_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
# As Session::python() of stitchcuda starts it.
SERVER = "import sys; sys.path[:] = [p for p in sys.path if p]; from stitchcuda_python.server import main; main()"
PROGRAM = str(ROOT / "tests" / "programs" / "linear_relu.py")


@pytest.fixture
def numbered(monkeypatch: pytest.MonkeyPatch):
    def set_number(number: int | None) -> int:
        if number is None:
            monkeypatch.delenv(VARIABLE, raising=False)
        else:
            monkeypatch.setenv(VARIABLE, str(number))
        part.cache_clear()
        return part()

    yield set_number
    part.cache_clear()


def test_parts_make_the_whole(numbered) -> None:
    whole, seen = list(range(23)), []
    for number in range(5):
        numbered(number)
        seen += part_of(whole, 5)
    assert sorted(seen) == whole


def test_the_commit_alone_chooses(numbered) -> None:
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert numbered(None) == (int(head.stdout[:12], 16) % NUMBERS if head.returncode == 0 else 0)


def ask(python: str, request: dict) -> tuple[dict, subprocess.Popen, socket.socket]:
    """The first answer that is no progress, the process that was started, and the channel to it."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        ["bash", "-c", f'exec "$0" -c "$1" 3<&{theirs.fileno()} {theirs.fileno()}<&-', python, SERVER],
        pass_fds=[theirs.fileno()],
        env=dict(os.environ, PYTHONPATH=str(ROOT / "python")),
    )
    theirs.close()
    ours.sendall((json.dumps({"id": 1, **request}) + "\n").encode())
    for line in ours.makefile("r"):
        answer = json.loads(line)
        if "begun" not in answer and "progress" not in answer:
            return answer, process, ours
    raise AssertionError("it closed the channel before it answered")


def test_a_fork_answers_as_the_real_one(loaded_python: str) -> None:
    answers = []
    for python in (loaded_python, sys.executable):
        answer, process, channel = ask(python, {"verb": "import", "arguments": {"file": PROGRAM}})
        channel.close()
        assert process.wait(30) == 0
        answers.append(answer["ok"])
    assert answers[0] == answers[1]


def test_a_fork_ends_with_its_asker(loaded_python: str) -> None:
    answer, process, channel = ask(loaded_python, {"verb": "nothing"})
    assert "knows no request" in answer["error"]["sentence"]
    process.kill()
    process.wait(30)
    channel.settimeout(30)
    assert channel.recv(1) == b""


def test_other_commands_get_the_real_python(loaded_python: str) -> None:
    done = subprocess.run([loaded_python, "-c", "import os, sys; print(sys.prefix); os._exit(7)"], capture_output=True,
                          text=True, check=False, env=dict(os.environ, PYTHONUNBUFFERED="1"))
    assert done.returncode == 7
    assert pathlib.Path(done.stdout.strip()).resolve() == pathlib.Path(sys.prefix).resolve()
