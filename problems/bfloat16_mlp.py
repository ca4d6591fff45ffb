# SPDX-License-Identifier: Apache-2.0
"""A gated feed-forward block in bfloat16: layer norm, two products side by side, SiLU, a third product, a residual."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 2039
WIDTH = 1024
EXPANDED = 1376


class Model(nn.Module):
    def __init__(self, width: int, expanded: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.gate = nn.Linear(width, expanded)
        self.expand = nn.Linear(width, expanded)
        self.contract = nn.Linear(expanded, width)
        self.bfloat16()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normal = self.norm(x)
        return x + self.contract(F.silu(self.gate(normal)) * self.expand(normal))


def get_inputs() -> list:
    return [torch.randn(BATCH, WIDTH, dtype=torch.bfloat16)]


def get_init_inputs() -> list:
    return [WIDTH, EXPANDED]
