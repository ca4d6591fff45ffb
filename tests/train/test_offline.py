# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda-train rft|value`: a tiny Llama over bytes imitates those of its answers that a rule pays for, and its
critic learns what they will earn. Cost: seconds.
"""
from __future__ import annotations

import hashlib
import json
import pathlib
import signal
import subprocess
import time

import pytest
from tiny_run import RULE, ask, config, metrics, rollouts, start

ANY_A = {**RULE, "pass_at": 0.1}


def offline(base: pathlib.Path, run: str, **more: object) -> pathlib.Path:
    """Without what is of grpo alone."""
    return config(base, run, **{"algo": None, "evaluator": ANY_A, **more})


def rft(base: pathlib.Path, run: str, **more: object) -> pathlib.Path:
    settings = {"steps": 20, "batch": 8, "draw": {"samples": 64, "prompts": 2}, "keep": {"truncated": True}, **more}
    return offline(base, run, **settings)


@pytest.fixture(scope="module")
def first(program, base) -> dict:
    """A round of rejection fine-tuning."""
    return ask(program, "rft", rft(base, "first"))


def drawn_lines(base: pathlib.Path, run: str) -> list[dict]:
    return [line for part in (1, 2, 3) for line in rollouts(base, run, part)]


def test_what_is_right_is_kept_and_learned(program, base, first):
    lines = drawn_lines(base, "first")
    right = [line for line in lines if line["pass"]]
    texts = {(tuple(line["prompt_ids"]), line["text"]) for line in right}
    assert len(lines) == 6 * 64 and 0 < len(right) < 60
    begin, *steps = metrics(base, "first")
    assert begin["kept"] == first["kept"] and first["kept"]["kept"] == len(texts)
    left_out = first["kept"]["left_out"]
    assert left_out["below"] == len(lines) - len(right) and left_out["same"] == len(right) - len(texts)
    assert begin["drawn"]["pass"] == pytest.approx(len(right) / len(lines))
    assert first["gate"] == {"is_open": True} and first["step"] == 20 and steps[-1]["loss"] < steps[0]["loss"] - 0.5
    # It has learned: a second round, from there, draws more that is right.
    second = ask(program, "rft", rft(base, "second", model={"path": "first/ckpt/step-20/model"}, steps=1))
    assert second["drawn"]["pass"] > 3 * first["drawn"]["pass"]


def test_what_is_kept_are_lessons(program, base, first):
    lessons = [json.loads(line) for line in pathlib.Path(first["lessons"]["file"]).read_text().splitlines()]
    assert len(lessons) == first["lessons"]["count"] == first["kept"]["kept"]
    for lesson in lessons:
        assert lesson["schema"] == "stitchcuda.lesson/1" and lesson["is_positive"] and "a" in lesson["answer"]
        both = json.dumps([lesson["messages"], lesson["answer"]], separators=(",", ":"), ensure_ascii=False)
        assert lesson["id"] == hashlib.sha256(both.encode()).hexdigest()
    sft = {"run": "on-lessons", "model": {"config": "config.json"}, "steps": 1,
           "data": {"train": "first/lessons.jsonl", "lessons": {"tokenizer": "tokenizer.json"}}}
    (base / "on-lessons.json").write_text(json.dumps(sft))
    assert ask(program, "sft", base / "on-lessons.json")["data"]["train"]["records"] == len(lessons)


def test_answers_of_an_earlier_run_are_kept_as_well(program, base, first):
    path = rft(base, "again", steps=1, draw=None, prompts=None, rollout=None, evaluator=None,
               data={"rollouts": ["first/rollouts", "first/rollouts/step-1.jsonl"]})
    again = ask(program, "rft", path)
    assert again["kept"]["kept"] == first["kept"]["kept"]  # what is there twice counts once
    best = json.loads(path.read_text()) | {"run": "best", "keep": {"rule": "best", "truncated": True}}
    (base / "best.json").write_text(json.dumps(best))
    assert ask(program, "rft", base / "best.json")["kept"]["kept"] == 6


def test_a_run_that_keeps_nothing_says_why(program, base):
    hard = {**RULE, "pass_at": 2}
    done = start(program, "rft", rft(base, "nothing", evaluator=hard, draw={"samples": 4}))
    assert done.returncode == 1
    assert "0 answers are kept, and 'keep.least' is 1 (left out: 24 below); nothing was learned" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["gate"]["is_open"] is False and answer["step"] == 0 and not (base / "nothing" / "ckpt").exists()


# What is earned can be told by the question, of tasks that nobody saw as well.
JUDGE = """
import json, sys
for line in open(sys.argv[1]):
    asked = json.loads(line)
    print(json.dumps({"reward": float(asked["skill"] == "scratch") - len(set(asked["text"])) / 64}))
