# SPDX-License-Identifier: Apache-2.0
"""optimize --coder acp: agents that others wrote, by the Agent Client Protocol. About 15 seconds of one core."""

from __future__ import annotations

import json
import pathlib
import shlex
import sys
import time

import pytest

from .conftest import SOURCE as TWO_STEPS
from .conftest import Workplace
from .test_groups import JOINED, adopted
from .test_react import SOURCE, one_launch, works_left

AGENT = pathlib.Path(__file__).with_name("acp_agent.py")


@pytest.fixture
def place(tmp_path: pathlib.Path) -> Workplace:
    (tmp_path / "model.py").write_text(SOURCE)
    return Workplace(tmp_path)


def with_agent(place: Workplace, mode: str, *more: str):
    command = shlex.join([sys.executable, str(AGENT), mode, str(place.folder / "text.cu")])
    return place.optimize("--coder", "acp", "--agent", command, *more, STITCHCUDA_LLM_KEY="planted")


def emitted_step(place: Workplace) -> str:
    folder = place.beside("plain")
    assert folder.command("workspace", "work", "--program", "model.py").status == 0
    return (folder.folder / "work" / "expert" / "steps" / "00_nll_loss_nd.cu").read_text()


def test_an_agent_from_elsewhere_wins(place: Workplace) -> None:
    pytest.importorskip("acp", reason="agent-client-protocol is not installed: tools/setup --tests")
    (place.folder / "text.cu").write_text(one_launch(emitted_step(place)))
    ended = with_agent(place, "win")
    assert ended.status == 0, ended.error
    agents = ended.json["agents"]
    assert [each["author"] for each in agents["steps"]] == [agents["coder"]], agents
    assert agents["coder"].startswith("acp:python") and agents["session"]["turns"] == 1
    assert "end_turn" in agents["session"]["ended"]
    told = json.loads((place.folder / "text.json").read_text())
    assert told["permissions"] == {"edit": "yes", "edit_outside": "no", "execute": "no"}
    assert told["refused"] == [True, True, True] and told["read"] is True
    assert {"compile", "check", "verify", "profile"} <= set(told["tools"])
    assert told["key"] is None and "expert/steps/00_nll_loss_nd.cu" in told["prompt"]
    assert told["capabilities"]["fs"]["read_text_file"] and not told["capabilities"]["terminal"]
    assert not works_left(place)


def test_an_agent_from_elsewhere_takes_steps_as_one(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("acp", reason="agent-client-protocol is not installed: tools/setup --tests")
    (tmp_path / "model.py").write_text(TWO_STEPS)
    (tmp_path / "text.cu").write_text(JOINED)
    place = Workplace(tmp_path)
    ended = with_agent(place, "groups")
    told = json.loads((tmp_path / "text.json").read_text())
    assert "one after another" in told["group"] and "a group already" in told["declared"], told
    adopted(place, ended, ended.json["agents"]["coder"])
    assert not works_left(place)


@pytest.mark.parametrize(("mode", "says"), [("dies", "I cannot bear it"), ("nonsense", "colourless green ideas")])
def test_one_that_dies_or_talks_nonsense_is_a_sentence(place: Workplace, mode: str, says: str) -> None:
    ended = with_agent(place, mode)
    assert ended.status == 0, ended.error
    agents = ended.json["agents"]
    assert says in agents["session"]["ended"] and [each["author"] for each in agents["steps"]] == ["expert"]
    assert ended.json["verdict"]["kind"] == "ok"


def test_one_that_hangs_is_ended(place: Workplace) -> None:
    pytest.importorskip("acp", reason="agent-client-protocol is not installed: tools/setup --tests")
    begun = time.monotonic()
    ended = with_agent(place, "hangs", "--max-seconds", "6")
    assert ended.status == 0, ended.error
    assert "was ended: its time was over" in ended.json["agents"]["session"]["ended"]
    assert [each["author"] for each in ended.json["agents"]["steps"]] == ["expert"]
    assert time.monotonic() - begun < 120


def test_usage_is_told(place: Workplace) -> None:
    assert place.optimize("--coder", "acp").status == 2
    assert place.optimize("--agent", "true", "--model", "expert").status == 2
    assert place.optimize("--system", "react", "--coder", "llm", "--model", "expert").status == 2
    assert not place.out.exists() and not place.runs
