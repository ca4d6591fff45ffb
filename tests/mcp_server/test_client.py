# SPDX-License-Identifier: Apache-2.0
"""The client from PyPI does what a coding agent does: reads a program, takes the expert's, judges and marks it."""

import asyncio
import os
import pathlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from .peer import PROGRAM, ROOT, http_server

client = pytest.importorskip("mcp", reason="PyPI's mcp is not in .venv: tools/setup --tests installs it")
PROBLEM = "problems/mlp_residual.py"
WRONG = """
import torch
from torch import nn
class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.expand = nn.Linear(1024, 2999)
        self.contract = nn.Linear(2999, 1024)
    def forward(self, x):
        return x * 2
"""


async def finished(session: Any, tool: str, **arguments: object) -> Any:
    """The result of a call, and of the job that it may become."""
    result = await session.call_tool(tool, arguments)
    while (result.structured_content or {}).get("outcome") == "under_way":
        result = await session.call_tool("job", {"id": result.structured_content["job"]})
    return result


def text_of(result: Any) -> str:
    return result.content[0].text


async def judge_the_experts(session: Any, folder: pathlib.Path) -> None:
    found = await finished(session, "import", program=PROBLEM)
    assert not found.is_error and "gelu(" in text_of(found) and found.structured_content["operators"] == 4
    out = str(folder / "expert")
    assert not (await finished(session, "expert_program", program=PROBLEM, out=out)).is_error
    checked = await finished(session, "check", folder=out)
    assert checked.structured_content["check"] == "passed", text_of(checked)
    found = await finished(session, "docs", query="coalesced loads")
    assert found.structured_content["passages"] > 0
    verified = await finished(session, "verify", folder=out)
    assert verified.structured_content["verdict"] == "ok" and text_of(verified).startswith("The answer is right.")
    marked = await finished(session, "score", folder=out)
    assert 12 <= marked.structured_content["total"] <= 20
    profiled = await finished(session, "profile", folder=out)
    assert profiled.structured_content["steps"] == 2


async def judge_a_wrong_one(session: Any, folder: pathlib.Path) -> None:
    candidate = folder / "wrong.py"
    candidate.write_text(WRONG)
    judged = await finished(session, "verify", candidate=str(candidate), program=PROBLEM)
    assert not judged.is_error and judged.structured_content["outcome"] == "fell_short"
    for secret in ("as_given", "near_equal", "seed", "tile", "draw", "regime"):
        assert secret not in text_of(judged)


def over_stdio(work: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        server = client.StdioServerParameters(command=str(PROGRAM), args=["mcp"], cwd=str(ROOT), env=dict(os.environ))
        async with client.Client(server) as session:
            assert len((await session.list_tools()).tools) >= 9
            await work(session)

    asyncio.run(run())


def test_over_stdio(tmp_path: pathlib.Path) -> None:
    over_stdio(lambda session: judge_the_experts(session, tmp_path))


def test_a_wrong_answer_teaches_nothing(tmp_path: pathlib.Path) -> None:
    over_stdio(lambda session: judge_a_wrong_one(session, tmp_path))


def test_over_http(tmp_path: pathlib.Path) -> None:
    httpx = pytest.importorskip("httpx2")
    transport = pytest.importorskip("mcp.client.streamable_http")

    async def run(port: int, token: str) -> None:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120) as web:
            connection = transport.streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
            async with client.Client(connection) as session:
                await judge_the_experts(session, tmp_path)

    with http_server(tmp_path) as peer:
        asyncio.run(run(peer.port, peer.token))
