# SPDX-License-Identifier: Apache-2.0
"""safetensors files against the format's own library, and what is refused of strangers' files."""
from __future__ import annotations

import json
import pathlib
import struct

import pytest

torch = pytest.importorskip("torch")
reference = pytest.importorskip("safetensors.torch", reason="safetensors is not in .venv: tools/setup --tests")

DTYPES = {torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.float8_e5m2: "F8_E5M2",
          torch.float8_e4m3fn: "F8_E4M3", torch.int16: "I16", torch.uint16: "U16", torch.float16: "F16",
          torch.bfloat16: "BF16", torch.int32: "I32", torch.uint32: "U32", torch.float32: "F32",
          torch.complex64: "C64", torch.float64: "F64", torch.int64: "I64", torch.uint64: "U64"}


def golden_tensors() -> dict[str, torch.Tensor]:
    """One of every type and of several shapes; names that JSON escapes."""
    torch.manual_seed(1)
    tensors = {}
    for number, dtype in enumerate(DTYPES):
        bytes_of = torch.randint(0, 2 if dtype is torch.bool else 256, (3, 5, dtype.itemsize), dtype=torch.uint8)
        tensors[f"layer.{number % 7}.{number}"] = bytes_of.view(dtype).squeeze(-1)
    tensors["a \"quoted\"\\name\n\u00e9\u4e2d\x7f\x01"] = torch.arange(3.0)
    tensors["scalar"] = torch.tensor(2.5)
    tensors["empty"] = torch.empty(0, 4)
    return tensors


def test_every_type_is_read_and_written_as_the_library_does(probe, tmp_path: pathlib.Path) -> None:
    tensors = golden_tensors()
    reference.save_file(tensors, tmp_path / "theirs.safetensors", metadata={"format": "pt"})
    read = probe.value("read_safetensors", path=str(tmp_path / "theirs.safetensors"))
    assert {each["name"]: (each["dtype"], each["shape"]) for each in read["tensors"]} == \
        {name: (DTYPES[tensor.dtype], list(tensor.shape)) for name, tensor in tensors.items()}
    assert read["metadata"] == {"format": "pt"}
    probe.value("rewrite_safetensors", path=str(tmp_path / "theirs.safetensors"), to=str(tmp_path / "ours.safetensors"))
    assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "theirs.safetensors").read_bytes()


def test_shards_are_read_whole(probe, tmp_path: pathlib.Path) -> None:
    tensors = {f"w{number}": torch.full((10, 10), float(number)) for number in range(7)}
    reference.save_file(tensors, tmp_path / "whole.safetensors")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model-00001-of-00009.safetensors").write_bytes(b"of an older model")
    probe.value("rewrite_safetensors", path=str(tmp_path / "whole.safetensors"), to=str(folder), max_shard_bytes=1000)
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    assert sorted(each.name for each in folder.glob("*.safetensors")) == sorted(set(index["weight_map"].values()))
    assert len(set(index["weight_map"].values())) == 4 and index["metadata"]["total_size"] == 2800
    again = {}
    for name in set(index["weight_map"].values()):
        again |= reference.load_file(folder / name)
    assert all(torch.equal(again[name], tensors[name]) for name in tensors) and len(again) == len(tensors)
    read = probe.value("open_sharded", path=str(folder))
    assert sorted(tensor["name"] for file in read for tensor in file) == sorted(tensors)
    for broken, reason in (({"w0": "../model-00001-of-00004.safetensors"}, "no file of this folder"),
                           ({name: index["weight_map"][name] for name in list(tensors)[1:]}, "does not expect it"),
                           (index["weight_map"] | {"w9": index["weight_map"]["w0"]}, "names 8 tensors"),
                           ({}, "missing or empty")):
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": broken}))
        assert reason in probe.error("open_sharded", path=str(folder))


