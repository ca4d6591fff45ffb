# SPDX-License-Identifier: Apache-2.0
"""stitchcuda mcp --http: who may ask, and how sessions begin and end."""

import contextlib
import json
import pathlib
import socket
import stat
import subprocess
from collections.abc import Iterator

import pytest

from .peer import INITIALIZE, PROGRAM, HttpPeer, call, http_server, request


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpPeer]:
    with http_server(tmp_path_factory.mktemp("http")) as one:
        yield one


def begun(peer: HttpPeer) -> HttpPeer:
    mine = HttpPeer(peer.port, peer.token)
    assert mine.ask(INITIALIZE)["result"]["protocolVersion"] == "2025-06-18"
    assert len(mine.session) == 32
    assert mine.post(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')[0] == 202
    return mine


def test_a_session(peer: HttpPeer) -> None:
    mine = begun(peer)
    assert mine.ask(request(1, "ping"))["result"] == {}
    assert mine.ask(call(2, "import"))["result"]["isError"]
    assert not mine.ask(call(3, "runs"))["result"]["isError"]
    assert mine.send("DELETE")[0] == 204
    assert mine.post(json.dumps(request(4, "ping")).encode())[0] == 404


HELLO = json.dumps(INITIALIZE).encode()


@pytest.mark.parametrize(("headers", "status"), [
    ({"Authorization": None}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Authorization": "Basic x"}, 401),
    ({"Origin": "http://example.com"}, 403), ({"Origin": "null"}, 403),
    ({"Origin": "http://127.0.0.1.example.com"}, 403),
    ({"Host": "example.com"}, 403), ({"Host": "localhost.example.com:80"}, 403),
    ({"Origin": "http://localhost:5173"}, 200),
    ({"Content_Type": "text/plain"}, 415), ({"MCP_Protocol_Version": "1999-01-01"}, 400),
    ({"Mcp_Session_Id": "0" * 32}, 404), ({"MCP_Protocol_Version": "2025-06-18"}, 200), ({"path": "/other"}, 404)])
def test_who_may_ask(peer: HttpPeer, headers: dict, status: int) -> None:
    assert peer.send("POST", HELLO, **headers)[0] == status


@pytest.mark.parametrize(("method", "body", "status"), [
    ("GET", b"", 405), ("PUT", b"{}", 405), ("DELETE", b"", 404), ("POST", b"{", 400), ("POST", b"[" * 9999, 400),
    ("POST", b"x" * (5 << 20), 413), ("POST", json.dumps(request(1, "ping")).encode(), 400)])
def test_what_cannot_be_answered(peer: HttpPeer, method: str, body: bytes, status: int) -> None:
    try:
        assert peer.send(method, body)[0] == status
    except (BrokenPipeError, ConnectionResetError):  # it did not read on what is too long
        assert status == 413


def test_raw_bytes_end_their_connection_alone(peer: HttpPeer) -> None:
    for data in [b"\x00" * 1000 + b"\r\n\r\n", b"GET\r\n\r\n", b"POST /mcp HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                 b"A: " + b"b" * 100_000]:
        with socket.create_connection(("127.0.0.1", peer.port), timeout=10) as raw:
            with contextlib.suppress(OSError):  # it may have hung up already
                raw.sendall(data)
                raw.shutdown(socket.SHUT_WR)
                while raw.recv(65536):
                    pass
    assert begun(peer).ask(request(1, "ping"))["result"] == {}


def test_sessions_know_nothing_of_each_other(peer: HttpPeer) -> None:
    first, second = begun(peer), begun(peer)
    assert first.session != second.session
    assert "There is no job job-1" in second.ask(call(1, "job", id="job-1"))["result"]["content"][0]["text"]


def test_the_token_is_for_its_owner(tmp_path: pathlib.Path) -> None:
    with http_server(tmp_path) as one:
        assert len(one.token) == 64
        assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    with http_server(tmp_path) as again:
        assert again.token == one.token
    (tmp_path / "token").chmod(0o644)
    told = subprocess.run([str(PROGRAM), "mcp", "--http", "0", "--token-file", str(tmp_path / "token")],
                          capture_output=True, text=True, timeout=20, check=False)
    assert told.returncode == 2 and "others may read the token" in told.stderr and one.token not in told.stderr
