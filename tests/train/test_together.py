# SPDX-License-Identifier: Apache-2.0
"""Several processes that fine-tune one model, as torchrun starts them, against one process alone. Cost: 15 s."""
from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
import time

import pytest

TINY = {"model_type": "llama", "vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256, "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0, "tie_word_embeddings": True, "hidden_act": "silu", "bos_token_id": 0, "eos_token_id": 0}
STEPS = 8


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "model.json").write_text(json.dumps(TINY))
    responses = [[(first + i) % 60 for i in range(3 + first % 9)] for first in range(40)]
    lines = [json.dumps({"prompt_ids": [first, first + 1], "response_ids": response})
             for first, response in enumerate(responses)]
    (tmp_path / "train.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def config(folder: pathlib.Path, run: str, **more: object) -> pathlib.Path:
    path = folder / f"{run}.json"
    path.write_text(json.dumps({
        "run": run, "model": {"config": "model.json", "seed": 1}, "steps": STEPS, "batch": 7, "micro_batch": 2,
        "data": {"train": "train.jsonl", "held_out": "train.jsonl"}, "optimizer": {"learning_rate": 0.01},
        "checkpoint": {"every": 2, "keep": 9}, **more}))
    return path


def together(program: pathlib.Path, words: list[object], count: int = 2) -> list[str]:
    return [sys.executable, "-m", "torch.distributed.run", "--no-python", "--nproc-per-node", str(count),
            "--master-addr", "127.0.0.1", "--master-port", "0", "--rdzv-backend", "c10d", "--rdzv-endpoint",
            "127.0.0.1:0", str(program), *map(str, words)]


def metrics(folder: pathlib.Path, run: str) -> list[dict]:
    return [json.loads(line) for line in (folder / run / "metrics.jsonl").read_text().splitlines()]


def test_three_processes_take_the_steps_of_one(program: pathlib.Path, folder: pathlib.Path) -> None:
    subprocess.run([program, "sft", "--config", config(folder, "alone")], check=True, capture_output=True)
    done = subprocess.run(together(program, ["sft", "--config", config(folder, "together")], 3),
                          capture_output=True, text=True, check=False)
    if "built without Gloo" in done.stderr:
        pytest.skip("stitchcuda-train was built without the headers of Gloo (libgloo-dev)")
    assert done.returncode == 0, done.stderr[-3000:]
    alone, shared = metrics(folder, "alone"), metrics(folder, "together")
    assert [line["step"] for line in shared] == list(range(1, STEPS + 1))
    for one, two in zip(alone, shared, strict=True):
        assert two["tokens"] == one["tokens"] and two["loss"] == pytest.approx(one["loss"], abs=1e-5)
        assert two["gradient_norm"] == pytest.approx(one["gradient_norm"], rel=1e-4)
        assert two.get("held_out_loss", 0) == pytest.approx(one.get("held_out_loss", 0), abs=1e-5)
    manifest = json.loads((folder / "together" / "ckpt" / f"step-{STEPS}" / "MANIFEST.json").read_text())
    assert manifest["world_size"] == 3


def test_a_run_goes_on_where_all_were_killed(program: pathlib.Path, folder: pathlib.Path) -> None:
    steps = 400
    words = ["sft", "--config", config(folder, "killed", steps=steps)]
    process = subprocess.Popen(together(program, words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
    lines = folder / "killed" / "metrics.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if lines.exists() and len(lines.read_text().splitlines()) > 20:
            break
        time.sleep(0.05)
    if process.poll() is not None:
        said = process.stderr.read()
        if "built without Gloo" in said:
            pytest.skip("stitchcuda-train was built without the headers of Gloo (libgloo-dev)")
        pytest.fail(said[-3000:])
    subprocess.run(["pkill", "-KILL", "-f", str(folder / "killed.json")], check=False)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = subprocess.run(together(program, words), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [line["step"] for line in metrics(folder, "killed")] == list(range(1, steps + 1))


def test_what_is_not_done_together_says_so(program: pathlib.Path, folder: pathlib.Path) -> None:
    place = {"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29999"}
    done = subprocess.run([program, "grpo", "--config", config(folder, "x")], env=place, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 2 and "done by one process" in done.stderr
    many = subprocess.run([program, "sft", "--config", config(folder, "x")],
                          env={**place, "WORLD_SIZE": "9"}, capture_output=True, text=True, check=False)
    assert many.returncode == 2 and "9 processes share batches of 7 records" in many.stderr
    assert not (folder / "x").exists()
