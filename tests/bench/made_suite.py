# SPDX-License-Identifier: Apache-2.0
"""A suite in KernelBench's layout whose every row is known beforehand: right programs, and one each that misbehaves."""

from __future__ import annotations

import pathlib

HEAD = "import torch\nimport torch.nn as nn\n"
TAIL = "\n\ndef get_inputs():\n    return [torch.randn(5, 7)]\n\n\ndef get_init_inputs():\n    return []\n"


def model(forward: str, init: str = "pass", before: str = "") -> str:
    return (f"{HEAD}{before}\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        {init}\n\n    def forward(self, x):\n        {forward}\n{TAIL}")


LINEAR = "self.w = nn.Linear(7, 9)"

# file -> (its text, the outcome, the standing)
PROGRAMS = {
    "level1/1_tanh.py": (model("return torch.tanh(x)"), "ok", "sound"),
    "level1/2_softmax.py": (model("return torch.softmax(x, -1)"), "ok", "sound"),
    "level1/3_linear.py": (model("return self.w(x)", LINEAR), "ok", "sound"),
    "level1/4_sum.py": (model("return x.sum(-1)"), "ok", "sound"),
    "level1/5_degenerate.py": (model("return torch.tanh(x) * 0.0"), "ok", "degenerate"),
    "level1/6_stochastic.py": (model("return x + torch.rand_like(x)"), "ok", "stochastic"),
    "level2/1_gelu.py": (model("return nn.functional.gelu(self.w(x))", LINEAR), "ok", "sound"),
    "level2/2_broken.py": (model("return x @ x"), "broken", "broken"),
    "level2/3_unsupported.py": (model("return torch.linalg.svdvals(x)"), "unsupported", "sound"),
    "level3/1_hangs.py": (model("return x", before="import time\ntime.sleep(100000)\n"), "timed_out|broken", None),
    "level3/2_crashes.py": (model("return x", before="import os\nos.abort()\n"), "crashed|broken", None),
    "level3/3_fills_memory.py": (
        model("return x", before="held = []\nwhile True:\n    held.append(bytearray(b'x' * (32 << 20)))\n"),
        "out_of_memory", None),
}


def write(folder: pathlib.Path, names: list[str] | None = None) -> pathlib.Path:
    for name in names or PROGRAMS:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROGRAMS[name][0])
    return folder
