# SPDX-License-Identifier: Apache-2.0
"""The residual block of a diffusion U-Net: group norm and SiLU before each convolution, a time embedding added between
them, dropout that drops before the second one."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 4
IMAGE = 31
IN_CHANNELS = 96
OUT_CHANNELS = 160
EMBEDDING = 256
GROUPS = 8
DROPOUT = 0.1


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, embedding: int, groups: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, in_channels)
        self.conv1 = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)
        self.time = nn.Linear(embedding, out_channels)
        self.norm2 = nn.GroupNorm(groups, out_channels)
        self.dropout = nn.Dropout(DROPOUT)
        self.conv2 = nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1)
        self.shortcut = nn.Conv2d(in_channels, out_channels, kernel_size=1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        hidden = self.conv1(F.silu(self.norm1(x)))
        hidden = hidden + self.time(F.silu(time))[:, :, None, None]
        hidden = self.conv2(self.dropout(F.silu(self.norm2(hidden))))
        return self.shortcut(x) + hidden


def get_inputs() -> list:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE), torch.randn(BATCH, EMBEDDING)]


def get_init_inputs() -> list:
    return [IN_CHANNELS, OUT_CHANNELS, EMBEDDING, GROUPS]
