# SPDX-License-Identifier: Apache-2.0
"""Multi-head self-attention with a causal mask: projection to q, k and v, attention, output projection, residual."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 4
SEQUENCE = 509
WIDTH = 768
HEADS = 12


class Model(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.head_width = width // heads
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, sequence, width = x.shape
        qkv = self.qkv(x).view(batch, sequence, 3, self.heads, self.head_width)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        mixed = mixed.transpose(1, 2).reshape(batch, sequence, width)
        return x + self.project(mixed)


def get_inputs() -> list:
    return [torch.randn(BATCH, SEQUENCE, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, HEADS]
