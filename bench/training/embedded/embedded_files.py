# SPDX-License-Identifier: Apache-2.0
"""What the recipe of the embedded Coder, its judge and its improvement share."""
from __future__ import annotations

import json
import math
import pathlib
import random
import re

DRAWS = 2000
FENCE = "```cuda\n"


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


def pass_at(k: int, right: int, of: int) -> float:
    """The chance that one of k drawn without putting back is right (Chen et al. 2021)."""
    return 1.0 if of - right < k else 1.0 - math.comb(of - right, k) / math.comb(of, k)


def mean_interval(groups: list[list[float]]) -> dict[str, float]:
    """The mean of all values, and the 95 % interval of a bootstrap that draws whole groups."""
    draw = random.Random(1)
    sums = [(sum(each), len(each)) for each in groups]
    means = []
    for _ in range(DRAWS):
        drawn = draw.choices(sums, k=len(sums))
        means.append(sum(each for each, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    mean = sum(each for each, _ in sums) / sum(count for _, count in sums)
    return {"mean": mean, "low": means[int(0.025 * DRAWS)], "high": means[int(0.975 * DRAWS) - 1]}


def code_of(text: str) -> str | None:
    """What stands in the one fence, if it was closed."""
    if text.count(FENCE) != 1:
        return None
    code, closed, _ = text.split(FENCE)[1].partition("\n```")
    return code + "\n" if closed else None