def file_of(header: bytes | str, data: bytes = b"", length: int | None = None) -> bytes:
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def entry(name: str, begin: int, end: int, shape: object = None, dtype: str = "F32") -> str:
    shape = [(end - begin) // 4] if shape is None else shape
    return json.dumps(name) + ":" + json.dumps({"dtype": dtype, "shape": shape, "data_offsets": [begin, end]})


# name: the file, a part of the reason, whether the format's library refuses it too.
MALFORMED = {
    "nothing": (b"", "too short", True),
    "seven bytes": (b"\0" * 7, "too short", True),
    "length above the limit": (file_of("{}", length=100_000_001), "more than the format allows", True),
    "length above the file": (file_of("{}", length=3), "more than the file", True),
    "largest length": (file_of("{}", length=2**64 - 1), "more than the format allows", True),
    "space first": (file_of(" {}"), "does not begin with {", False),
    "no object": (file_of("[]"), "does not begin with {", True),
    "no JSON": (file_of('{"a":'), "not valid JSON", True),
    "no UTF-8": (file_of(b'{"\xff":' + entry("", 0, 4)[3:].encode() + b"}", b"0000"), "not valid JSON", True),
    "nested deeply": (file_of('{"a":' + "[" * 100_000 + "]" * 100_000 + "}"), "nested too deeply", True),
    "name twice": (file_of("{" + entry("a", 0, 4) + "," + entry("a", 0, 4) + "}", b"0000"), 'names "a" twice', False),
    "member twice": (file_of('{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"0000"),
                     'names "dtype" twice', True),
    "unknown dtype": (file_of("{" + entry("a", 0, 4, dtype="F5") + "}", b"0000"), 'dtype "F5" is none', True),
    "unknown member": (file_of('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}', b"0000"),
                       'unknown member "x"', False),
    "no shape": (file_of('{"a":{"dtype":"F32","data_offsets":[0,4]}}', b"0000"), '"shape" is missing', True),
    "negative extent": (file_of("{" + entry("a", 0, 4, [-1]) + "}", b"0000"), "other than sizes", True),
    "fraction": (file_of("{" + entry("a", 0, 4, [1.0]) + "}", b"0000"), "other than sizes", True),
    "overflow of elements": (file_of("{" + entry("a", 0, 4, [2**62, 4]) + "}", b"0000"), "more elements than", True),
    "overflow of bytes": (file_of("{" + entry("a", 0, 4, [2**62]) + "}", b"0000"), "more bytes than", True),
    "shape of other bytes": (file_of("{" + entry("a", 0, 4, [2]) + "}", b"0000"), "span 4 bytes, and", True),
    "backwards": (file_of("{" + entry("a", 4, 0, [1]) + "}", b"0000"), "not a begin and an end", True),
    "three offsets": (file_of('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}}', b"0000"),
                      "not a begin and an end", True),
    "overlap": (file_of("{" + entry("a", 0, 8) + "," + entry("b", 4, 8) + "}", b"0" * 8), "overlap", True),
    "gap": (file_of("{" + entry("a", 0, 4) + "," + entry("b", 8, 12) + "}", b"0" * 12), "gap before", True),
    "behind the end": (file_of("{" + entry("a", 0, 8) + "}", b"0000"), "behind the end", True),
    "bytes left over": (file_of("{" + entry("a", 0, 4) + "}", b"00000"), "tensors take 4 bytes, and 5", True),
    "metadata of numbers": (file_of('{"__metadata__":{"a":1}}'), "other than texts", True),
    "entry is a list": (file_of('{"a":[1]}'), "not an object", True),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused_for_their_reason(probe, tmp_path: pathlib.Path, name: str) -> None:
    content, reason, is_refused_there = MALFORMED[name]
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    assert reason in probe.error("read_safetensors", path=str(path))
    if is_refused_there:
        with pytest.raises(Exception):  # of several kinds, none of which the library exports
            reference.load_file(path)


ADAPTER = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"]}
LAYER = "base_model.model.model.layers.{}.self_attn.q_proj.lora_{}.weight"


def adapter_in(folder: pathlib.Path, tensors: dict[str, torch.Tensor]) -> pathlib.Path:
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(ADAPTER))
    reference.save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    return folder


def test_adapters_are_read_and_written_whole(probe, tmp_path: pathlib.Path) -> None:
    tensors = {LAYER.format(layer, part): torch.randn((4, 6) if part == "A" else (8, 4))
               for layer in range(11) for part in "AB"}
    folder = adapter_in(tmp_path / "theirs", tensors)
    names = probe.value("rewrite_adapter", path=str(folder), to=str(tmp_path / "ours"))
    assert sorted(names) == sorted(f"model.layers.{layer}.self_attn.q_proj" for layer in range(11))
    model = "adapter_model.safetensors"
    assert (tmp_path / "ours" / model).read_bytes() == (folder / model).read_bytes()
    assert probe.value("rewrite_adapter", path=str(tmp_path / "ours"), to=str(folder)) == names
    a, b = LAYER.format(0, "A"), LAYER.format(0, "B")
    for broken, reason in (({a: tensors[a]}, "lacks one of its two"), ({a: tensors[a], b: tensors[b].T}, "of rank 4"),
                           ({a: tensors[a], b: tensors[b], "lm_head.weight": tensors[a]}, "no part of a LoRA")):
        broken = {name: tensor.contiguous().clone() for name, tensor in broken.items()}
        assert reason in probe.error("rewrite_adapter", path=str(adapter_in(folder, broken)), to=str(tmp_path / "ours"))


def test_what_is_no_file_is_refused(probe, tmp_path: pathlib.Path) -> None:
    for path in (tmp_path, tmp_path / "missing", "/dev/null"):
        assert "cannot read" in probe.error("read_safetensors", path=str(path))
