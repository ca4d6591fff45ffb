# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda-train grpo|ppo` from prompts to weights: a tiny Llama over bytes learns what a rule, a
command or a service pays for. Cost: seconds.
"""
from __future__ import annotations

import contextlib
import http.server
import json
import pathlib
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest
from tiny_run import MODEL, ask, config, metrics, rollouts, start


def test_grpo_learns_what_is_paid_for(program, base):
    answer = ask(program, "grpo", config(base, "learns", steps=24, checkpoint={"every": 24}, held_out={"every": 23},
                                         prompts={"train": "prompts.jsonl", "held_out": "prompts.jsonl",
                                                  "tokenizer": "tokenizer.json"}))
    begin, first, *_, last = metrics(base, "learns")
    assert begin["prompts"]["train"] == {"prompts": 6, "left_out": {"with_tools": 0, "too_long": 0, "same": 1}}
    assert first["reward"] < 0.1 and last["reward"] > 0.5 and last["pass"] > 0.5, (first["reward"], last["reward"])
    assert last["parts"] == {"letters": last["reward"]} and last["entropy"] < first["entropy"]
    skills = last["skills"]
    assert sum(skill["samples"] for skill in skills.values()) == 32 and set(skills) == {"scratch", "refinement"}
    assert (last["hack"], last["unjudged"], last["groups"]["too_few_verdicts"]) == (0, 0, 0)
    assert last["mismatch"]["max"] < 1e-4 and last["largest_ratio"] == pytest.approx(1, abs=1e-4)
    assert first["held_out"]["pass"] == 0 and last["held_out"]["pass"] > 0.5
    assert answer["last"] == last
    drawn = rollouts(base, "learns", 24)
    assert len(drawn) == 32 and all(len(line["response_ids"]) == len(line["logp_rollout"]) for line in drawn)
    assert last["reward"] == pytest.approx(sum(line["reward"] for line in drawn) / 32)
    # What a step drew is what records are: it can be trained on.
    sft = {"run": "on-rollouts", "model": {"config": "config.json"}, "steps": 1,
           "data": {"train": "learns/rollouts/step-24.jsonl"}}
    (base / "on-rollouts.json").write_text(json.dumps(sft))
    assert ask(program, "sft", base / "on-rollouts.json")["step"] == 1


def test_ppo_learns_beside_its_critic(program, base):
    path = config(base, "ppo", steps=24, algo={"prompts_per_step": 6, "group_size": 8, "minibatch": 24},
                  ppo={"critic_warmup": 1, "lam_actor": 1.0}, checkpoint={"every": 24})
    answer = ask(program, "ppo", path)
    _, first, *_, last = metrics(base, "ppo")
    assert first["updates"] == 0 and first["critic"]["loss"] > 0 and last["updates"] == 2
    assert last["reward"] > 0.5 > first["reward"]
    critic = pathlib.Path(answer["checkpoint"]) / "critic"
    assert {path.name for path in critic.iterdir()} == {"model", "value_head.safetensors", "optim.safetensors"}


# Groups of one reward, an answer that the world failed, turns with what the user says between, and all terms of a loss.
def test_many_turns_and_every_term_of_the_loss(program, base):
    rules = {"kind": "rule", "pass_at": 9, "rules": [{"find": "e", "points": 1}, {"find": "\n~", "is_needed": True}]}
    algo = {"group_size": 4, "prompts_per_step": 6, "advantage": "trloo", "kl": "loss_k3", "kl_coef": 0.1, "epochs": 2,
            "minibatch": 8, "is": "token_tis", "entropy_coef": 0.01, "refill_max": 6, "clip_dual": 3}
    ends = {**MODEL, "eos_token_id": list(range(100, 262))}  # so that turns end
    (base / "ends.json").write_text(json.dumps(ends))
    ask(program, "grpo", config(base, "turns", model={"config": "ends.json", "seed": 1}, evaluator=rules, algo=algo,
                                lora={"r": 4}, rollout={"max_tokens": 8, "turns": 3, "follow_up": "again"}))
    lines = [line for step in (1, 2, 3) for line in rollouts(base, "turns", step)]
    several = [line for line in lines if len(line["turns"]) == 3]
    assert several
    for line in several:
        ends_of_turns = [turn["end"] for turn in line["turns"]]
        for i, is_learned in enumerate(line["response_mask"]):
            assert (line["logp_rollout"][i] == 0) == (not is_learned)
        assert ends_of_turns[-1] == len(line["response_ids"]) and line["response_mask"][ends_of_turns[0]] == 0
    steps = metrics(base, "turns")[1:]
    assert any(step["reference_kl"] is not None for step in steps) and all(step["turns"] > 1 for step in steps)
    assert all(sum(step["groups"].values()) >= 6 for step in steps)
    assert any(sum(step["groups"].values()) > 6 for step in steps)  # refilled


COMMAND = """
import json, sys
for line in open(sys.argv[1]):
    asked = json.loads(line)
    lost = asked["sample"] == 0
    print(json.dumps({"reward": None if lost else float(asked["sample"] % 2), "hack": asked["sample"] == 2,
                      "pass": asked["sample"] % 2 == 1, "parts": {"odd": 1}}))
