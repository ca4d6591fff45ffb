# SPDX-License-Identifier: Apache-2.0
"""Choices for the host side are a sub-task: refused with a sentence, or emitted, judged, counted and timed."""

from __future__ import annotations

import json
import re

import pytest

from .conftest import Workplace
from .model import Model, cannot, material
from .react_model import ReactModel, numbered_text

# Two chains of small steps that need each other at the end alone.
BRANCHES = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(24))

    def forward(self, x):
        left = torch.softmax(torch.softmax(torch.softmax(x, dim=1), dim=0), dim=1)
        right = torch.softmax(torch.softmax(torch.softmax(x * self.scale, dim=0), dim=1), dim=0)
        return (left * right).sum(dim=0)

def get_inputs():
    return [torch.randn(6, 24)]

def get_init_inputs():
    return []
"""


@pytest.fixture
def branches(place: Workplace) -> Workplace:
    (place.folder / "model.py").write_text(BRANCHES)
    return place


def choices(prompt: str) -> dict:
    return json.loads(material(prompt, "the choices"))


def backwards(prompt: str) -> str:
    present = choices(prompt)
    return json.dumps({**present, "order": present["order"][::-1]})


def not_strict(prompt: str) -> str:
    return json.dumps({**choices(prompt), "threads": 7})


def on_two_streams(present: dict, contract: str) -> str:
    """The steps of the chain that the first step does not begin, on a stream of their own."""
    behind = dict(re.findall(r"(\w+): [0-9.]+ us modelled, behind (.*)", contract))
    first, *_ = present["order"]
    chain = {first}
    for step in present["order"]:
        if chain & set(behind[step].split(", ")):
            chain.add(step)
    joins = [step for step in behind if "," in behind[step]]
    others = [step for step in behind if step not in chain]
    assert len(others) >= 2 and joins
    return json.dumps({**present, "streams": {step: 1 for step in others}})


def two_streams(prompt: str) -> str:
    return "Two chains.\n" + on_two_streams(choices(prompt), material(prompt, "the contract"))


class Host(Model):
    """Writes no step; `coder` answers for the host side."""

    def say(self, body: dict):
        if body["messages"][0]["content"].startswith("You are an expert CUDA programmer. You write one step"):
            kept, self.coder = self.coder, [cannot]
            act = super().say(body)
            self.coder = kept
            return act
        return super().say(body)


def test_streams_are_chosen_emitted_counted_and_taken_over(branches: Workplace) -> None:
    model = Host(not_strict, backwards, two_streams, two_streams, cannot)
    with model.server() as server:
        ended = branches.optimize("--llm", server.url, "--model", "m")
    assert ended.status == 0, ended.error
    state = branches.state()
    assert [task["kind"] for task in state["plans"][0]["sub_tasks"]][-1] == "host"
    assert [each["outcome"] for each in state["attempts"]] == ["unreadable", "not_compiled", "right", "right"]
    unreadable, backwards_tried, right, again = state["attempts"]
    assert unreadable["fingerprint"] == 'host choices have no member "threads"'
    assert "which it has to come behind" in backwards_tried["fingerprint"]
    assert right["replaced_incumbent"] and right["gained_us"] > 0 and not again["replaced_incumbent"]
    assert again["program"] == right["program"], "the same text is not tried twice"

    asked = [prompt for role, prompt in model.asked if role == "coder" and "host side" in prompt]
    counts = re.findall(r"a call (before|with it): (\d+) launches, (\d+) waits .* (\d+) allocations, (\d+) synch",
                        material(asked[3], "the check"))
    (_, *before), (_, *after) = counts
    assert before[0] == after[0] and int(before[1]) == 0 and int(after[1]) >= 2 and after[2:] == ["0", "0"]

    authors = {each["step"]: each["author"] for each in ended.json["agents"]["steps"]}
    assert authors.pop("host") == "m" and set(authors.values()) == {"expert"}
    plan = json.loads((branches.out / "plan.json").read_text())
    assert set(plan["host"]["streams"].values()) == {1} and plan["host"]["graph"] is True
    program = (branches.out / "program.cu").read_text()
    assert ".side_stream_count = 1," in program and ".waits = kStep" in program
    again = branches.command("verify", "out", "--device", "emulated", "--json")
    assert again.status == 0 and again.json["verdict"]["kind"] == "ok"


def test_the_expert_chooses_streams_by_rule(branches: Workplace) -> None:
    ended = branches.optimize("--model", "expert", "--step-rounds", "1")
    assert ended.status == 0, ended.error
    state = branches.state()
    host = [each for each in state["attempts"] if each["changed"] == ["host"]]
    assert host and host[0]["replaced_incumbent"], state["attempts"]
    steps = {each["step"]: each for each in ended.json["agents"]["steps"]}
    assert steps["host"]["attempt"] == host[0]["number"] and steps["host"]["gained_us"] == host[0]["gained_us"]

    # A step's text by rule is judged in its program only if it is to replace something; the host side always is.
    told = json.loads((branches.out / "evidence" / "agents_texts.json").read_text())["told"]
    alone = {int(number) for number, text in told.items() if "That is the verdict on the step alone" in text}
    assert alone == {each["number"] for each in state["attempts"] if not each["replaced_incumbent"]} and alone
    assert all(each["outcome"] == "right" and each["program"]["us"] > 0 for each in state["attempts"])
    run = branches.runs[0].name
    samples = [json.loads(line) for line in branches.command("runs", "export", run).json["text"].splitlines()]
    assert all(each["marks"] for each in samples if each["role"] == "coder" and each["verdict"])
    replayed = branches.command("runs", "replay", run, "--json")
    assert replayed.status == 0, replayed.error
    assert [each["to"] for each in replayed.json["decisions"]] == [each["to"] for each in state["decisions"]]


@pytest.mark.parametrize("good", [True, False])
def test_a_session_in_a_workspace_chooses_too(branches: Workplace, good: bool) -> None:
    tasks: list[str] = []

    def look(task: str):
        tasks.append(task)
        return "read", {"path": "host.json"}

    def choose(result: str):
        present = json.loads(numbered_text(result))
        text = on_two_streams(present, material(tasks[0], "the contract"))
        return "write", {"path": "host.json", "content": text if good else text.replace('"graph"', '"graphs"')}

    model = ReactModel(look, choose, ("finish", {"summary": "two streams"}))
    with model.server() as server:
        ended = branches.optimize("--coder", "react", "--llm", server.url, "--model", "m")
    assert ended.status == 0, ended.error
    attempts = branches.state()["attempts"]
    assert [(each["changed"], each["outcome"]) for each in attempts] == [(["host"], "right" if good else
                                                                         "not_compiled")]
    authors = {each["step"]: each["author"] for each in ended.json["agents"]["steps"]}
    assert authors.pop("host", "expert") == ("m" if good else "expert") and set(authors.values()) == {"expert"}
    assert attempts[0]["fingerprint"] == ("" if good else 'host choices have no member "graphs"')
    host = json.loads((branches.out / "plan.json").read_text()).get("host", {})
    assert set(host.get("streams", {}).values()) == ({1} if good else set())
