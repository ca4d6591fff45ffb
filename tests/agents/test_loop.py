# SPDX-License-Identifier: Apache-2.0
"""optimize --coder llm against a scripted server: whatever a model answers, the program is verified and no worse."""

from __future__ import annotations

import socket

import pytest
from llm.server import Server, status, whole

from .conftest import Workplace
from .model import Model, cannot, material, present

pytestmark = pytest.mark.usefixtures("preloads")

LIMITS = ("--step-rounds", "3", "--max-rounds", "4")


def test_a_right_answer_is_judged_and_everyone_is_told(place: Workplace) -> None:
    model = Model(present, cannot)
    with model.server() as server:
        ended = place.optimize("--llm", server.url, "--model", "m", *LIMITS)
    assert ended.status == 0, ended.error
    assert ended.json["verdict"]["kind"] == "ok" and ended.json["coder"] == "m"
    agents = ended.json["agents"]
    assert agents["coder"] == agents["planner"] == agents["verifier"] == "m"
    assert model.roles()[:4] == ["planner", "coder", "verifier", "coder"]
    assert place.state()["attempts"][0]["outcome"] == "right"
    assert "[card:" in material(model.asked[3][1], "documents"), "what the profile calls for is looked up"
    assert {each["author"] for each in agents["steps"]} <= {"expert", "m"}


def test_a_model_that_talks_nonsense_leaves_the_experts_program(place: Workplace) -> None:
    model = Model(lambda _: "colourless green ideas", planner=lambda _: "sleep", verifier=lambda _: "furiously")
    with model.server() as server:
        ended = place.optimize("--llm", server.url, "--model", "m", *LIMITS)
    assert ended.status == 0, ended.error
    assert {each["author"] for each in ended.json["agents"]["steps"]} == {"expert"}
    assert {each["outcome"] for each in place.state()["attempts"]} == {"unreadable"}
    assert ended.json["verdict"]["kind"] == "ok"


def test_without_a_server_nothing_is_written(place: Workplace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    ended = place.optimize("--llm", url, "--model", "m")
    assert ended.status == 4 and "the connection to the endpoint failed" in ended.json["error"]["sentence"]
    assert not place.out.exists() and not place.runs


def test_a_model_that_is_not_known_or_a_key_that_is_missing_is_exit_4(place: Workplace) -> None:
    with Server(status(404, '{"error": "model x not found"}')) as server:
        ended = place.optimize("--llm", server.url, "--model", "x")
    assert ended.status == 4 and "model x not found" in ended.json["error"]["sentence"]
    config = place.folder / "team.toml"
    with Server(whole("ready")) as server:
        config.write_text(f'endpoint.a = {{ url = "{server.url}", key_env = "STITCH_NO_SUCH_KEY" }}\n'
                          'team.default.coder = { endpoint = "a", model = "m" }\n')
        ended = place.optimize("--coder", "llm", "--config", str(config))
        assert not server.requests
    assert ended.status == 4 and "STITCH_NO_SUCH_KEY" in ended.json["error"]["sentence"]
    assert not place.out.exists() and not place.runs


def test_usage_is_told(place: Workplace) -> None:
    assert place.optimize("--model", "m").status == 2
    assert place.optimize("--llm", "http://localhost:1/v1").status == 2
    assert place.optimize("--llm", "ftp://localhost", "--model", "m").status == 2
    assert place.optimize("--model", "expert:faults=2").status == 2
    assert not place.out.exists() and not place.runs