"""


def test_what_the_world_failed_leaves_its_group(program, base):
    (base / "judge.py").write_text(COMMAND)
    judge = {"kind": "command", "command": ["python3", "judge.py"]}
    done = start(program, "grpo", config(base, "stops", evaluator=judge))
    assert done.returncode == 4 and "4 of 32 answers of step 1 have no reward" in done.stderr
    ask(program, "grpo", config(base, "lost", steps=1, evaluator={**judge, "most_unjudged": 0.2}))
    step = metrics(base, "lost")[1]
    assert step["unjudged"] == 1 / 8 and step["reward"] == 4 / 7 and step["hack"] == 1 / 7
    assert step["outcomes"] == {"infra_error": 4, "ok": 16, "hack": 4, "mismatch": 8}
    assert [line["trainable"] for line in rollouts(base, "lost", 1)[:2]] == [False, True]


class Stub(http.server.BaseHTTPRequestHandler):
    """stitchcuda.eval/1: pays for the letter a."""

    seen: dict[str, str] = {}

    def do_POST(self) -> None:
        assert self.headers["Authorization"] == "Bearer secret"
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["evaluations"]
        answers = []
        for one in asked:
            text = one["candidate"]["text"]
            assert self.seen.setdefault(one["request_id"], text) == text
            value = min(text.count("a"), 8) / 8
            answers.append({"http_status": 200, "status": "done", "outcome": "ok" if value else "mismatch",
                            "trainable": True, "reward": {"value": value, "rule": value}, "metrics": {"correct": 1}})
        body = json.dumps({"evaluations": answers}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def stub() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_a_killed_run_goes_on_to_the_same_bits(program, base):
    """Against a service, whose second address is another one's: where it is, is no part of what a run is."""
    (base / "token").write_text("secret\n")
    algo = {"group_size": 4, "prompts_per_step": 3, "minibatch": 6, "refill_max": 2}
    common = {"steps": 40, "algo": algo, "lora": {"r": 4}}
    with stub() as url:
        service = {"kind": "service", "url": url, "token_file": "token", "profile": "stitch_v1"}
        ask(program, "grpo", config(base, "whole", evaluator=service, **common))
        path = config(base, "killed", evaluator=service, **common)
        with subprocess.Popen([program, "grpo", "--config", path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                written = base / "killed" / "metrics.jsonl"
                if written.exists() and written.read_bytes().count(b"\n") > 8:
                    process.send_signal(signal.SIGKILL)
                    break
                time.sleep(0.002)
        assert process.returncode == -signal.SIGKILL
    with stub() as url:
        service["url"] = url
        ask(program, "grpo", config(base, "killed", evaluator=service, **common))
    for name in ("metrics.jsonl", "ckpt/step-40/adapter/adapter_model.safetensors", "ckpt/step-40/optim.safetensors"):
        assert (base / "killed" / name).read_bytes() == (base / "whole" / name).read_bytes(), name


@pytest.mark.parametrize(("more", "what"), [
    ({"batch": 3}, "'batch' is no key that there is"),
    ({"prompts": None}, "'prompts' is missing"),
    ({"evaluator": {"kind": "judge"}}, "'evaluator.kind' is none of service, command, rule"),
    ({"evaluator": {"kind": "rule", "rules": [{"find": "a", "poins": 1}]}}, "'evaluator.rules[0].poins' is no key"),
    ({"evaluator": {"kind": "service", "url": "https://a"}}, "token"),
    ({"algo": {"kl": "loss_k1"}}, "'algo.kl' cannot be taken: k1 as a loss holds no policy near its reference"),
    ({"algo": {"advantage": "gae"}}, "'algo.advantage' is gae, which is of ppo"),
    ({"algo": {"group_size": 1}}, "'algo.group_size' is no whole number from 2"),
    ({"prompts": {"train": "config.json", "tokenizer": "tokenizer.json"}}, "config.json:1"),
])
def test_what_is_wrong_is_told_as_a_sentence(program, base, more, what):
    done = start(program, "grpo", config(base, "wrong", **more))
    assert done.returncode in (2, 3) and done.stdout == ""
    assert what in done.stderr
