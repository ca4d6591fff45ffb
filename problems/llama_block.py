# SPDX-License-Identifier: Apache-2.0
"""A decoder block as in LLaMA: RMSNorm, causal grouped-query attention with rotary positions, RMSNorm, SwiGLU."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 2
SEQUENCE = 257
WIDTH = 768
HEADS = 12
KEY_HEADS = 4
HIDDEN = 2048


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps))


class Model(nn.Module):
    def __init__(self, sequence: int, width: int, heads: int, key_heads: int, hidden: int) -> None:
        super().__init__()
        self.heads = heads
        self.key_heads = key_heads
        self.head_width = width // heads
        self.attention_norm = RMSNorm(width)
        self.query = nn.Linear(width, heads * self.head_width, bias=False)
        self.key = nn.Linear(width, key_heads * self.head_width, bias=False)
        self.value = nn.Linear(width, key_heads * self.head_width, bias=False)
        self.output = nn.Linear(heads * self.head_width, width, bias=False)
        self.mlp_norm = RMSNorm(width)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
        frequency = 10000.0 ** (-torch.arange(0, self.head_width, 2).float() / self.head_width)
        angle = torch.outer(torch.arange(sequence).float(), frequency)
        self.register_buffer("cosine", angle.cos())
        self.register_buffer("sine", angle.sin())

    def rotated(self, x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, dim=-1)
        return torch.cat(
            [first * self.cosine - second * self.sine, second * self.cosine + first * self.sine], dim=-1
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, sequence, width = x.shape
        normed = self.attention_norm(x)
        q = self.query(normed).view(batch, sequence, self.heads, self.head_width).transpose(1, 2)
        k = self.key(normed).view(batch, sequence, self.key_heads, self.head_width).transpose(1, 2)
        v = self.value(normed).view(batch, sequence, self.key_heads, self.head_width).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(self.rotated(q), self.rotated(k), v, is_causal=True, enable_gqa=True)
        x = x + self.output(mixed.transpose(1, 2).reshape(batch, sequence, width))
        normed = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


def get_inputs() -> list:
    return [torch.randn(BATCH, SEQUENCE, WIDTH)]


def get_init_inputs() -> list:
    return [SEQUENCE, WIDTH, HEADS, KEY_HEADS, HIDDEN]
