# SPDX-License-Identifier: Apache-2.0
"""Our tokenizer against Hugging Face's, of the same tokenizer.json: on hostile texts, and on random ids. Training."""
from __future__ import annotations

import json
import pathlib
import random

import hostile
import named_seed
import pytest

tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not in .venv: tools/setup --tests")

ROOT = pathlib.Path(__file__).resolve().parents[2]
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA3 = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
COUNT, COUNT_LONG = 700, 100_000


def corpus() -> list[str]:
    """Texts of this tree, and each hostile word a few times."""
    files = sorted((ROOT / "docs").glob("*.md"))[:6] + sorted((ROOT / "runtime" / "kernels").rglob("*.cuh"))[:6]
    return [file.read_text()[:20000] for file in files] + [" ".join(hostile.WORDS) + "".join(hostile.WORDS)] * 3


def split(pattern: str, behaviour: str = "isolated", invert: bool = False):
    pre = tokenizers.pre_tokenizers
    return pre.Sequence([pre.Split(tokenizers.Regex(pattern), behaviour, invert),
                         pre.ByteLevel(add_prefix_space=False, use_regex=False)])


def qwen():
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = tokenizers.normalizers.NFC()
    made.pre_tokenizer = split(QWEN)
    return made


def smollm():
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Digits(individual_digits=True),
        tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    return made


def llama3():
    made = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=True))
    made.pre_tokenizer = split(LLAMA3)
    return made


def gpt2():
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=True)
    return made


