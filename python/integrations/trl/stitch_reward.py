# SPDX-License-Identifier: Apache-2.0
"""A reward function and an environment for TRL's GRPOTrainer, over `stitchcuda serve`.

    GRPOTrainer(model, reward_funcs=[stitch_reward], args=GRPOConfig(...), train_dataset=dataset)

The dataset has a column `task_id`, and may have `skill`, `previous_sha256`, `feedback_sha256`. STITCHCUDA_SERVE_URL
says where the service is (http://127.0.0.1:8940), STITCHCUDA_SERVE_TOKEN or the file STITCHCUDA_SERVE_TOKEN_FILE who
asks, STITCHCUDA_SERVE_PROFILE which reward. A sample that nobody judged, since the world failed, has None: TRL leaves
it out.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Any

from stitchcuda.evaluation import AsyncEvaluationClient, DeadlinePassed, EvaluationClient, request_of


def place() -> dict[str, Any]:
    return {"url": os.environ.get("STITCHCUDA_SERVE_URL", "http://127.0.0.1:8940"),
            "token_file": os.environ.get("STITCHCUDA_SERVE_TOKEN_FILE"),
            "deadline_s": float(os.environ.get("STITCHCUDA_SERVE_DEADLINE", "1500"))}


def profile() -> str:
    return os.environ.get("STITCHCUDA_SERVE_PROFILE", "stitch_v1")


def text_of(completion: object) -> str:
    """A completion is a text, or the messages of a conversation, of which the last one counts."""
    if isinstance(completion, str):
        return completion
    assert isinstance(completion, Sequence)
    return str(completion[-1]["content"])


async def stitch_reward(prompts: Sequence[Any], completions: Sequence[Any], completion_ids: object = None, *,
                        task_id: Sequence[str], skill: Sequence[str] | None = None,
                        previous_sha256: Sequence[str | None] | None = None,
                        feedback_sha256: Sequence[str | None] | None = None,
                        log_metric: Callable[[str, float], None] | None = None, **_others: Any) -> list[float | None]:
    """A reward for each completion, or None. RequestRefused where a task or the profile is not known."""
    client = AsyncEvaluationClient(**place())

    async def one(at: int) -> dict[str, Any] | None:
        context = {name: column[at] for name, column in (("previous_sha256", previous_sha256),
                                                         ("feedback_sha256", feedback_sha256)) if column and column[at]}
        request = request_of(task_id[at], "completion", text_of(completions[at]), profile=profile(),
                             skill=skill[at] if skill else "generate", run_id="trl",
                             **({"context": context} if context else {}))
        try:
            return await client.evaluate(request)
        except DeadlinePassed:
            return None

    answers = await asyncio.gather(*(one(at) for at in range(len(completions))))
    rewards = [None if answer is None else answer["reward"]["value"] for answer in answers]
    if log_metric is not None and answers:
        outcomes = ["infra_error" if answer is None else answer["outcome"] for answer in answers]
        for name in ("ok", "hack", "infra_error"):
            log_metric(f"stitchcuda/{name}", outcomes.count(name) / len(outcomes))
    return rewards


class StitchEnvironment:
    """Several turns on one task: `environment_factory=StitchEnvironment`. The reward is that of the best turn; None
    where none was judged."""

    def __init__(self) -> None:
        self._client = EvaluationClient(**place())
        self._task, self._answer, self._best = "", None, None
        self._turns = 0

    def reset(self, task_id: str, **_row: Any) -> str:
        self._task, self._answer, self._best, self._turns = task_id, None, None, 0
        return ""

    def submit(self, code: str) -> str:
        """Have a program judged.

        Args:
            code: The whole program, in a fence of Python or CUDA.

        Returns:
            What is wrong with it, or that the answer is right.
        """
        self._turns += 1
        context = {}
        if self._answer is not None:
            context = {"context": {"previous_sha256": self._answer["evidence"]["candidate_sha256"],
                                   "feedback_sha256": self._answer["feedback"]["sha256"], "turn": self._turns}}
        is_refinement = bool(context) and context["context"]["previous_sha256"] is not None
        request = request_of(self._task, "completion", code, profile=profile(), run_id="trl",
                             skill="refine" if is_refinement else "generate", key=self._turns,
                             **(context if is_refinement else {}))
        try:
            answer = self._client.evaluate(request)
        except DeadlinePassed:
            return "It was not judged: the evaluation failed. Submit it again."
        reward = answer["reward"]["value"]
        if reward is None:
            return "It was not judged: the evaluation failed. Submit it again."
        self._answer = answer
        self._best = reward if self._best is None else max(self._best, reward)
        return str(answer["feedback"]["text"])

    def get_reward(self) -> float | None:
        return self._best
