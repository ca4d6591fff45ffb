# SPDX-License-Identifier: Apache-2.0
"""GGUF files against llama.cpp's own Python package: metadata, quantised blocks, names and the order of rows."""
from __future__ import annotations

import pathlib
import struct

import numpy as np
import pytest

import named_seed

gguf = pytest.importorskip("gguf", reason="gguf is not in .venv: tools/setup --tests")

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, INNER = 256, 4, 2, 64, 512
FLOATS = ("F32", "F16", "BF16", "F64")
BLOCKS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K")
# Where a block has its scales of 16 bits, which random bytes would make infinite now and then.
SCALES = {"Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,), "Q2_K": (80, 82), "Q3_K": (108,),
          "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,)}


def random_blocks(kind: str, rows: int, columns: int, random: np.random.Generator) -> np.ndarray:
    """Every bit of the numbers by chance; scales of all sizes, subnormal ones and zeros of both signs among them."""
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    blocks = random.integers(0, 256, (rows * columns // elements, size), dtype=np.uint8)
    for place in SCALES[kind]:
        halves = random.integers(0, 1 << 16, len(blocks), dtype=np.uint16)
        halves = np.where(halves & 0x7C00 == 0x7C00, halves & 0x83FF, halves).astype(np.uint16)
        blocks[:, place:place + 2] = halves.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(rows, -1)


def random_floats(kind: str, rows: int, columns: int, random: np.random.Generator) -> np.ndarray:
    dtype = {"F32": np.uint32, "F16": np.uint16, "BF16": np.uint16, "F64": np.float64}[kind]
    if kind == "F64":
        return random.standard_normal((rows, columns))
    return random.integers(0, np.iinfo(dtype).max, (rows, columns), dtype=dtype, endpoint=True)


def as_floats(kind: str, stored: np.ndarray) -> np.ndarray:
    """What llama.cpp's package, or IEEE 754, makes of it."""
    if kind == "F64":
        return stored.astype(np.float32)
    if kind == "F32":
        return stored.view(np.float32)
    if kind == "F16":
        return stored.view(np.float16).astype(np.float32)
    raw = stored.view(np.uint8) if kind == "BF16" else stored
    with np.errstate(all="ignore"):
        return gguf.quants.dequantize(raw, gguf.GGMLQuantizationType[kind])


def write_model(path: pathlib.Path, architecture: str, kinds: list[str], seed: int, tensors_more: dict = {}) -> dict:
    """A decoder of one block for each kind, whose linear layers are of that kind. Returns name -> (kind, stored)."""
    random = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(512)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(len(kinds))
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD_DIM)
    writer.add_rope_dimension_count(HEAD_DIM)
    writer.add_rope_freq_base(50000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_bos_token_id(1)
    writer.add_array("test.numbers", [1, -2, 3])
    writer.add_array("test.fractions", [0.5, 0.25])
    stored = {"token_embd.weight": ("F32", random_floats("F32", 32, HIDDEN, random)),
              "output_norm.weight": ("F32", random_floats("F32", 1, HIDDEN, random)[0])}
    shapes = {"attn_q": (HEADS * HEAD_DIM, HIDDEN), "attn_k": (KV_HEADS * HEAD_DIM, HIDDEN),
              "attn_v": (KV_HEADS * HEAD_DIM, HIDDEN), "attn_output": (HIDDEN, HEADS * HEAD_DIM),
              "ffn_gate": (INNER, HIDDEN), "ffn_up": (INNER, HIDDEN), "ffn_down": (HIDDEN, INNER)}
    for block, kind in enumerate(kinds):
        for norm in ("attn_norm", "ffn_norm"):
            stored[f"blk.{block}.{norm}.weight"] = ("F32", random_floats("F32", 1, HIDDEN, random)[0])
        for name, (rows, columns) in shapes.items():
            make = random_floats if kind in FLOATS else random_blocks
            stored[f"blk.{block}.{name}.weight"] = (kind, make(kind, rows, columns, random))
    for name, (kind, data) in (stored | tensors_more).items():
        raw = data.view(np.float32) if kind == "F32" else data.view(np.float16) if kind == "F16" else data
        writer.add_tensor(name, raw if kind != "BF16" else data.view(np.uint8),
                          raw_dtype=gguf.GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return stored | tensors_more


NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "attn_norm": "input_layernorm",
         "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj",
         "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}


def checkpoint_name(name: str) -> str:
    words = name.split(".")
    if words[0] == "blk":
        return f"model.layers.{words[1]}.{NAMES[words[2]]}.{words[3]}"
    return f"{NAMES[words[0]]}.{words[1]}"


def as_trained(name: str, floats: np.ndarray, architecture: str) -> np.ndarray:
    """Undoes LlamaModel.permute of llama.cpp's convert_hf_to_gguf.py."""
    heads = {"attn_q": HEADS, "attn_k": KV_HEADS}.get(name.split(".")[-2])
    if architecture != "llama" or heads is None:
        return floats
    return floats.reshape(heads, HEAD_DIM // 2, 2, -1).swapaxes(1, 2).reshape(floats.shape)


def bits(floats: np.ndarray) -> np.ndarray:
    """One NaN is as good as another; all else is compared bit by bit."""
    floats = np.ascontiguousarray(floats, dtype=np.float32)
    return np.where(np.isnan(floats), np.uint32(0x7FC00000), floats.view(np.uint32))


@pytest.mark.parametrize("architecture", ["llama", "qwen3"])
def test_all_types_are_read_bit_for_bit(probe, tmp_path: pathlib.Path, architecture: str) -> None:
    path = tmp_path / "model.gguf"
    stored = write_model(path, architecture, [*FLOATS, *BLOCKS], named_seed.SEED + 5)
    opened = probe.value("open_checkpoint", path=str(path))
    config = opened["config"]
    assert (config["model_type"], config["head_dim"], config["num_key_value_heads"]) == (architecture, 64, 2)
    assert (config["vocab_size"], config["rope_theta"], config["tie_word_embeddings"]) == (32, 50000, True)
    assert sorted(opened["tensors"]) == sorted(map(checkpoint_name, stored))
    for name, (kind, data) in stored.items():
        expected = as_trained(name, as_floats(kind, data), architecture)
        ours = checkpoint_name(name)
        assert opened["tensors"][ours] == list(expected.shape), name
        first, rows = (0, len(expected)) if "attn" in name else (3, len(expected) - 5)
        probe.value("read_rows", path=str(path), name=ours, first=first, rows=rows, to=str(tmp_path / "rows"))
        found = np.fromfile(tmp_path / "rows", np.float32).reshape(rows, *expected.shape[1:])
        assert np.array_equal(bits(found), bits(expected[first:first + rows])), (name, kind)


def test_a_model_as_llama_cpp_quantises_it(probe, tmp_path: pathlib.Path) -> None:
    """Blocks made by the package's own quantise(), of the sizes that trained weights have."""
    random = np.random.default_rng(named_seed.SEED + 6)
    more = {}
    for block, kind in enumerate(("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0")):
        floats = random.standard_normal((HIDDEN, INNER)).astype(np.float32) * 0.02
        more[f"blk.{block}.ffn_down.weight"] = (kind, gguf.quants.quantize(floats, gguf.GGMLQuantizationType[kind]))
    path = tmp_path / "model.gguf"
    write_model(path, "llama", ["F32"] * 5, 7, more)
    for name, (kind, data) in more.items():
        probe.value("read_rows", path=str(path), name=checkpoint_name(name), first=0, rows=HIDDEN,
                    to=str(tmp_path / "rows"))
        assert np.array_equal(bits(np.fromfile(tmp_path / "rows", np.float32)), bits(as_floats(kind, data)).ravel())


def test_metadata(probe, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.gguf"
    write_model(path, "llama", ["Q8_0"], 8)
    values = probe.value("read_gguf", path=str(path))["values"]
    assert values["general.architecture"] == "llama" and values["llama.rope.freq_base"] == 50000
    assert values["test.numbers"] == [1, -2, 3] and values["test.fractions"] == [0.5, 0.25]


def text(word: str) -> bytes:
    return struct.pack("<Q", len(word)) + word.encode()


def tensor(name: str, shape: list[int], kind: int, begin: int) -> bytes:
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, begin)


def file_of(tensors: list[bytes] = (), values: list[bytes] = (), data: bytes = b"", version: int = 3,
            counts: tuple[int, int] | None = None) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", version, *(counts or (len(tensors), len(values))))
    head += b"".join(values) + b"".join(tensors)
    return head + b"\0" * (-len(head) % 32) + data


ALIGNMENT_3 = text("general.alignment") + struct.pack("<II", 4, 3)
MALFORMED = {
    "nothing": (b"", "ends in the middle"),
    "another format": (b"GGML" + bytes(64), "does not begin with GGUF"),
    "version 1": (file_of(version=1), "version of GGUF is 1"),
    "big-endian": (file_of(version=3 << 24), "big-endian"),
    "more tensors than bytes": (file_of(counts=(1 << 60, 0)), "ends in the middle"),
    "more values than bytes": (file_of(counts=(0, 1 << 60)), "ends in the middle"),
    "long key": (file_of(values=[struct.pack("<Q", 1 << 62) + b"key"]), "ends in the middle"),
    "unknown type of value": (file_of(values=[text("key") + struct.pack("<I", 13)]), "unknown type 13"),
    "array of arrays": (file_of(values=[text("key") + struct.pack("<IIQ", 9, 9, 1)]), "holds what is no value"),
    "long array": (file_of(values=[text("key") + struct.pack("<IIQ", 9, 8, 1 << 61)]), "ends in the middle"),
    "key twice": (file_of(values=[text("key") + struct.pack("<IB", 0, 1)] * 2), 'names "key" twice'),
    "number above 63 bits": (file_of(values=[text("key") + struct.pack("<IQ", 10, 1 << 63)]), "63 bits"),
    "alignment": (file_of(values=[ALIGNMENT_3]), "no power of two"),
    "no axes": (file_of([tensor("w", [], 0, 0)]), "has 0 axes"),
    "five axes": (file_of([tensor("w", [1] * 5, 0, 0)], data=bytes(32)), "has 5 axes"),
    "long name": (file_of([tensor("w" * 65, [1], 0, 0)], data=bytes(32)), "longer than the format allows"),
    "unknown type": (file_of([tensor("w", [256], 16, 0)], data=bytes(512)), "ggml's type 16"),
    "overflow": (file_of([tensor("w", [1 << 62, 4], 0, 0)], data=bytes(32)), "more elements than"),
    "no whole blocks": (file_of([tensor("w", [33], 2, 0)], data=bytes(64)), "the last axis has 33"),
    "unaligned": (file_of([tensor("w", [1], 0, 4)], data=bytes(64)), "multiple of 32"),
    "behind the end": (file_of([tensor("w", [64], 0, 0)], data=bytes(32)), "behind the end"),
    "far behind the end": (file_of([tensor("w", [1], 0, (1 << 64) - 32)], data=bytes(32)), "behind the end"),
    "overlap": (file_of([tensor("a", [16], 0, 0), tensor("b", [8], 0, 32)], data=bytes(64)), "overlap"),
    "name twice": (file_of([tensor("a", [8], 0, 0), tensor("a", [8], 0, 32)], data=bytes(64)), "there twice"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused_for_their_reason(probe, tmp_path: pathlib.Path, name: str) -> None:
    path = tmp_path / "bad.gguf"
    content, reason = MALFORMED[name]
    path.write_bytes(content)
    assert reason in probe.error("read_gguf", path=str(path))


def test_a_file_cut_short_anywhere_is_refused(probe, tmp_path: pathlib.Path) -> None:
    whole = file_of([tensor("a", [4, 2], 0, 0), tensor("b", [32], 2, 32)],
                    [text("k") + struct.pack("<If", 6, 1.5), text("l") + struct.pack("<IIQ", 9, 8, 2) + text("x") * 2],
                    bytes(32 + 18))
    path = tmp_path / "cut.gguf"
    path.write_bytes(whole)
    assert len(probe.value("read_gguf", path=str(path))["tensors"]) == 2
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        probe.error("read_gguf", path=str(path))


def test_a_large_file_of_nothing_is_refused_before_it_is_read(probe, tmp_path: pathlib.Path) -> None:
    """An array of 32 GiB that is nothing but holes would take eight times that of memory."""
    path = tmp_path / "large.gguf"
    path.write_bytes(file_of(values=[text("key") + struct.pack("<IIQ", 9, 0, 1 << 35)]))
    with path.open("r+b") as file:
        file.truncate(1 << 36)
    assert "more than 128 MiB" in probe.error("read_gguf", path=str(path))


@pytest.mark.parametrize(("architecture", "more", "reason"), [
    ("mamba", {}, 'model_type "mamba"'),
    ("llama", {"rope_freqs.weight": ("F32", np.ones(32, np.uint32))}, "rope_freqs"),
    ("llama", {"blk.0.ffn_gate_exps.weight": ("F32", np.ones((2, 32), np.uint32))}, "no tensor"),
])
def test_other_models_are_refused(probe, tmp_path: pathlib.Path, architecture: str, more: dict, reason: str) -> None:
    path = tmp_path / "model.gguf"
    write_model(path, architecture, ["Q8_0"], 9, more)
    assert reason in probe.error("open_checkpoint", path=str(path))
