# SPDX-License-Identifier: Apache-2.0
"""Runs of a tiny Llama over bytes, which learns from rewards for letters."""
from __future__ import annotations

import json
import pathlib
import subprocess

MODEL = {"model_type": "llama", "vocab_size": 262, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 128, "rms_norm_eps": 1e-6,
         "rope_theta": 10000.0, "tie_word_embeddings": True, "hidden_act": "silu", "bos_token_id": 0, "eos_token_id": 0}
RULE = {"kind": "rule", "rules": [{"name": "letters", "find": "a", "points": 0.125, "most": 8}], "pass_at": 0.5}


def config(base: pathlib.Path, run: str, **more: object) -> pathlib.Path:
    settings = {"run": run, "model": {"config": "config.json", "seed": 1}, "steps": 3, "micro_batch": 64,
                "prompts": {"train": "prompts.jsonl", "tokenizer": "tokenizer.json"}, "rollout": {"max_tokens": 8},
                "evaluator": RULE, "algo": {"group_size": 8, "prompts_per_step": 4},
                "optimizer": {"learning_rate": 0.01}, **more}
    (base / f"{run}.json").write_text(json.dumps({key: value for key, value in settings.items() if value is not None}))
    return base / f"{run}.json"


def start(program: pathlib.Path, verb: str, path: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run([program, verb, "--config", path], capture_output=True, text=True, check=False, timeout=300)


def ask(program: pathlib.Path, verb: str, path: pathlib.Path) -> dict:
    done = start(program, verb, path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def metrics(base: pathlib.Path, run: str) -> list[dict]:
    return [json.loads(line) for line in (base / run / "metrics.jsonl").read_text().splitlines()]


def rollouts(base: pathlib.Path, run: str, step: int) -> list[dict]:
    lines = (base / run / "rollouts" / f"step-{step}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
