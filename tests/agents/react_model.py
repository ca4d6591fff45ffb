# SPDX-License-Identifier: Apache-2.0
"""A model with tools that does as a script says: each turn a call, or a function of the last result that gives one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from llm.server import Act, Server, by_request, head, whole

Call = tuple[str, dict[str, Any]]
Turn = Call | list[Call] | str | Callable[[str], Any]


def call_body(name: str, arguments: dict[str, Any], number: int, prompt_tokens: int = 70) -> str:
    return calls_body([(name, arguments)], number, prompt_tokens)


def calls_body(said: list[Call], number: int, prompt_tokens: int = 70) -> str:
    """All with one id, as some servers have it."""
    calls = [{"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
             for name, arguments in said]
    choice = {"index": 0, "message": {"role": "assistant", "content": "I go on.", "tool_calls": calls},
              "finish_reason": "tool_calls"}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 30}})


def sent(body: str) -> Act:
    data = body.encode()
    return lambda peer: peer.sendall(head(200, "application/json", Content_Length=str(len(data))) + data)


class ReactModel:
    """`turns` by how many answers the conversation holds, so that a request sent again is answered the same."""

    def __init__(self, *turns: Turn, knows_tools: bool = True, prompt_tokens: int = 70) -> None:
        self.turns = list(turns)
        self.knows_tools = knows_tools
        self.prompt_tokens = prompt_tokens
        self.asked: list[dict] = []  # bodies
        self.results: dict[int, str] = {}  # what the turn of that number heard of the one before

    def server(self) -> Server:
        return Server(by_request(self.say))

    def say(self, body: dict) -> Act:
        messages = body["messages"]
        system = messages[0]["content"]
        if "who works with tools" not in system:
            return self.probe(body)
        assert self.knows_tools == ("tools" in body)
        self.asked.append(body)
        turn = sum(message["role"] == "assistant" for message in messages)
        last = messages[-1]["content"]
        self.results[turn] = last
        said = self.turns[min(turn, len(self.turns) - 1)]
        said = said(last) if callable(said) else said
        if isinstance(said, str):
            return whole(said)
        if isinstance(said, list):
            return sent(calls_body(said, turn, self.prompt_tokens))
        name, arguments = said
        if not self.knows_tools:
            return whole("I go on.\n" + json.dumps({"tool": name, "arguments": arguments}))
        return sent(call_body(name, arguments, turn, self.prompt_tokens))

    def probe(self, body: dict) -> Act:
        """Of the three small questions before a run: whether tools are known is learned from the answer."""
        if self.knows_tools and body.get("tools"):
            return sent(call_body(body["tools"][0]["function"]["name"], {}, 0))
        return whole("ready")


def numbered_text(result: str) -> str:
    """A file's text from what the tool `read` showed of it."""
    lines = re.findall(r"^ *\d+  (.*)$", result, re.MULTILINE)
    return "\n".join(lines) + "\n"
