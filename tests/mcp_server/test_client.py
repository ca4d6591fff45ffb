# SPDX-License-Identifier: Apache-2.0
"""The client from PyPI does what a coding agent does: reads a program, takes the expert's, checks, judges, marks it.

About 35 seconds of one core: over stdio the whole of it, over HTTP a shorter way, both with one small program."""

import asyncio
import os
import pathlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from .peer import PROGRAM, ROOT, http_server

client = pytest.importorskip("mcp", reason="PyPI's mcp is not in .venv: tools/setup --tests installs it")
pytestmark = pytest.mark.usefixtures("preloads")
PROBLEM = "tests/programs/linear_relu_37x50.py"
TWO_STEPS = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(torch.relu(x), dim=-1).sum(dim=0)

def get_inputs():
    return [torch.randn(6, 24)]

def get_init_inputs():
    return []
"""
FORGETS_RELU = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = torch.nn.Linear(inputs, outputs)
    def forward(self, x):
        return self.linear(x)
"""


async def finished(session: Any, tool: str, **arguments: object) -> Any:
    """The result of a call, and of the job that it may become."""
    result = await session.call_tool(tool, arguments)
    while (result.structured_content or {}).get("outcome") == "under_way":
        result = await session.call_tool("job", {"id": result.structured_content["job"]})
    return result


def text_of(result: Any) -> str:
    return result.content[0].text


async def facts(session: Any, tool: str, **arguments: object) -> dict[str, Any]:
    """Of a call that does what it was asked for."""
    result = await finished(session, tool, **arguments)
    assert not result.is_error and result.structured_content["outcome"] == "done", text_of(result)
    return result.structured_content


async def write_expert(session: Any, folder: pathlib.Path) -> str:
    found = await finished(session, "import", program=PROBLEM)
    assert "relu(" in text_of(found) and found.structured_content["operators"] == 2
    out = str(folder / "expert")
    assert (await facts(session, "expert_program", program=PROBLEM, out=out))["steps"] == 1
    return out


async def look_up(session: Any) -> None:
    found = await finished(session, "docs", query="coalesced loads", limit=3)
    assert found.structured_content["passages"] == 3
    passage = "card:memory/coalescing"
    assert passage in text_of(found)
    assert (await facts(session, "docs", id=passage))["id"] == passage
    found = await finished(session, "docs", error='error: identifier "foo" is undefined')
    assert "card:compiler/undefined_identifier" in text_of(found)
    for wrong in ({}, {"query": "warps", "id": passage}, {"id": "card:none"}):
        assert (await finished(session, "docs", **wrong)).is_error


async def judge_the_expert(session: Any, folder: pathlib.Path) -> None:
    out = await write_expert(session, folder)
    assert (await facts(session, "compile", folder=out))["verdict"] == "compiles"
    assert (await facts(session, "check", folder=out))["check"] == "passed"
    verified = await finished(session, "verify", folder=out)
    assert verified.structured_content["verdict"] == "ok" and text_of(verified).startswith("The answer is right.")
    assert 12 <= (await facts(session, "score", folder=out))["total"] <= 20
    assert (await facts(session, "profile", folder=out))["steps"] == 1
    await look_up(session)
    await break_and_check(session, pathlib.Path(out))


async def break_and_check(session: Any, out: pathlib.Path) -> None:
    """The public check shows where, and what was got and expected; a verdict on the same does not."""
    step = next((out / "steps").glob("*.cu"))
    text = step.read_text()
    assert "= stitch::relu(linear);" in text
    step.write_text(text.replace("= stitch::relu(linear);", "= linear;"))
    checked = await finished(session, "check", folder=str(out))
    assert not checked.is_error and checked.structured_content["outcome"] == "fell_short"
    assert checked.structured_content["check"] == "wrong" and "expected" in text_of(checked), text_of(checked)
    step.write_text("this is no C++\n" + text)
    checked = await finished(session, "check", folder=str(out))
    assert checked.structured_content["check"] == "build_failed" and ".cu:1: expected" in text_of(checked)


async def judge_a_wrong_one(session: Any, folder: pathlib.Path) -> None:
    candidate = folder / "wrong.py"
    candidate.write_text(FORGETS_RELU)
    judged = await finished(session, "verify", candidate=str(candidate), program=PROBLEM)
    assert not judged.is_error and judged.structured_content["outcome"] == "fell_short"
    for secret in ("as_given", "near_equal", "seed", "tile", "draw", "regime"):
        assert secret not in text_of(judged)


async def judge_steps(session: Any, folder: pathlib.Path) -> None:
    """Of two steps the second is wrong: the first is not told to be."""
    program = folder / "two.py"
    program.write_text(TWO_STEPS)
    out = folder / "expert"
    assert (await facts(session, "expert_program", program=str(program), out=str(out)))["steps"] == 2
    step = next((out / "steps").glob("01_*.cu"))
    text = step.read_text()
    assert "= total.sum;" in text
    assert (await facts(session, "verify", folder=str(out), step=1))["verdict"] == "ok"
    step.write_text(text.replace("= total.sum;", "= total.sum + 1;"))
    assert (await facts(session, "verify", folder=str(out), step=0))["verdict"] == "ok", "it is as it was"
    judged = await finished(session, "verify", folder=str(out), step=1)
    assert not judged.is_error and judged.structured_content["outcome"] == "fell_short"
    assert judged.structured_content["verdict"] == "wrong"
    assert text_of(judged).startswith("The answer is not what the reference gives."), text_of(judged)
    none = await finished(session, "verify", folder=str(out), step=2)
    assert none.is_error and "step" in text_of(none), text_of(none)


def over_stdio(work: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        server = client.StdioServerParameters(command=str(PROGRAM), args=["mcp"], cwd=str(ROOT), env=dict(os.environ))
        async with client.Client(server) as session:
            assert len((await session.list_tools()).tools) >= 9
            await work(session)

    asyncio.run(run())


def test_over_stdio(tmp_path: pathlib.Path) -> None:
    over_stdio(lambda session: judge_the_expert(session, tmp_path))


def test_one_step_is_judged_alone(tmp_path: pathlib.Path) -> None:
    over_stdio(lambda session: judge_steps(session, tmp_path))


def test_a_wrong_answer_teaches_nothing(tmp_path: pathlib.Path) -> None:
    over_stdio(lambda session: judge_a_wrong_one(session, tmp_path))


def test_over_http(tmp_path: pathlib.Path) -> None:
    httpx = pytest.importorskip("httpx2")
    transport = pytest.importorskip("mcp.client.streamable_http")

    async def work(session: Any) -> None:
        out = await write_expert(session, tmp_path)
        assert (await facts(session, "check", folder=out))["check"] == "passed"
        assert (await facts(session, "verify", folder=out))["verdict"] == "ok"

    async def run(port: int, token: str) -> None:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120) as web:
            connection = transport.streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
            async with client.Client(connection) as session:
                await work(session)

    with http_server(tmp_path) as peer:
        asyncio.run(run(peer.port, peer.token))
