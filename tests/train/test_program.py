# SPDX-License-Identifier: Apache-2.0
"""stitchcuda-train as a program: its words, its exit statuses, and a run that is killed with -9 in its middle."""
import json
import pathlib
import signal
import subprocess
import time

import pytest

MODEL = {"model_type": "qwen3", "vocab_size": 16, "hidden_size": 12, "intermediate_size": 10, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "max_position_embeddings": 64,
         "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "tie_word_embeddings": True, "hidden_act": "silu"}
STEPS, EVERY = 120, 20


def run(program: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def config(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    lines = [{"prompt_ids": [i % 16], "response_ids": [(i + 1) % 16, (i + 2) % 16]} for i in range(24)]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "sft.json"


def settings(config: pathlib.Path, name: str) -> pathlib.Path:
    config.write_text(f"""{{ // the run that is killed has these, too
        "run": "{name}", "model": {{"config": "model.json", "seed": 2}}, "steps": {STEPS}, "batch": 4,
        "data": {{"train": "train.jsonl"}}, "optimizer": {{"learning_rate": 0.01, "decay": "cosine"}},
        "checkpoint": {{"every": {EVERY}}} }}""")
    return config


def test_it_says_what_it_computes_on(program):
    facts = json.loads(run(program, "facts").stdout)
    assert facts["threads"] == 1 and facts["torch"]


@pytest.mark.parametrize("words", [["sftt"], ["sft"], ["sft", "--config"], ["facts", "more"]])
def test_other_words_are_refused(program, words):
    done = run(program, *words)
    assert done.returncode == 2 and done.stdout == ""
    assert "sft|rft|value|grpo|ppo|chain|sample --config FILE" in done.stderr


def test_how_it_is_used_is_told(program):
    without, asked = run(program), run(program, "--help")
    assert (without.returncode, without.stdout) == (2, "") and (asked.returncode, asked.stderr) == (0, "")
    assert without.stderr == asked.stdout and "sft --config FILE" in asked.stdout


def test_a_configuration_that_is_wrong_is_told_as_a_sentence(program, config):
    settings(config, "run").write_text(config.read_text().replace('"batch"', '"bach"'))
    done = run(program, "sft", "--config", str(config))
    assert (done.returncode, done.stdout) == (2, "")
    assert "'bach' is no key that there is (did you mean 'batch'?)" in done.stderr
    done = run(program, "sft", "--config", str(config.parent / "none.json"))
    assert done.returncode in (3, 4) and "none.json" in done.stderr


def start_and_kill(program: pathlib.Path, config: pathlib.Path) -> bool:
    """Whether it could be killed between its first checkpoint and its end."""
    metrics = config.parent / "killed" / "metrics.jsonl"
    with subprocess.Popen([program, "sft", "--config", str(config)], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            if metrics.exists() and metrics.read_bytes().count(b"\n") > EVERY + 5:
                process.kill()
                break
            time.sleep(0.002)
    return process.returncode == -signal.SIGKILL


def test_a_killed_run_goes_on_to_the_same_bits(program, config):
    done = run(program, "sft", "--config", str(settings(config, "whole")))
    assert done.returncode == 0, done.stderr
    last = json.loads(done.stdout)
    assert last["step"] == STEPS and last["last"]["loss"] < 2.0
    assert start_and_kill(program, settings(config, "killed"))
    done = run(program, "sft", "--config", str(config))
    assert done.returncode == 0, done.stderr
    folder = config.parent
    for name in ("metrics.jsonl", f"ckpt/step-{STEPS}/model/model.safetensors", f"ckpt/step-{STEPS}/optim.safetensors"):
        assert (folder / "killed" / name).read_bytes() == (folder / "whole" / name).read_bytes(), name
    assert not list(folder.glob("killed/ckpt/*.tmp"))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_asked_to_end_leaves_a_checkpoint_and_goes_on(program, config, how):
    uninterrupted, asked = config.parent / "whole", config.parent / "asked"
    config.write_text(settings(config, "whole").read_text().replace(f'"every": {EVERY}', '"every": 100000'))
    assert run(program, "sft", "--config", str(config)).returncode == 0
    config.write_text(config.read_text().replace('"whole"', '"asked"'))
    process = subprocess.Popen([program, "sft", "--config", config], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None and (
            not (asked / "metrics.jsonl").exists() or len((asked / "metrics.jsonl").read_text().splitlines()) < 5):
        time.sleep(0.001)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    steps = len((asked / "metrics.jsonl").read_text().splitlines())
    if steps == STEPS:
        pytest.skip("the run had ended before the signal came")
    assert process.returncode == 130 and f"was ended behind step {steps} by a signal" in said, said
    assert (asked / "ckpt" / "LATEST").read_text() == f"step-{steps}\n"
    assert run(program, "sft", "--config", str(config)).returncode == 0
    assert (asked / "metrics.jsonl").read_text() == (uninterrupted / "metrics.jsonl").read_text()
