# SPDX-License-Identifier: Apache-2.0
"""What the recipe of the embedded Coder, its judge and its improvement share."""
from __future__ import annotations

import json
import pathlib
import re


def lines_of(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def reduced_text(tasks: pathlib.Path, task: dict) -> str:
    """The program of a line of tasks.jsonl at reduced sizes: the emulated device computes these in no time."""
    text = (tasks / task["file"]).read_text()
    for name, extent in task["reduced"].items():
        text = re.sub(rf"^{name} = \d+$", f"{name} = {extent}", text, flags=re.MULTILINE)
    return text


def compute_type(device: str) -> str:
    """What layers compute in while the model is trained: bf16 where the device multiplies in it many times as fast."""
    return "float32" if device == "cpu" else "bfloat16"


def in_bf16(path: pathlib.Path) -> None:
    """A safetensors file of fp32, rounded to nearest even, in its place."""
    import numpy

    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        data = numpy.frombuffer(file.read(), dtype=numpy.uint32)
    rounded = ((data + 0x7FFF + ((data >> 16) & 1)) >> 16).astype(numpy.uint16)
    for name, entry in header.items():
        if name != "__metadata__":
            entry.update(dtype="BF16", data_offsets=[each // 2 for each in entry["data_offsets"]])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + rounded.tobytes())
