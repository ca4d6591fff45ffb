# SPDX-License-Identifier: Apache-2.0
"""stitchcuda mcp on stdin and stdout: its manners, and clients without any."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from .peer import PROGRAM as SERVER
from .peer import INITIALIZE, PATIENCE, Peer, call, descendants, request, seconds_until_gone

PROGRAM = "problems/mlp_residual.py"
# Its import takes as long as a test wants it to.
SLOW = """
import time
import torch
time.sleep({seconds})
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.randn(4, 8)]
def get_init_inputs():
    return []
"""


def slow_program(folder: pathlib.Path, seconds: float) -> str:
    file = folder / "slow.py"
    file.write_text(SLOW.format(seconds=seconds))
    return str(file)


def text_of(answer: dict) -> str:
    return answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_versions(version: str) -> None:
    with Peer() as peer:
        peer.begin(version)
        tools = {tool["name"]: tool for tool in peer.ask(request(1, "tools/list"))["result"]["tools"]}
        assert set(tools) >= {"import", "plan", "expert_program", "compile", "verify", "score", "profile",
                              "runs", "job"}
        for tool in tools.values():
            assert tool["inputSchema"]["type"] == "object" and len(tool["description"]) > 50
            assert ("title" in tool) == (version >= "2025-06-18")
        wrong = peer.ask(call(2, "import"))["result"]
        assert wrong["isError"] and ("structuredContent" in wrong) == (version >= "2025-06-18")
        assert "the argument 'program' is missing" in wrong["content"][0]["text"]
        assert peer.close() < 1


def test_a_version_of_the_future_is_answered_with_ours() -> None:
    with Peer() as peer:
        hello = {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": "2099-01-01"}}
        assert peer.ask(hello)["result"]["protocolVersion"] == "2025-11-25"


def test_before_initialize_only_ping_is_answered() -> None:
    with Peer() as peer:
        assert peer.ask(request(1, "ping"))["result"] == {}
        assert peer.ask(request(2, "tools/list"))["error"]["code"] == -32600
        assert peer.ask(call(3, "runs"))["error"]["code"] == -32600
        assert peer.ask(request(4, "server/discover"))["error"]["code"] == -32601
        peer.begin()
        assert peer.ask(INITIALIZE)["error"]["code"] == -32600


@pytest.mark.parametrize(("line", "code"), [
    (b"{", -32700), (b"\xff\xfe", -32700), (b"[" * 100_000, -32700), (b"[]", -32600), (b"7", -32600), (b"null", -32600),
    (b'{"id": 1, "method": "ping"}', -32600), (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600), (b'{"jsonrpc": "2.0", "id": 1}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "runs", "arguments": 5}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
    (b"x" * (5 << 20), -32700), (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600)])
def test_what_is_no_message_is_answered_and_survived(line: bytes, code: int) -> None:
    with Peer() as peer:
        peer.begin()
        peer.write(b"\r\n \n" + line + b"\n")
        assert peer.receive()["error"]["code"] == code
        assert peer.ask(request("é", "ping")) == {"jsonrpc": "2.0", "id": "é", "result": {}}


def test_notifications_and_answers_are_not_answered() -> None:
    with Peer() as peer:
        peer.begin()
        for message in [{"jsonrpc": "2.0", "method": "notifications/unheard_of"},
                        {"jsonrpc": "2.0", "id": 5, "result": {}},
                        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
                        {"jsonrpc": "2.0", "method": "notifications/cancelled"}]:
            peer.send(message)
        assert peer.ask(request(1, "ping"))["id"] == 1


def test_batches_where_the_protocol_has_them() -> None:
    with Peer() as peer:
        peer.begin("2025-03-26")
        batch = [request(1, "ping"), {"jsonrpc": "2.0", "method": "notifications/initialized"}, 5, INITIALIZE,
                 call(2, "runs", count=1), call(3, "import")]
        answers = {str(answer["id"]): answer for answer in peer.ask(batch)}
        assert set(answers) == {"1", "2", "3", "None", "hello"}
        assert answers["1"]["result"] == {} and answers["hello"]["error"]["code"] == -32600
        assert answers["3"]["result"]["isError"] and not answers["2"]["result"]["isError"]


@pytest.mark.parametrize(("arguments", "said"), [
    ({"program": "problems/none.py"}, "there is no file"), ({"program": ""}, "has to be string that is not empty"),
    ({"program": PROGRAM, "math": "fp8"}, "one of fp32, kernelbench, tf32, reduced"),
    ({"program": PROGRAM, "colour": 1}, "there is no argument 'colour'"),
    ({"program": 5}, "'program' has to be string"),
    ({"program": PROGRAM, "out": "README.md"}, "stitchcuda did not write it")])
def test_bad_arguments_are_told(arguments: dict, said: str) -> None:
    with Peer() as peer:
        peer.begin()
        answer = peer.ask(call(1, "import", **arguments))
        assert answer["result"]["isError"] and said in text_of(answer)


def test_a_confined_server_leaves_its_folder_alone(tmp_path: pathlib.Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    (tmp_path / "secret.py").write_text("print('seen')")
    with Peer("--root", str(root)) as peer:
        peer.begin()
        for path in ["../secret.py", str(tmp_path / "secret.py"), "link/secret.py", "x/../../secret.py"]:
            answer = peer.ask(call(path, "import", program=path))
            assert answer["result"]["isError"] and "leads out of the folder" in text_of(answer)
        (root / "model.py").write_text("")
        answer = peer.ask(call(1, "expert_program", program="model.py", out="link/x"))
        assert answer["result"]["isError"] and "leads out of the folder" in text_of(answer)


def test_a_call_that_takes_long_becomes_a_job(tmp_path: pathlib.Path) -> None:
    with Peer("--job-after", "1") as peer:
        peer.begin()
        answer = peer.ask(call(1, "import", program=slow_program(tmp_path, 0.5)))
        job = answer["result"]["structuredContent"]["job"]
        assert answer["result"]["structuredContent"]["outcome"] == "under_way" and not answer["result"]["isError"]
        assert job in text_of(answer)
        assert peer.ask(call(2, "job", id=job, action="poll"))["result"]["structuredContent"]["outcome"] == "under_way"
        end = time.monotonic() + PATIENCE
        while answer["result"]["structuredContent"]["outcome"] == "under_way" and time.monotonic() < end:
            answer = peer.ask(call(3, "job", id=job))
        assert "relu" in text_of(answer) and not answer["result"]["isError"]
        assert "There is no job job-9" in text_of(peer.ask(call(4, "job", id="job-9")))
        assert peer.ask(call(5, "job", id=job, offset=10**6))["result"]["isError"]


def test_two_calls_at_once_and_one_that_is_cancelled(tmp_path: pathlib.Path) -> None:
    with Peer() as peer:
        peer.begin()
        peer.send(call(1, "import", program=slow_program(tmp_path, 300)))
        peer.send(call(2, "runs"))
        assert peer.receive()["id"] == 2
        assert peer.ask(call(1, "runs"))["error"]["code"] == -32600  # its number is taken
        end = time.monotonic() + PATIENCE
        while not descendants(peer.process.pid)[2:] and time.monotonic() < end:
            time.sleep(0.1)
        started = [pid for pid in descendants(peer.process.pid)]
        peer.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        begun = time.monotonic()
        while len(descendants(peer.process.pid)) >= len(started) and time.monotonic() < begun + 5:
            time.sleep(0.02)
        assert time.monotonic() - begun < 1.5
        assert peer.ask(request(3, "ping"))["id"] == 3
        assert peer.lines.empty()


def waits_in_import(peer: Peer, folder: pathlib.Path) -> None:
    peer.begin()
    peer.send(call(1, "import", program=slow_program(folder, 300)))
    end = time.monotonic() + PATIENCE
    while len(descendants(peer.process.pid)) < 4 and time.monotonic() < end:
        time.sleep(0.1)


@pytest.mark.parametrize("rest", [b"", b'{"jsonrpc": "2.0", "id"'])
def test_the_end_of_its_input_ends_what_is_under_way(tmp_path: pathlib.Path, rest: bytes) -> None:
    with Peer() as peer:
        waits_in_import(peer, tmp_path)
        peer.write(rest)
        assert peer.close() < 1.5
        assert peer.lines.empty()


def test_ctrl_c_ends_what_is_under_way(tmp_path: pathlib.Path) -> None:
    with Peer() as peer:
        waits_in_import(peer, tmp_path)
        started = descendants(peer.process.pid)
        begun = time.monotonic()
        peer.process.send_signal(signal.SIGINT)
        assert peer.process.wait(PATIENCE) == 130
        assert seconds_until_gone(started, begun) < 1.5
        while not peer.lines.empty():  # nothing is said on stdout but the protocol
            assert json.loads(peer.lines.get())["jsonrpc"] == "2.0"


def test_it_ends_when_nobody_reads_its_answers() -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen([str(SERVER), "mcp"], stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.DEVNULL)
    os.close(writing)
    os.close(reading)
    with process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(request(1, "ping")).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
