# SPDX-License-Identifier: Apache-2.0
"""An agent of the Agent Client Protocol, on PyPI's agent-client-protocol, that does as its first argument says.

win: reads and writes a step by the client's files, looks at the tools of our server, asks for permissions, ends its
turn.
groups: takes two steps as one by a tool of our server, and writes that.
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


async def asked_of(server: Any, method: str, params: dict) -> dict:
    """The result of one request to a server of the Model Context Protocol, which is started for it alone."""
    process = await asyncio.create_subprocess_exec(server.command, *server.args, stdin=asyncio.subprocess.PIPE,
                                                   stdout=asyncio.subprocess.PIPE)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    for message in ({"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"},
                    {"id": 2, "method": method, "params": params}):
        process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
    await process.stdin.drain()
    while line := await process.stdout.readline():
        message = json.loads(line)
        if message.get("id") == 2:
            process.stdin.close()
            await process.wait()
            return message["result"]
    return {}


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
        if self.mode == "groups":
            return await self.group(session_id)
        self.told["prompt"] = prompt[0].text
        self.told["tools"] = [tool["name"] for tool in (await asked_of(self.servers[0], "tools/list", {}))["tools"]]
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

    async def group(self, session_id: str) -> Any:
        """Takes the first two steps as one and writes that."""
        call = {"name": "group", "arguments": {"folder": "expert", "steps": [0, 1]}}
        taken = await asked_of(self.servers[0], "tools/call", call)
        self.told["group"] = taken["content"][0]["text"]
        joined = self.cwd / "expert" / taken["structuredContent"]["file"]
        await self.client.write_text_file(session_id=session_id, path=str(joined), content=self.text.read_text())
        declared = {"name": "group", "arguments": {"folder": "expert", "steps": [0]}}  # scratch is declared anew
        self.told["declared"] = (await asked_of(self.servers[0], "tools/call", declared))["content"][0]["text"]
        self.text.with_suffix(".json").write_text(json.dumps(self.told))
        return schema.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id: str, **_: Any) -> None:
        pass


asyncio.run(acp.run_agent(Agent(sys.argv[1], pathlib.Path(sys.argv[2]))))
