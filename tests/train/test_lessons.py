# SPDX-License-Identifier: Apache-2.0
"""From lessons, as `stitchcuda harvest` writes them, to a model that answers: sft and sample, with a tiny tokenizer
that is trained here. Cost: seconds.
"""
from __future__ import annotations

import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = {"model_type": "llama", "vocab_size": 320, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256, "rms_norm_eps": 1e-6,
         "rope_theta": 10000.0, "tie_word_embeddings": True, "hidden_act": "silu", "bos_token_id": 0, "eos_token_id": 0}
ANSWERS = {"add": "y = a + b;", "scale": "y = a * 2;", "relu": "y = max(a, 0);"}
SOURCE = {"tokenizer": "base/tokenizer.json", "template": "chatml"}


def lesson(question: str, answer: str, is_positive: bool = True) -> str:
    messages = [{"role": "system", "content": "CUDA."}, {"role": "user", "content": question}]
    return json.dumps({"schema": "stitchcuda.lesson/1", "id": question, "task": question, "messages": messages,
                       "answer": answer, "is_positive": is_positive}) + "\n"


def ask(program: pathlib.Path, verb: str, config: pathlib.Path) -> dict:
    done = subprocess.run([program, verb, "--config", config], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(train_tokenizer, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A tokenizer, the sizes of a model, and lessons: three to learn, one not positive, one too long."""
    made = tmp_path_factory.mktemp("lessons")
    for name in ("base", "lessons"):
        (made / name).mkdir()
    texts = [" ".join(ANSWERS.values()), "user assistant system CUDA. CUDA."]
    train_tokenizer(made / "base" / "tokenizer.json", texts, MODEL["vocab_size"])
    (made / "base" / "config.json").write_text(json.dumps(MODEL))
    good = [lesson(question, answer) for question, answer in ANSWERS.items()]
    others = [lesson("add", "y = a - b;", is_positive=False), lesson("add", "y = a + b; " * 100)]
    (made / "lessons" / "train.jsonl").write_text("".join(good[:1] + others + good[1:]))
    (made / "lessons" / "validation.jsonl").write_text(good[0])
    (made / "lessons" / "questions.jsonl").write_text("".join(good))
    return made


def config(folder: pathlib.Path, name: str, **settings) -> pathlib.Path:
    (folder / f"{name}.json").write_text(json.dumps(settings))
    return folder / f"{name}.json"


def sft(folder: pathlib.Path, run: str, steps: int, **more) -> pathlib.Path:
    data = {"train": "lessons/train.jsonl", "max_tokens": 200, "lessons": SOURCE}
    return config(folder, run, run=run, model={"config": "base/config.json", "seed": 2}, steps=steps, batch=3,
                  data=data, optimizer={"learning_rate": 0.02}, **more)


def test_two_steps_on_three_lessons(program, folder):
    answer = ask(program, "sft", sft(folder, "two", 2))
    left_out = {"not_positive": 1, "with_tools": 0, "too_long": 1}
    assert answer["step"] == 2 and answer["data"] == {"train": {"records": 3, "left_out": left_out}}
    begin, first, second = map(json.loads, (folder / "two" / "metrics.jsonl").read_text().splitlines())
    assert begin == {"step": 0, "data": answer["data"]}
    assert (first["step"], second["step"]) == (1, 2) and second["loss"] < first["loss"]
    # Answers alone are learned, each with the end of its turn.
    assert len(ANSWERS) < first["tokens"] <= sum(len(text) + 1 for text in ANSWERS.values())
    assert ask(program, "sft", folder / "two.json")["last"] == {}
    assert len((folder / "two" / "metrics.jsonl").read_text().splitlines()) == 3


def test_the_tokenizer_may_lie_in_a_gguf_file(program, folder):
    gguf = pytest.importorskip("gguf", reason="gguf is not in .venv: tools/setup --tests")
    tokenizer = json.loads((folder / "base" / "tokenizer.json").read_text())
    words = sorted(tokenizer["model"]["vocab"].items(), key=lambda word: word[1])
    special = {token["content"] for token in tokenizer["added_tokens"]}
    writer = gguf.GGUFWriter(folder / "tokenizer.gguf", "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list([word for word, _ in words])
    writer.add_token_types([3 if word in special else 1 for word, _ in words])
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge)
                             for merge in tokenizer["model"]["merges"]])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    first = []
    for name in ("of-json", "of-gguf"):
        path = sft(folder, name, 1)
        if name == "of-gguf":
            path.write_text(path.read_text().replace("base/tokenizer.json", "tokenizer.gguf"))
        first.append(ask(program, "sft", path)["last"])
    assert first[0] == first[1] and first[0]["tokens"] > 0


def test_the_model_answers_as_it_was_shown(program, folder):
    checkpoint = ask(program, "sft", sft(folder, "many", 160, checkpoint={"every": 160}))["checkpoint"]
    drawn = config(folder, "draw", model={"path": f"{checkpoint}/model"}, prompts="lessons/questions.jsonl",
                   lessons=SOURCE, out="answers.jsonl", temperature=0, max_tokens=40)
    assert ask(program, "sample", drawn)["samples"] == 3
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    assert [answer["text"] for answer in answers] == list(ANSWERS.values())
    assert {answer["finish_reason"] for answer in answers} == {"stop"}


def test_the_configurations_of_the_manual(program, folder):
    """As docs/training.md has them, but for how long they take; `base` is the model of two steps."""
    model = ask(program, "sft", sft(folder, "base-run", 1))["checkpoint"]
    (folder / "base" / "model.safetensors").write_bytes((pathlib.Path(model) / "model/model.safetensors").read_bytes())
    page = (ROOT / "docs" / "training.md").read_text()
    for name in ("sft.json", "draw.json"):
        text = re.search(rf"<!-- file: {name} -->\n```json\n(.*?)^```", page, re.M | re.S)[1]
        shorter, count = re.subn(r'"(steps|warmup_steps|samples)": \d+', lambda key: f'"{key[1]}": 2', text)
        assert count
        (folder / name).write_text(shorter.replace("step-200", "step-2"))
    answer = ask(program, "sft", folder / "sft.json")
    assert answer["data"]["held_out"]["records"] == 1 and "held_out_loss" in answer
    assert ask(program, "sample", folder / "draw.json")["samples"] > 0


@pytest.mark.parametrize(("lessons", "what"), [
    ({"template": "chatml"}, "'data.lessons.tokenizer' is missing"),
    ({**SOURCE, "template": "llama"}, "'data.lessons.template' is none of chatml, smollm2, qwen3"),
    ({**SOURCE, "wich": "all"}, "'data.lessons.wich' is no key that there is (did you mean 'which'?)"),
    ({**SOURCE, "tokenizer": "base/config.json"}, "base/config.json"),
    (None, "prompt_ids"),
])
def test_what_is_wrong_is_told_as_a_sentence(program, folder, lessons, what):
    path = sft(folder, "wrong", 2)
    settings = json.loads(path.read_text())
    settings["data"]["lessons"] = lessons
    if lessons is None:
        del settings["data"]["lessons"]
    path.write_text(json.dumps(settings))
    done = subprocess.run([program, "sft", "--config", path], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode in (2, 3) and done.stdout == ""
    assert what in done.stderr