"""


MANY = {"train": "many.jsonl", "tokenizer": "tokenizer.json"}


def value(base: pathlib.Path, run: str, **more: object) -> pathlib.Path:
    (base / "judge.py").write_text(JUDGE)
    lines = [{"task": task, "skill": skill, "messages": [{"role": "user", "content": task + 8 * skill[0]}]}
             for task in "abcdefghijklmnop" for skill in ("scratch", "refinement")]
    (base / "many.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = {"steps": 60, "batch": 32, "draw": {"samples": 4, "prompts": 32}, "prompts": MANY,
                "value": {"ev_gate": 0.5, "every": 5, "held_out_share": 0.25},
                "evaluator": {"kind": "command", "command": ["python3", "judge.py"]}, **more}
    return offline(base, run, **settings)


def test_a_critic_learns_until_its_gate_opens(program, base):
    answer = ask(program, "value", value(base, "critic"))
    begin, *steps = metrics(base, "critic")
    looks = [step["held_out"]["explained_variance"] for step in steps if "held_out" in step]
    assert begin["held_out"]["explained_variance"] < 0.5 and all(look < 0.5 for look in looks[:-1]) and looks[-1] >= 0.5
    assert answer["gate"]["is_open"] and answer["held_out"]["explained_variance"] == looks[-1]
    assert 5 <= answer["step"] == len(steps) < 60 and answer["step"] % 5 == 0
    assert answer["answers"] == {"train": 96, "held_out": 32}  # four tasks of sixteen
    # Who asks again is told the same, and no step is done.
    assert ask(program, "value", base / "critic.json")["held_out"] == answer["held_out"]
    assert len(metrics(base, "critic")) == 1 + len(steps)
    # It is the critic that ppo begins with.
    critic = str(pathlib.Path(answer["checkpoint"]).relative_to(base))
    ppo = {"steps": 1, "algo": {"prompts_per_step": 32, "group_size": 2}, "prompts": MANY,
           "evaluator": {"kind": "command", "command": ["python3", "judge.py"]}}
    ask(program, "ppo", config(base, "warm", ppo={"critic": critic, "ev_gate": 0.3}, **ppo))
    ask(program, "ppo", config(base, "cold", ppo={"ev_gate": 0.3}, **ppo))
    warm, cold = metrics(base, "warm")[1], metrics(base, "cold")[1]
    assert warm["critic"]["explained_variance"] > 0.3 > cold["critic"]["explained_variance"]
    assert (warm["updates"], cold["updates"]) == (1, 0)


def test_a_gate_that_stays_shut_is_told(program, base):
    done = start(program, "value", value(base, "shut", steps=2, value={"ev_gate": 0.99}))
    assert done.returncode == 1 and "and 'value.ev_gate' is 0.990; begin another run from this critic" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["gate"]["is_open"] is False and pathlib.Path(answer["checkpoint"]).exists()


def kill_at(program: pathlib.Path, verb: str, path: pathlib.Path, watched: pathlib.Path, lines: int) -> None:
    """Ends it with -9 as soon as a file has so many lines, or is there (0)."""
    with subprocess.Popen([program, verb, "--config", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            if watched.exists() and watched.read_bytes().count(b"\n") >= lines:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.001)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("verb", ["rft", "value"])
def test_a_killed_run_goes_on_to_the_same_bits(program, base, first, verb):
    """Killed while it draws, and again while it learns."""
    more = {"steps": 12, "batch": 4, "lora": {"r": 4}, "checkpoint": {"every": 3},
            "draw": {"samples": 16, "prompts": 1}}
    more["keep" if verb == "rft" else "value"] = ({"truncated": True, "rule": "best"} if verb == "rft"
                                                  else {"ev_gate": 1, "every": 3})
    more["model"] = {"path": "first/ckpt/step-20/model"}
    expected = 0 if verb == "rft" else 1
    done = start(program, verb, offline(base, f"whole-{verb}", **more))
    assert done.returncode == expected, done.stderr
    run = base / f"killed-{verb}"
    path = offline(base, run.name, **more)
    path.write_text(path.read_text().replace(f'"{run.name}"', f'"killed/whole-{verb}"'))  # requests have a run's name
    run = base / "killed" / f"whole-{verb}"
    kill_at(program, verb, path, run / "rollouts" / "step-2.jsonl", 0)
    assert not (run / "rollouts" / "step-6.jsonl").exists()
    kill_at(program, verb, path, run / "metrics.jsonl", 6)
    assert start(program, verb, path).returncode == expected
    whole = base / f"whole-{verb}"
    weights = ["adapter/adapter_model.safetensors", "optim.safetensors", "cursor.json"]
    weights += ["value_head.safetensors"] if verb == "value" else ["kept.json"]
    for name in ("metrics.jsonl", "rollouts/step-6.jsonl", *(f"ckpt/step-12/{each}" for each in weights)):
        assert (run / name).read_bytes() == (whole / name).read_bytes(), name
    if verb == "rft":  # what it learned from is gone, or another: who goes on is told
        drawn = run / "rollouts" / "step-1.jsonl"
        drawn.write_bytes((run / "rollouts" / "step-2.jsonl").read_bytes())
        done = start(program, verb, path)
        assert done.returncode == 3 and "learned from other answers than its rollouts hold now" in done.stderr
        drawn.unlink()
        done = start(program, verb, path)
        assert done.returncode == 3 and "learned from answers that are no longer there" in done.stderr


@pytest.mark.parametrize(("verb", "more", "what"), [
    ("rft", {"keep": {"rule": "good"}}, "'keep.rule' is none of right, best, threshold"),
    ("rft", {"keep": {"rule": "threshold"}}, "'keep.threshold' is missing"),
    ("rft", {"keep": {"rule": "best", "per_prompt": 2}}, "'keep.per_prompt' is more than the one"),
    ("rft", {"data": {"rollouts": ["first"]}}, "'prompts' and 'data' are both there"),
    ("rft", {"data": {"rollouts": []}}, "'data.rollouts' names no file"),
    ("rft", {"algo": {"group_size": 4}}, "'algo' is no key that there is"),
    ("rft", {"evaluator": None}, "'evaluator' is missing"),
    ("value", {}, "'value' is missing"),
    ("value", {"value": {"every": 2}}, "'value.ev_gate' is missing"),
    ("value", {"value": {"ev_gate": 2}}, "'value.ev_gate' is no number from"),
    ("value", {"value": {"ev_gate": 0}, "ppo": {"lam_actor": 1}}, "'ppo.lam_actor' is no key that there is"),
])
def test_what_is_wrong_is_told_as_a_sentence(program, base, verb, more, what):
    done = start(program, verb, offline(base, "wrong", **more))
    assert done.returncode in (2, 3) and done.stdout == ""
    assert what in done.stderr
