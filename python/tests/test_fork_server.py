# SPDX-License-Identifier: Apache-2.0
"""The process that forks programs, with verbs that need no PyTorch."""

from __future__ import annotations

import array
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PATIENCE_S = 60
LOADED_ONCE = """
import os
from stitchcuda_python import server
def load(watch=None):
    print('loaded', flush=True)
    who = lambda arguments, progress: {'pid': os.getpid(), 'parent': os.getppid(), 'word': os.environ.get('WORD'),
                                       'folder': os.getcwd(), 'temporary': os.environ.get('TMPDIR'),
                                       'threads': threads}
    return {'who': who, 'die': lambda arguments, progress: os.kill(os.getpid(), 9)}
threads = []
server.load_verbs = load
server.use_threads = lambda: threads.append(os.environ[server.THREADS])
from stitchcuda_python.fork_server import main
main()
"""
# A program that asks its helper, by the variable that tells of it.
ASKS = """
import json, os, socket, sys
own, helper, channel, output, error = map(int, os.environ['STITCHCUDA_PYTHON_HELPER'].split())
stream = socket.socket(fileno=channel).makefile('rw')
answers = []
for number, verb in enumerate(sys.argv[1:]):
    arguments = {'temporary': '/tmp/of-the-program'}
    stream.write(json.dumps({'id': number, 'verb': verb, 'arguments': arguments}) + '\\n')
    stream.flush()
    while True:
        line = stream.readline()
        if not line or 'begun' not in json.loads(line):
            break
    answers.append(json.loads(line).get('ok') if line else None)
print(json.dumps({'own': own == os.getpid(), 'helper': helper, 'answers': answers}))
"""


class Started:
    """A program, and what became of it."""

    def __init__(self, pid: int, status: int, output: int, error: int) -> None:
        self.pid = pid
        self._status, self._output, self._error = status, output, error

    def end(self) -> int:
        """What waitpid() said of it."""
        ready, _, _ = select.select([self._status], [], [], PATIENCE_S)
        assert ready, "it has not ended"
        told = os.read(self._status, 4)
        os.close(self._status)
        assert len(told) == 4, "nobody told how it ended"
        return int.from_bytes(told, "little")

    def said(self) -> tuple[str, str]:
        with os.fdopen(self._output) as output, os.fdopen(self._error) as error:
            return output.read(), error.read()


def is_there(pid: int) -> bool:
    """Whether it runs: one that has ended and was not asked about does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


ASKS_NOTHING_OF_CUDA = """
import torch
def asked(*arguments, **named):
    raise AssertionError('CUDA is asked while PyTorch and the verbs are loaded')
for name in ('is_available', 'device_count', 'current_device', 'get_device_properties', 'get_device_capability'):
    setattr(torch.cuda, name, asked)
from stitchcuda_python import fork_server, server
assert server.load_verbs() and not fork_server.has_opened_gpu()
fork_server._GPU_FILES = '/dev/null'
with open('/dev/null'):
    assert fork_server.has_opened_gpu()
