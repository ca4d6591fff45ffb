# SPDX-License-Identifier: Apache-2.0
"""Budgets end a run with the expert's program or a better one; teams and systems are what was asked for, or nothing."""

from __future__ import annotations

import json

import pytest
from llm.server import Act, Server, head, then_waits, whole

from .conftest import Workplace
from .model import Model, not_compiling, plan_of_expert, present, review, wrong

pytestmark = pytest.mark.usefixtures("preloads")

PRICES = "".join(f'price."{name}" = {{ prompt = 1.0, answer = 10.0, date = "2026-11-01" }}\n' for name in "mo")


def costly(answer):
    """The same answer, of 3,000 tokens before it and 6,000 of its own."""

    def act(prompt: str) -> Act:
        choice = {"message": {"content": answer(prompt)}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 3000, "completion_tokens": 6000}}).encode()
        return lambda peer: peer.sendall(head(200, "application/json", Content_Length=str(len(body))) + body)

    return act


def costly_model(*coder) -> Model:
    return Model(*map(costly, coder), planner=costly(plan_of_expert), verifier=costly(review))


# 0.063 $ and 9,000 tokens an answer; the worst that one may take is 16,384 tokens after its prompt.
@pytest.mark.parametrize(("system", "limit", "coders", "roles", "told"), [
    ("self-refine", ("--max-tokens", "33000"), [not_compiling, wrong], ["coder"], " tokens, over 33000"),
    ("coder-judge", ("--max-cost", "0.28"), [not_compiling, wrong], ["coder", "verifier"], " $, over 0.2800 $"),
])
def test_a_system_ends_in_its_budget(place: Workplace, system: str, limit: tuple[str, str], coders: list,
                                     roles: list[str], told: str) -> None:
    config = place.folder / "prices.toml"
    config.write_text(PRICES)
    model = costly_model(*coders)
    with model.server() as server:
        ended = place.optimize("--llm", server.url, "--model", "m", "--system", system, "--config", str(config), *limit)
    assert ended.status == 0, ended.error
    assert ended.json["verdict"]["kind"] == "ok"
    agents = ended.json["agents"]
    assert agents["stopped"].startswith("the budget is spent (") and told in agents["stopped"]
    assert model.roles()[:len(roles)] == roles and agents["planner"] == "expert"
    assert agents["prompt_tokens"] + agents["answer_tokens"] == 9000 * len(model.roles())
    name, most = limit
    spent = agents["dollars"] if name == "--max-cost" else agents["prompt_tokens"] + agents["answer_tokens"]
    assert 0 < spent <= float(most)
    assert {each["author"] for each in agents["steps"]} == {"expert"}
    if system == "coder-judge":
        fork_with_another_model(place)


def fork_with_another_model(place: Workplace) -> None:
    """From the first text on, which did not compile: another model mends it."""
    run = place.runs[0].name
    other = Model(present)
    with other.server() as server:
        forked = place.command("runs", "resume", run, "--from", "2", "--llm", server.url, "--model", "o", "--json")
        beyond = place.command("runs", "resume", run, "--from", "99", "--json")
    assert forked.status == 0, forked.error
    assert beyond.status == 2 and "not 99" in beyond.json["error"]["sentence"]
    assert len(place.runs) == 2 and forked.json["agents"]["coder"] == "o"
    replayed = place.command("runs", "replay", run, "--json").json["decisions"]
    again = place.state()["decisions"]
    assert [each["to"] for each in again[:3]] == [each["to"] for each in replayed[:3]]


def test_seconds_end_an_answer_that_does_not_come(place: Workplace) -> None:
    model = Model(lambda _: then_waits(lambda peer: None))
    with model.server() as server:
        ended = place.optimize("--llm", server.url, "--model", "m", "--system", "single-shot", "--max-seconds", "2")
    assert ended.status == 0, ended.error
    assert "the coder did not answer within the 2.0 s that were left" in ended.json["agents"]["stopped"]
    assert 2 <= ended.json["agents"]["seconds"] < 4 and ended.json["agents"]["requests"] == 1


def test_what_a_team_lacks_is_told_before_work_begins(place: Workplace) -> None:
    config = place.folder / "team.toml"
    with Server(whole("ready")) as server:
        config.write_text(f'endpoint.a.url = "{server.url}"\nteam.x.coder = {{ endpoint = "a", model = "m" }}\n')
        for words, told in [
            (("--team", "y"), 'there is no team "y"; there are x'),
            (("--team", "x", "--planner", "llm"), "the team x has no planner"),
            (("--team", "x", "--max-cost", "1"), "a limit on money needs the price of every model; not known: m"),
            (("--llm", server.url, "--model", "m", "--max-cost", "1"), "not known: m"),
        ]:
            ended = place.optimize("--config", str(config), *words)
            assert ended.status == 2 and told in ended.json["error"]["sentence"], ended.json
        assert not server.requests
    assert not place.out.exists() and not place.runs
