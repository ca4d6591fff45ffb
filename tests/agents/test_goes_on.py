# SPDX-License-Identifier: Apache-2.0
"""Runs that were killed or paused go on; replay, export and the table of routes tell what a run left."""

from __future__ import annotations

import collections
import json
import random
import signal
import subprocess
import time

import pytest
from llm.server import status
from named_seed import SEED

from .conftest import Workplace
from .model import Model, cannot, not_compiling, present, wrong

KILLS = 3  # of one run


def kill_later(process: subprocess.Popen, model: Model, requests: int, seconds: float) -> bool:
    """Kills it that long after the server heard that many requests. Whether it was still at work."""
    while len(model.asked) < requests and process.poll() is None:
        time.sleep(0.02)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def outcome(place: Workplace) -> dict:
    """What a run came to, spending and times of the clock aside."""
    state = place.state()
    decisions = [(each["from"], each["event"], each["to"]) for each in state["decisions"]]
    steps = {path.name: path.read_text() for path in place.out.rglob("*.cu")}
    return {"attempts": state["attempts"], "decisions": decisions, "incumbent": state["incumbent"], "steps": steps}


def script() -> Model:
    """What the Coder says follows from the prompt alone, so that a request sent again would be answered the same."""

    def code(prompt: str) -> str:
        if "gives wrong answers" in prompt:
            return present(prompt)
        if "does not compile" in prompt:
            return wrong(prompt)
        return cannot(prompt) if "is right. Make it faster" in prompt else not_compiling(prompt)

    return Model(code)


def test_killed_at_any_moment_it_comes_to_the_same_and_pays_nothing_twice(place: Workplace) -> None:
    chance = random.Random(SEED)
    undisturbed = place.beside("undisturbed")
    limits = ("--max-rounds", "3")
    reference = script()
    with reference.server() as server:
        assert undisturbed.optimize("--llm", server.url, "--model", "m", *limits).status == 0

    model, unanswered = script(), []
    with model.server() as server:
        words = place.words("--llm", server.url, "--model", "m", *limits)
        for kill in range(KILLS):
            process = place.start(*words)
            least = min(len(model.asked) + kill, len(reference.asked) - 1)
            assert kill_later(process, model, least, chance.uniform(0.5, 6) if kill == 0 else chance.uniform(0, 1.5))
            unanswered += model.asked[-1:]
            if place.runs:
                words = ["runs", "resume", place.runs[0].name, "--json"]
        ended = place.command(*words)
    assert ended.status == 0, ended.error
    assert len(place.runs) == 1
    assert [each["outcome"] for each in place.state()["attempts"]] == ["not_compiled", "wrong", "right"]
    assert outcome(place) == outcome(undisturbed)
    sent, once = collections.Counter(model.asked), collections.Counter(reference.asked)
    assert set(sent) == set(once)
    # A request may be sent again only where the kill may have come before its answer was kept.
    again = sent - once
    assert not again - collections.Counter(unanswered), "an answered request was sent again"


@pytest.mark.usefixtures("preloads")
def test_a_pause_is_exit_4_and_the_run_goes_on(place: Workplace) -> None:
    gone = {"now": True}

    def code(prompt: str):
        return status(400, '{"error": "overloaded for good"}') if gone["now"] else cannot(prompt)

    model = Model(code)
    with model.server() as server:
        ended = place.optimize("--llm", server.url, "--model", "m")
        assert ended.status == 4 and "overloaded for good" in ended.json["error"]["sentence"]
        assert not place.out.exists()
        run = place.runs[0].name
        gone["now"] = False
        again = place.command("runs", "resume", run, "--json")
    assert again.status == 0, again.error
    assert model.roles().count("planner") == 1
    replayed = place.command("runs", "replay", run, "--json")
    assert replayed.status == 0
    assert [each["to"] for each in replayed.json["decisions"]] == [each["to"] for each in place.state()["decisions"]]
    graph = place.command("runs", "show", run, "--graph", "--json")
    assert "paused" in graph.json["text"] and "1x resumed" in graph.json["text"]
    lines = place.command("runs", "export", run).json["text"].splitlines()
    samples = [json.loads(line) for line in lines]
    assert {sample["schema"] for sample in samples} == {"stitchcuda.trajectory/1"}
    assert [sample["role"] for sample in samples][0] == "planner" and len(samples) == len(model.roles()) - 1


@pytest.mark.usefixtures("preloads")
def test_the_expert_model_needs_no_network(place: Workplace) -> None:
    ended = place.optimize("--model", "expert:faults=0.3", "--max-rounds", "2")
    assert ended.status == 0, ended.error
    assert ended.json["verdict"]["kind"] == "ok" and ended.json["agents"]["requests"] > 0
    assert place.state()["attempts"]
