# SPDX-License-Identifier: Apache-2.0
"""A model that does as a test tells it: it answers the probe, plans as the expert does, and writes what a list says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from llm.server import Act, Server, by_request, whole

Answer = str | Act
BEGIN = "cudaStream_t stream) {\n"


def material(prompt: str, source: str) -> str:
    """What the prompt quotes of one source."""
    found = re.search(rf'<material from="{re.escape(source)}">\n(.*?)</material>', prompt, re.DOTALL)
    assert found, f"no material from {source} in {prompt[:400]}"
    return found.group(1)


def fenced(text: str) -> str:
    return f"I change nothing that matters.\n```cuda\n{text}```\n"


def present(prompt: str) -> str:
    """The file that is used now, as it is."""
    return fenced(material(prompt, "the present file"))


def spoilt(line: str) -> Callable[[str], str]:
    """The same with a line at the beginning of the step's function."""

    def write(prompt: str) -> str:
        text = material(prompt, "the present file")
        assert BEGIN in text
        head, _, tail = text.rpartition(BEGIN)
        return fenced(head + BEGIN + line + "\n" + tail)

    return write


not_compiling = spoilt("  const int forgotten = not_declared;")
wrong = spoilt("  if (args != nullptr) {\n    return 0;\n  }")


def cannot(_: str) -> str:
    return "cannot, because nothing is left to do"


def plan_of_expert(prompt: str) -> str:
    return "The expert's cut is right.\n" + material(prompt, "the expert")


def review(prompt: str) -> str:
    if "bottleneck" not in prompt:
        return json.dumps({"schema": "stitchcuda.feedback/1", "what": "It fails.", "why": "Nothing fails well.",
                           "fix": "Mend it."})
    figures = json.loads(material(prompt, "the profile"))
    return json.dumps({"schema": "stitchcuda.feedback/1", "bottleneck": "memory", "class": "memory",
                       "figures": dict(list(figures.items())[:3]), "system": "fuse", "kernel": "vectorise",
                       "plan": "count bytes"})


class Model:
    """`coder`: its answers in turn, the last one again and again."""

    def __init__(self, *coder: Callable[[str], Answer], planner: Callable[[str], Answer] = plan_of_expert,
                 verifier: Callable[[str], Answer] = review) -> None:
        self.coder = list(coder) or [cannot]
        self.planner = planner
        self.verifier = verifier
        self.asked: list[tuple[str, str]] = []  # role, prompt

    def server(self) -> Server:
        return Server(by_request(self.say))

    def say(self, body: dict) -> Act:
        messages = body["messages"]
        system = messages[0]["content"] if messages[0]["role"] == "system" else ""
        prompt = "\n".join(message["content"] for message in messages[1:])
        if system.startswith("You are an expert CUDA programmer"):
            self.asked.append(("coder", prompt))
            answer = (self.coder.pop(0) if len(self.coder) > 1 else self.coder[0])(prompt)
        elif system.startswith("You are a performance engineer"):
            self.asked.append(("planner", prompt))
            answer = self.planner(prompt)
        elif system.startswith("You review"):
            self.asked.append(("verifier", prompt))
            answer = self.verifier(prompt)
        else:
            answer = "ready"
        return whole(answer) if isinstance(answer, str) else answer

    def roles(self) -> list[str]:
        return [role for role, _ in self.asked]
