# SPDX-License-Identifier: Apache-2.0
"""The adapters for verl and TRL, called as those call them, over a stub of the service (S15)."""

from __future__ import annotations

import asyncio
import importlib.util
import math
import pathlib
from types import ModuleType
from typing import Any

import pytest

from .stub_service import OUTCOMES, TOKEN, Said, answer, stub_service

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "integrations"


def load(trainer: str) -> ModuleType:
    """By its path, as verl does."""
    spec = importlib.util.spec_from_file_location(f"stitch_reward_of_{trainer}", FOLDER / trainer / "stitch_reward.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_text(_method: str, _path: str, body: dict[str, Any]) -> Said:
    """The outcome is what the candidate says; "down" is a service that is."""
    text = body["candidate"]["text"]
    return (503, {}, {"error": "down"}) if text == "down" else (200, {}, answer(text))


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STITCHCUDA_SERVE_TOKEN", TOKEN)


def score(verl: ModuleType, url: str, text: str, **options: Any) -> dict[str, float]:
    extra = {"index": 3, "num_turns": 1, "rollout_reward_scores": {}, "tool_extra_fields": {}}
    return asyncio.run(verl.compute_score(data_source="stitch/generate", solution_str=text, ground_truth="task",
                                          extra_info=extra, url=url, reward_router_address=None,
                                          reward_model_tokenizer=None, **options))


def test_verl_has_the_same_numbers_whatever_happens(capfd: pytest.CaptureFixture[str]) -> None:
    verl = load("verl")
    with stub_service(by_text) as stub:
        for outcome in OUTCOMES[:-1]:
            scores = score(verl, stub.url, outcome, nonce="n1")
            assert tuple(scores) == verl.KEYS
            assert all(type(value) is float and math.isfinite(value) for value in scores.values())
            assert scores["acc"] == scores["correct"] == (outcome == "ok")
            assert scores["hack"] == (outcome == "hack")
            assert (scores["score"], scores["queue_s"], scores["eval_s"]) == (0.5, 1.5, 4.0)
    assert capfd.readouterr().err.count("nonce n1") == 1


@pytest.mark.parametrize("text", ["infra_error", "down"])
def test_verl_is_never_given_a_number_for_a_world_that_failed(text: str) -> None:
    verl = load("verl")
    with stub_service(by_text) as stub, pytest.raises(verl.InfrastructureFailed):
        score(verl, stub.url, text, deadline_s=0.2)


@pytest.mark.parametrize("text", ["infra_error", "down"])
def test_verl_neutral_is_the_tasks_mean_until_too_much_fails(text: str) -> None:
    verl = load("verl")
    with stub_service(by_text) as stub:
        with pytest.raises(verl.InfrastructureFailed, match="no mean reward"):
            score(verl, stub.url, text, deadline_s=0.05, on_infra="neutral")
        for _ in range(40):
            score(verl, stub.url, "ok")
        scores = score(verl, stub.url, text, deadline_s=0.05, on_infra="neutral")
        assert (scores["score"], scores["infra_error"], tuple(scores)) == (0.5, 1.0, verl.KEYS)
        with pytest.raises(verl.InfrastructureFailed, match="of the last"):
            for _ in range(3):
                score(verl, stub.url, text, deadline_s=0.05, on_infra="neutral")


def test_verl_names_task_skill_and_sample() -> None:
    verl = load("verl")
    with stub_service(by_text) as stub:
        score(verl, stub.url, "ok", profile="cuda_agent_v1", run_id="run-7")
        _, _, body = stub.heard[0]
    assert body["task"] == {"id": "task", "skill": "generate"}
    assert body["reward"] == {"profile": "cuda_agent_v1"}
    assert body["trial"] == {"run_id": "run-7"}


def rewards(trl: ModuleType, completions: list[Any], **columns: Any) -> list[float | None]:
    return asyncio.run(trl.stitch_reward(prompts=["p"] * len(completions), completions=completions,
                                         completion_ids=[[1]] * len(completions), trainer_state=None, environments=None,
                                         log_extra=lambda *_: None, **columns))


def test_trl_has_none_where_the_world_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    trl = load("trl")
    logged: dict[str, float] = {}
    with stub_service(by_text) as stub:
        monkeypatch.setenv("STITCHCUDA_SERVE_URL", stub.url)
        monkeypatch.setenv("STITCHCUDA_SERVE_DEADLINE", "0.5")
        texts = ["ok", "hack", "infra_error", "down"]
        messages = [[{"role": "assistant", "content": text}] for text in texts]
        for completions in (texts, messages):
            assert rewards(trl, completions, task_id=["task"] * 4, log_metric=logged.__setitem__) == [
                0.5, 0.5, None, None]
    assert logged == {"stitchcuda/ok": 0.25, "stitchcuda/hack": 0.25, "stitchcuda/infra_error": 0.5}


def test_trl_turns_are_refinements_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    trl = load("trl")
    with stub_service(by_text) as stub:
        monkeypatch.setenv("STITCHCUDA_SERVE_URL", stub.url)
        environment = trl.StitchEnvironment()
        assert environment.reset(task_id="task", prompt="p") == ""
        assert environment.get_reward() is None
        assert environment.submit("mismatch") == "It is mismatch."
        assert environment.submit("infra_error").startswith("It was not judged")
        assert environment.submit("ok") == "It is ok."
        assert environment.get_reward() == 0.5
        first, _, third = (body for _, _, body in stub.heard)
    assert first["task"]["skill"] == "generate"
    assert third["task"]["skill"] == "refine"
    assert third["context"] == {"previous_sha256": "c" * 64, "feedback_sha256": "f" * 64, "turn": 3}


@pytest.mark.parametrize("trainer", ["verl", "trl"])
def test_the_real_package(trainer: str) -> None:
    """Where it is installed, it finds the function as its own configuration names it."""
    package = pytest.importorskip(trainer)
    module = load(trainer)
    name = "compute_score" if trainer == "verl" else "stitch_reward"
    assert asyncio.iscoroutinefunction(getattr(module, name)), package.__version__
