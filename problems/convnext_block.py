# SPDX-License-Identifier: Apache-2.0
"""A ConvNeXt block: depthwise 7x7 convolution, layer norm over channels, an inverted bottleneck, a learned scale."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8
IMAGE = 28
CHANNELS = 192


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, kernel_size=7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.expand = nn.Linear(channels, 4 * channels)
        self.contract = nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(0.1 * torch.ones(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        hidden = self.scale * self.contract(F.gelu(self.expand(hidden)))
        return x + hidden.permute(0, 3, 1, 2)


def get_inputs() -> list:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [CHANNELS]
