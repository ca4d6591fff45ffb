# SPDX-License-Identifier: Apache-2.0
"""Chat templates. What chats.json expects was rendered from the Jinja templates that SmolLM2-135M-Instruct and
Qwen3-0.6B come with, by jinja2 3.1.6 with the filters that transformers sets."""
from __future__ import annotations

import json
import pathlib

import pytest

jinja2 = pytest.importorskip("jinja2", reason="jinja2, which PyTorch brings, is not in .venv")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not in .venv: tools/setup --tests")

CHATS = json.loads((pathlib.Path(__file__).parent / "chats.json").read_text())
KINDS = ["chatml", "smollm2", "qwen3"]
CONTROL = ["<|im_start|>", "<|im_end|>"]


@pytest.fixture(scope="module")
def theirs(probe, tmp_path_factory):
    """A tokenizer of bytes and the control tokens, open in the probe too."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.train_from_iterator([chat["expect"] for chat in CHATS], tokenizers.trainers.BpeTrainer(
        vocab_size=600, special_tokens=CONTROL, show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    made.add_tokens(["<think>", "</think>", "<tool_call>", "</tool_call>"])
    path = tmp_path_factory.mktemp("chat") / "tokenizer.json"
    made.save(str(path))
    probe.value("open_tokenizer", path=str(path))
    return made


@pytest.mark.parametrize("chat", CHATS, ids=lambda chat: f"{chat['kind']}: {chat['name']}")
def test_a_chat_is_what_the_template_makes_of_it(probe, theirs, chat: dict) -> None:
    found = probe.value("chat", **chat | {"kind": KINDS.index(chat["kind"])})
    assert found["text"] == chat["expect"]
    if not any(token in message["content"] for message in chat["messages"] for token in CONTROL):
        assert found["ids"] == theirs.encode(chat["expect"]).ids
    else:  # what a stranger wrote opens no turn: those of the messages alone are opened, and one for the answer
        turns = [theirs.id_to_token(each) for each in found["ids"]].count("<|im_start|>")
        opened_by_template = chat["expect"].count("<|im_start|>") - sum(
            message["content"].count("<|im_start|>") for message in chat["messages"])
        assert turns == opened_by_template
        assert theirs.decode(found["ids"], skip_special_tokens=False) == chat["expect"]


def test_templates_are_known_by_their_text(probe) -> None:
    plain = "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>'}}{% endfor %}"
    smol = plain + "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    qwen = plain + "<tool_call> <tool_response> enable_thinking"
    assert [probe.value("chat_template", jinja=each) for each in (plain, smol, qwen)] == [0, 1, 2]
    for other in ("", "[INST]", plain + "You are Qwen", plain + "<tool_call>"):
        assert "none that is known" in probe.error("chat_template", jinja=other)


@pytest.mark.parametrize("chat", [chat for chat in CHATS if chat["kind"] != "qwen3"],
                         ids=lambda chat: f"{chat['kind']}: {chat['name']}")
def test_the_texts_that_we_write_beside_models_say_the_same(probe, chat: dict) -> None:
    """As transformers renders them: blocks leave no line behind."""
    kind = KINDS.index(chat["kind"])
    text = probe.value("chat_jinja", kind=kind)
    assert probe.value("chat_template", jinja=text) == kind
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    asks = chat.get("asks_for_answer", True)
    assert environment.from_string(text).render(messages=chat["messages"], add_generation_prompt=asks) == chat["expect"]


@pytest.mark.parametrize("kind", [0, 1])
def test_what_a_template_does_not_know_is_refused(probe, theirs, kind: int) -> None:
    question = {"role": "user", "content": "a"}
    called = {"role": "assistant", "content": "", "tool_calls": [{"name": "x", "arguments": {}}]}
    assert "no tools" in probe.error("chat", kind=kind, messages=[question], tools=[{"name": "x"}])
    assert "neither calls" in probe.error("chat", kind=kind, messages=[question, called])