def odd():
    """Settings that no model we know has, and the format allows."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.NFC()])
    pre = tokenizers.pre_tokenizers
    made.pre_tokenizer = pre.Sequence([
        pre.Split("\n", "merged_with_previous"), pre.Split(tokenizers.Regex(r"\p{Lu}|\S\d"), "merged_with_next"),
        pre.Split(tokenizers.Regex(r"^-+$|\S+|[\s!]+"), "removed", invert=True),
        pre.Split(tokenizers.Regex(r"[\p{L}'\S]+"), "contiguous", invert=True), pre.Digits(individual_digits=False),
        pre.ByteLevel(add_prefix_space=False, use_regex=True)])
    return made


def trainer(**more):
    return tokenizers.trainers.BpeTrainer(**({"vocab_size": 1200, "min_frequency": 2, "special_tokens": SPECIAL,
                                              "initial_alphabet": tokenizers.pre_tokenizers.ByteLevel.alphabet(),
                                              "show_progress": False} | more))


def finished(make) -> object:
    """Trained, with added tokens of every kind, and what Llama 3 has put before a text."""
    made = make()
    made.decoder = tokenizers.decoders.ByteLevel()
    made.train_from_iterator(corpus(), trainer())
    added = tokenizers.AddedToken
    made.add_tokens([added("<think>", normalized=False), added("</think>", normalized=False), added("<tool_call>"),
                     added("<word>", single_word=True), added("<strip>", lstrip=True, rstrip=True),
                     added("cafe\u0301", normalized=True)])
    if make in (llama3, odd):
        made.post_processor = tokenizers.processors.Sequence([
            tokenizers.processors.ByteLevel(trim_offsets=False),
            tokenizers.processors.TemplateProcessing("<|im_start|> $A <|im_end|>", special_tokens=[
                (token, made.token_to_id(token)) for token in SPECIAL[1:]])])
    return made


MAKES = {make.__name__: make for make in (qwen, smollm, llama3, gpt2, odd)}


@pytest.fixture(scope="module", params=MAKES)
def pair(request, probe, tmp_path_factory):
    """Theirs, and the probe with the same file open."""
    theirs = finished(MAKES[request.param])
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    theirs.save(str(path), pretty=False)
    assert probe.value("open_tokenizer", path=str(path)) == theirs.get_vocab_size()
    return theirs, probe


def compare(pair, texts: list[str], **options: bool) -> None:
    theirs, probe = pair
    theirs.encode_special_tokens = options.get("is_markup_literal", False)
    for begin in range(0, len(texts), 2000):
        some = texts[begin:begin + 2000]
        ours = probe.value("encode", texts=some, **options)
        expected = theirs.encode_batch(some, add_special_tokens=options.get("adds_special", False))
        for text, mine, other in zip(some, ours, expected):
            assert mine == other.ids, (text, [theirs.id_to_token(each) for each in mine], other.tokens)


def test_ids_are_theirs_on_hostile_texts(pair, is_long: bool) -> None:
    texts = hostile.hostile_texts(named_seed.SEED, COUNT_LONG if is_long else COUNT)
    compare(pair, texts)
    some = texts[:len(texts) // 4]
    compare(pair, some, adds_special=True)
    compare(pair, some, is_markup_literal=True)


def test_decoding_is_theirs(pair, is_long: bool) -> None:
    """Of texts and of random ids, which are seldom UTF-8 in all; at once and as a stream."""
    theirs, probe = pair
    choose = random.Random(named_seed.SEED)
    count = 20_000 if is_long else 300
    lists = [each.ids for each in theirs.encode_batch(hostile.hostile_texts(named_seed.SEED + 1, count))]
    bytes_alone = [theirs.token_to_id(letter) for letter in tokenizers.pre_tokenizers.ByteLevel.alphabet()]
    for size in range(count):
        lists.append(choose.choices(bytes_alone if size % 2 else range(theirs.get_vocab_size() + 2), k=size % 40))
    for skips in (False, True):
        expected = theirs.decode_batch(lists, skip_special_tokens=skips)
        for ids, text, (ours, streamed) in zip(lists, expected, probe.value("decode", ids=lists, skips_special=skips)):
            assert ours == text == streamed, ids


def test_every_character_between_two_letters(pair, is_long: bool) -> None:
    step = 1 if is_long else 997
    compare(pair, [f"a{character}b {character}" for character in hostile.known_characters()[::step]])


@pytest.mark.parametrize("make", [smollm, gpt2], ids=["digits", "words"])
@pytest.mark.parametrize(("vocab_size", "min_count"), [(300, 1), (900, 3), (100_000, 2)])
def test_training_gives_what_theirs_gives(probe, tmp_path: pathlib.Path, make, vocab_size: int, min_count: int) -> None:
    texts = [text[:1500] for text in corpus()] + ["aaaaaaa aaaa abababab", "aa" * 9, ""] * min_count
    theirs = make()
    theirs.pre_tokenizer = smollm().pre_tokenizer if make is smollm else \
        tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    theirs.train_from_iterator(texts, trainer(vocab_size=vocab_size, min_frequency=min_count))
    probe.value("train", texts=texts, vocab_size=vocab_size, min_count=min_count, is_composed=False,
                splits_digits=make is smollm, special_tokens=SPECIAL, to=str(tmp_path / "ours.json"))
    ours = json.loads((tmp_path / "ours.json").read_text())
    expected = json.loads(theirs.to_str())
    assert ours["model"]["merges"] == expected["model"]["merges"] and ours == expected
    read = tokenizers.Tokenizer.from_file(str(tmp_path / "ours.json"))
    probe.value("open_tokenizer", path=str(tmp_path / "ours.json"))
    sample = hostile.hostile_texts(named_seed.SEED + 2, 50)
    assert probe.value("encode", texts=sample) == [each.ids for each in read.encode_batch(sample)]


SMALL = {"version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None,
         "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
         "decoder": {"type": "ByteLevel"},
         "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}


def opened(probe, tmp_path: pathlib.Path, content: dict | str) -> dict:
    path = tmp_path / "tokenizer.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return probe.answer("open_tokenizer", path=str(path))


def changed(path: str, value: object) -> dict:
    """SMALL with one member replaced."""
    copy = json.loads(json.dumps(SMALL))
    *outer, last = path.split(".")
    place = copy
    for key in outer:
        place = place[key]
    place[last] = value
    return copy


def test_merges_of_both_spellings(probe, tmp_path: pathlib.Path) -> None:
    for merges in (["a b"], [["a", "b"]]):
        assert opened(probe, tmp_path, changed("model.merges", merges)) == {"value": 3}
        assert probe.value("encode", texts=["abba", "xab"]) == [[2, 1, 0], [2]]  # x is no token, and there is no other
    with_unknown = changed("model.unk_token", "b")
    assert opened(probe, tmp_path, with_unknown) == {"value": 3}
    assert probe.value("encode", texts=["axxa"]) == [[2, 1, 0]]


@pytest.mark.parametrize(("path", "value", "reason"), [
    ("model.type", "WordPiece", 'type "WordPiece"'), ("model.dropout", 0.1, "dropout"),
    ("model.byte_fallback", True, "byte_fallback"), ("model.end_of_word_suffix", "</w>", "end_of_word_suffix"),
    ("model.unk_token", "x", "unk_token"), ("model.merges", ["a c"], "merge 0 names"),
    ("model.merges", ["a b c"], "not a pair"), ("model.merges", [["a"]], "not a pair"),
    ("model.vocab", {"a": 0, "b": 0}, "twice"), ("model.vocab", {"a": -1}, "which is none"),
    ("model.vocab", {"a": "0"}, "has no number"), ("model.vocab", {"a": 2**31}, "which is none"),
    ("normalizer", {"type": "Lowercase"}, 'type "Lowercase"'), ("pre_tokenizer", None, "pre_tokenizer"),
    ("pre_tokenizer", {"type": "Metaspace"}, "no byte-level"), ("decoder", {"type": "Metaspace"}, "decoder other than"),
    ("pre_tokenizer", {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": "(["},
                                                              "behavior": "Isolated"},
                                                             {"type": "ByteLevel"}]}, "is not understood"),
    ("post_processor", {"type": "BertProcessing"}, 'type "BertProcessing"'),
    ("added_tokens", [{"id": 0, "content": "<x>"}], "gives to another"),
    ("added_tokens", [{"id": 5, "content": "ab"}], "gives to another"),
])
def test_what_is_not_done_is_refused(probe, tmp_path: pathlib.Path, path: str, value: object, reason: str) -> None:
    assert reason in opened(probe, tmp_path, changed(path, value))["error"]


def test_files_that_are_none(probe, tmp_path: pathlib.Path) -> None:
    whole = json.dumps(SMALL)
    for size in range(0, len(whole), 7):
        assert "error" in opened(probe, tmp_path, whole[:size])
    twice = whole.replace('"a": 0', '"a": 0, "a": 0')
    assert 'names "a" twice' in opened(probe, tmp_path, twice)["error"]
    assert "nested too deeply" in opened(probe, tmp_path, "[" * 100_000)["error"]


def test_a_pattern_that_never_ends_is_an_error(probe, tmp_path: pathlib.Path) -> None:
    pattern = {"type": "Split", "pattern": {"Regex": "(a|a)+[xy]"}, "behavior": "Isolated"}
    slow = changed("pre_tokenizer", {"type": "Sequence", "pretokenizers": [pattern, {"type": "ByteLevel"}]})
    assert opened(probe, tmp_path, slow) == {"value": 3}
    assert "could not be matched" in probe.error("encode", texts=["a" * 60])
