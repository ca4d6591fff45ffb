# SPDX-License-Identifier: Apache-2.0
"""The start of a vision transformer: patches by a strided convolution, class token, positions, one encoder block."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8
IMAGE = 224
PATCH = 16
WIDTH = 384
HEADS = 6


class Model(nn.Module):
    def __init__(self, image: int, patch: int, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.head_width = width // heads
        tokens = (image // patch) ** 2 + 1
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.class_token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, tokens, width) * 0.02)
        self.attention_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.contract = nn.Linear(4 * width, width)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        patches = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(image.shape[0], -1, -1), patches], dim=1) + self.positions
        batch, tokens, width = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(batch, tokens, 3, self.heads, self.head_width)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, tokens, width)
        x = x + self.project(mixed)
        return x + self.contract(F.gelu(self.expand(self.mlp_norm(x))))


def get_inputs() -> list:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [IMAGE, PATCH, WIDTH, HEADS]
