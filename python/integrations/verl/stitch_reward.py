# SPDX-License-Identifier: Apache-2.0
"""A reward function for verl: asks `stitchcuda serve` for each sample.

    reward.custom_reward_function.path=python/integrations/verl/stitch_reward.py
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.url=http://127.0.0.1:8940      (0.7, 0.8: without the first `reward.`)

`ground_truth` is the task's id. The keys are the same for every sample, and all are numbers: verl takes them from the
first one. Where the world failed it raises (`on_infra=raise`), so that the group fails and is drawn again; with
`on_infra=neutral` it gives the task's mean reward so far, says so in `infra_error`, and raises once more than one in
twenty of the last 200 failed. It never gives a number for a candidate that nobody judged otherwise.
"""

from __future__ import annotations

import asyncio
import collections
import math
import sys
import weakref
from typing import Any

from stitchcuda.evaluation import AsyncEvaluationClient, DeadlinePassed, request_of

KEYS = ("score", "acc", "compiled", "correct", "speedup", "milestone", "rubric", "hack", "infra_error", "queue_s",
        "eval_s")
WINDOW, MOST_INFRA = 200, 0.05


class InfrastructureFailed(RuntimeError):
    """The service, a worker or a GPU failed, not the candidate."""


class Means:
    """Of each task's rewards so far, and how often the world failed lately. One a process."""

    def __init__(self) -> None:
        self.sums: dict[str, list[float]] = collections.defaultdict(lambda: [0.0, 0.0])
        self.failed: collections.deque[bool] = collections.deque(maxlen=WINDOW)

    def add(self, task: str, reward: float) -> None:
        self.sums[task][0] += reward
        self.sums[task][1] += 1
        self.failed.append(False)

    def neutral(self, task: str) -> float:
        """Of one task; KeyError where it has had none yet."""
        self.failed.append(True)
        if len(self.failed) >= 20 and sum(self.failed) / len(self.failed) > MOST_INFRA:
            raise InfrastructureFailed(f"{sum(self.failed)} of the last {len(self.failed)} samples had no verdict")
        total, count = self.sums[task] if task in self.sums else (0.0, 0.0)
        if not count:
            raise InfrastructureFailed(f"no verdict, and no mean reward of {task} yet to stand for it")
        return total / count


MEANS = Means()
# Each loop has a client: what waits in one loop is nothing to another.
CLIENTS: weakref.WeakKeyDictionary[Any, dict[tuple[str, ...], AsyncEvaluationClient]] = weakref.WeakKeyDictionary()
SAID: set[str] = set()


def client_of(url: str, token_file: str | None, deadline_s: float, nonce: str) -> AsyncEvaluationClient:
    if nonce not in SAID:  # a launcher looks for it: verl loads other functions silently where a key has moved
        SAID.add(nonce)
        print(f"stitchcuda: compute_score is asked at {url} (nonce {nonce or 'none'})", file=sys.stderr, flush=True)
    clients = CLIENTS.setdefault(asyncio.get_running_loop(), {})
    key = (url, token_file or "", str(deadline_s))
    if key not in clients:
        clients[key] = AsyncEvaluationClient(url, token_file=token_file, deadline_s=deadline_s)
    return clients[key]


def number(value: object) -> float:
    """NaN would poison means, and a missing number is none of ours: 0, beside flags that say what is known."""
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else 0.0


def scores_of(answer: dict[str, Any], score: float) -> dict[str, float]:
    metrics, timing = answer["metrics"], answer["timing"]
    speedup = metrics["speedup_eager"]
    values = (score, metrics["correct"], metrics["compiled"], metrics["correct"], speedup,
              answer["reward"]["milestone"], answer["rubric"]["total"], answer["outcome"] == "hack",
              answer["outcome"] == "infra_error", timing["queue_s"], timing["total_s"])
    return dict(zip(KEYS, map(number, values), strict=True))


def without_answer(score: float) -> dict[str, float]:
    return {**dict.fromkeys(KEYS, 0.0), "score": score, "infra_error": 1.0}


async def compute_score(data_source: str, solution_str: str, ground_truth: str,
                        extra_info: dict[str, Any] | None = None, *, url: str = "http://127.0.0.1:8940",
                        token_file: str | None = None, profile: str = "stitch_v1", deadline_s: float = 1500,
                        run_id: str = "verl", on_infra: str = "raise", nonce: str = "",
                        **_others: Any) -> dict[str, float]:
    """The rewards of one sample. RequestRefused where the task or the profile is not known to the service."""
    extra = extra_info or {}
    task = {name: extra[key] for name, key in (("version", "task_version"), ("split", "split")) if extra.get(key)}
    skill = extra.get("skill") or ("refine" if data_source.endswith("refine") else "generate")
    context = {name: extra[name] for name in ("previous_sha256", "feedback_sha256") if extra.get(name)}
    request = request_of(ground_truth, "completion", solution_str, profile=profile, skill=skill, run_id=run_id,
                         key=[extra.get(name) for name in ("index", "step", "sample_index")], task=task,
                         **({"context": context} if context else {}))
    try:
        answer = await client_of(url, token_file, deadline_s, nonce).evaluate(request)
        reward = answer["reward"]["value"]
        why = answer["sentence"]
    except DeadlinePassed as passed:
        answer, reward, why = None, None, str(passed)
    if reward is not None:
        MEANS.add(ground_truth, reward)
        return scores_of(answer, reward)
    if on_infra != "neutral":
        raise InfrastructureFailed(f"no verdict on a sample of {ground_truth}: {why}")
    score = MEANS.neutral(ground_truth)
    return without_answer(score) if answer is None else scores_of(answer, score)
