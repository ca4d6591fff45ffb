# SPDX-License-Identifier: Apache-2.0
"""One step of a decoder: a token's keys and values go into the cache, which is state, and attention reads all of it."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 61
WIDTH = 1024
HEADS = 16
LENGTH = 1021  # of the cache
POSITION = 67  # of the token


class Model(nn.Module):
    def __init__(self, batch: int, width: int, heads: int, length: int, position: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        cache = (batch, heads, length, width // heads)
        self.register_buffer("keys", torch.randn(cache))
        self.register_buffer("values", torch.randn(cache))
        self.register_buffer("position", torch.tensor([position]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, width = x.shape
        parts = self.qkv(self.norm(x)).view(batch, 3, self.heads, 1, width // self.heads)
        query, key, value = parts.unbind(1)
        self.keys.index_copy_(2, self.position, key)
        self.values.index_copy_(2, self.position, value)
        is_known = torch.arange(self.keys.shape[2], device=x.device) <= self.position
        mixed = F.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=is_known.view(1, 1, 1, -1))
        self.position += 1
        return x + self.project(mixed.reshape(batch, width))


def get_inputs() -> list:
    return [torch.randn(BATCH, WIDTH)]


def get_init_inputs() -> list:
    return [BATCH, WIDTH, HEADS, LENGTH, POSITION]