"""


class Gpu(unittest.TestCase):
    def test_what_is_loaded_leaves_it_to_the_forks(self) -> None:
        done = subprocess.run([sys.executable, "-c", ASKS_NOTHING_OF_CUDA], capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class ForkServer(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.socket, theirs = socket.socketpair()
        self.addCleanup(self.socket.close)
        self.server = self.start(theirs)
        theirs.close()
        self.addCleanup(self.server.kill)

    def start(self, theirs: socket.socket) -> subprocess.Popen[str]:
        placed = f"import os; os.dup2({theirs.fileno()}, 3)\n" if theirs.fileno() != 3 else ""
        return subprocess.Popen([sys.executable, "-c", placed + LOADED_ONCE], pass_fds=[theirs.fileno()],
                                stdout=subprocess.PIPE, text=True)

    def ask(self, arguments: list[str], **environment: str) -> Started:
        ends = [os.pipe() for _ in range(3)]
        asked = {"arguments": arguments, "environment": [f"{name}={value}" for name, value in environment.items()],
                 "folder": self.folder}
        content = json.dumps(asked).encode()
        sent = array.array("i", [write for _, write in ends])
        self.socket.sendmsg([len(content).to_bytes(4, "little")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
        self.socket.sendall(content)
        for _, write in ends:
            os.close(write)
        self.socket.settimeout(PATIENCE_S)
        size = int.from_bytes(self.socket.recv(4), "little")
        return Started(json.loads(self.socket.recv(size))["pid"], *(read for read, _ in ends))

    def asked(self, *verbs: str, **environment: str) -> dict:
        started = self.ask([sys.executable, "-c", ASKS, *verbs], **environment)
        output, error = started.said()
        self.assertEqual((started.end(), error), (0, ""))
        return json.loads(output)

    def wait_until_gone(self, pid: int) -> None:
        end = time.monotonic() + PATIENCE_S
        while is_there(pid) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertFalse(is_there(pid))

    def test_a_program_has_a_loaded_helper_for_a_child(self) -> None:
        for word in ("one", "two"):
            said = self.asked("who", "settle", "who", WORD=word)
            self.assertTrue(said["own"])
            first, _, second = said["answers"]
            self.assertEqual((first["pid"], first["word"], first["folder"]), (said["helper"], word, self.folder))
            self.assertEqual((first["temporary"], second["temporary"]), (None, "/tmp/of-the-program"))
            self.wait_until_gone(said["helper"])
        self.server.terminate()
        assert self.server.stdout is not None
        self.assertEqual(self.server.stdout.read(), "loaded\n")

    def test_a_program_is_asked_for_its_own_number_of_threads(self) -> None:
        for given, taken in (({}, []), ({"STITCHCUDA_PYTHON_THREADS": "3"}, ["3"])):
            self.assertEqual(self.asked("who", **given)["answers"][0]["threads"], taken)

    def test_the_helper_is_the_programs_own_child(self) -> None:
        started = self.ask(["/bin/sh", "-c", "sleep 100; true"])
        children = pathlib.Path(f"/proc/{started.pid}/task/{started.pid}/children")
        end = time.monotonic() + PATIENCE_S
        while len(children.read_text().split()) < 2 and time.monotonic() < end:  # the helper and sleep
            time.sleep(0.01)
        below = [int(pid) for pid in children.read_text().split()]
        self.assertEqual(len(below), 2)
        os.kill(started.pid, signal.SIGKILL)
        self.assertTrue(os.WIFSIGNALED(status := started.end()) and os.WTERMSIG(status) == signal.SIGKILL)
        for pid in below:  # sleep is of the program's group
            self.wait_until_gone(pid)

    def test_a_helper_that_dies_is_the_programs_to_see(self) -> None:
        self.assertEqual(self.asked("die")["answers"], [None])

    def test_statuses_and_words_are_the_programs(self) -> None:
        started = self.ask(["/bin/sh", "-c", "echo out; echo err >&2; exit 7"])
        self.assertEqual(started.said(), ("out\n", "err\n"))
        self.assertEqual(os.WEXITSTATUS(started.end()), 7)

    def test_a_program_that_is_not_there_is_told(self) -> None:
        started = self.ask(["/there/is/none"])
        self.assertRegex(started.said()[1], "cannot start /there/is/none: .*No such file")
        self.assertEqual(os.WEXITSTATUS(started.end()), 127)

    def test_programs_die_with_the_server(self) -> None:
        started = self.ask(["/bin/sleep", "100"])
        self.server.kill()
        self.wait_until_gone(started.pid)

    def test_who_asks_no_more_ends_the_server(self) -> None:
        self.asked("who")
        self.socket.close()
        self.assertEqual(self.server.wait(PATIENCE_S), 0)


if __name__ == "__main__":
    unittest.main()
