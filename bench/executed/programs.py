# SPDX-License-Identifier: Apache-2.0
"""The programs whose steps are varied: one step each, but for what prepares a weight."""
from __future__ import annotations

import dataclasses

ROWS, COLUMNS = 8192, 1024


@dataclasses.dataclass(frozen=True)
class Program:
    name: str  # of the folder of its hand-made steps, too
    family: str
    forward: str  # of `x`, and of what `init` makes
    shapes: str  # of the inputs
    init: str = "pass"
    inputs: str = "x"
    math: str = "fp32"
    dtype: str = "float32"

    def text(self) -> str:
        tensors = ", ".join(f"torch.randn({shape}, dtype=torch.{self.dtype})" for shape in self.shapes.split(";"))
        return f'''import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {self.init}

    def forward(self, {self.inputs}):
        return {self.forward}


def get_inputs():
    return [{tensors}]


def get_init_inputs():
    return []
'''


PROGRAMS = (
    Program("pointwise", "pointwise", "torch.relu(x * 1.5 + 0.5)", "4096, 2048"),
    Program("transpose", "movement", "(x.mT + 1.0).contiguous()", "2048, 4096"),
    Program("softmax", "softmax", "torch.softmax(x, dim=-1)", f"{ROWS}, {COLUMNS}"),
    Program("softmax_of_columns", "softmax", "torch.softmax(x, dim=1)", "16, 1024, 512"),
    Program("layer_norm", "norm", "self.norm(x)", f"{ROWS}, {COLUMNS}", f"self.norm = nn.LayerNorm({COLUMNS})"),
    Program("row_sum", "reduce", "x.sum(dim=1)", f"{ROWS}, {COLUMNS}"),
    Program("column_sum", "reduce", "x.sum(dim=0)", f"{ROWS}, {COLUMNS}"),
    Program("long_sum", "reduce", "x.mean(dim=1)", "16, 524288"),
    Program("matmul", "product", "x @ y", "1024, 1024;1024, 1024", inputs="x, y"),
    Program("matmul_tall", "product", "x @ y", "4096, 256;256, 512", inputs="x, y"),
    Program("matmul_deep", "product", "x @ y", "128, 8192;8192, 128", inputs="x, y"),
    Program("matmul_16bit", "product", "x @ y", "1024, 1024;1024, 1024", inputs="x, y", math="reduced",
            dtype="bfloat16"),
    Program("convolution", "convolution", "self.conv(x)", "8, 32, 64, 64", "self.conv = nn.Conv2d(32, 64, 3)"),
    Program("depthwise", "convolution", "self.conv(x)", "16, 64, 112, 112",
            "self.conv = nn.Conv2d(64, 64, 3, padding=1, groups=64)"),
    Program("max_pool", "pool", "F.max_pool2d(x, 3, 2)", "32, 32, 112, 112"),
    Program("attention", "attention", "F.scaled_dot_product_attention(x, x, x)", "4, 8, 512, 64"),
    Program("cumsum", "scan", "torch.cumsum(x, dim=1)", f"{ROWS}, {COLUMNS}"),
)
