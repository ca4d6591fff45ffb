# SPDX-License-Identifier: Apache-2.0
"""An agent of the Agent Client Protocol, on PyPI's agent-client-protocol, that does as its first argument says.

win: reads and writes a step by the client's files, looks at the tools of our server, asks for permissions, ends its
turn.
dies, hangs, nonsense: what the words say.
"""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import sys
import time
from typing import Any


def bare(mode: str) -> None:
    if mode == "nonsense":
        for _ in range(80):
            print("colourless green ideas", flush=True)
        time.sleep(60)
    if mode == "dies":
        print("I cannot bear it", file=sys.stderr)
        sys.exit(3)


bare(sys.argv[1])

import acp  # noqa: E402: only an agent that works needs it
from acp import schema  # noqa: E402


async def tools_of(server: Any) -> list[str]:
    """The names of the tools that a server of the Model Context Protocol offers."""
    process = await asyncio.create_subprocess_exec(server.command, *server.args, stdin=asyncio.subprocess.PIPE,
                                                   stdout=asyncio.subprocess.PIPE)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    for message in ({"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"},
                    {"id": 2, "method": "tools/list"}):
        process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
    await process.stdin.drain()
    while line := await process.stdout.readline():
        message = json.loads(line)
        if message.get("id") == 2:
            process.stdin.close()
            await process.wait()
            return [tool["name"] for tool in message["result"]["tools"]]
    return []


class Agent:
    def __init__(self, mode: str, text: pathlib.Path) -> None:
        self.mode = mode
        self.text = text
        self.told: dict[str, Any] = {}

    def on_connect(self, client: Any) -> None:
        self.client = client

    async def initialize(self, protocol_version: int, client_capabilities: Any = None, **_: Any) -> Any:
        self.told["capabilities"] = client_capabilities.model_dump()
        return schema.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, mcp_servers: list[Any] | None = None, **_: Any) -> Any:
        self.cwd = pathlib.Path(cwd)
        self.servers = mcp_servers or []
        return schema.NewSessionResponse(session_id="one")

    async def permission(self, kind: str, path: str) -> str:
        call = schema.ToolCallUpdate(tool_call_id=kind, title=kind, kind=kind,
                                     locations=[schema.ToolCallLocation(path=path)])
        options = [schema.PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
                   schema.PermissionOption(option_id="no", name="No", kind="reject_once")]
        answer = await self.client.request_permission(session_id="one", tool_call=call, options=options)
        return answer.outcome.option_id

    async def refused(self, path: str) -> bool:
        try:
            await self.client.read_text_file(session_id="one", path=path)
        except acp.RequestError:
            return True
        return False

    async def prompt(self, session_id: str, prompt: list[Any] | None = None, **_: Any) -> Any:
        if self.mode == "hangs":
            await asyncio.sleep(600)
        self.told["prompt"] = prompt[0].text
        self.told["tools"] = await tools_of(self.servers[0])
        self.told["key"] = os.environ.get("STITCHCUDA_LLM_KEY")
        self.told["permissions"] = {
            "edit": await self.permission("edit", str(self.cwd / "expert" / "steps" / "a.cu")),
            "edit_outside": await self.permission("edit", "/etc/passwd"),
            "execute": await self.permission("execute", str(self.cwd))}
        (self.cwd / "link").symlink_to("/etc/passwd")
        self.told["refused"] = [await self.refused(path) for path in ("/etc/passwd", str(self.cwd / "link"),
                                                                      str(self.cwd / ".." / "journal.sqlite"))]
        call = acp.start_tool_call(tool_call_id="w", title="write the step", kind="edit")
        await self.client.session_update(session_id=session_id, update=call)
        step = next((self.cwd / "expert" / "steps").glob("*.cu"))
        before = await self.client.read_text_file(session_id=session_id, path=str(step))
        self.told["read"] = before.content == step.read_text()
        await self.client.write_text_file(session_id=session_id, path=str(step), content=self.text.read_text())
        self.text.with_suffix(".json").write_text(json.dumps(self.told))
        return schema.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id: str, **_: Any) -> None:
        pass


asyncio.run(acp.run_agent(Agent(sys.argv[1], pathlib.Path(sys.argv[2]))))
