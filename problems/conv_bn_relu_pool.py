# SPDX-License-Identifier: Apache-2.0
"""Convolution, batch norm, ReLU and max pooling in train mode: a call also updates the running statistics."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 16
IN_CHANNELS = 32
OUT_CHANNELS = 160
IMAGE = 75


class Model(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm2d(out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normalised = self.norm(self.conv(x))
        return F.max_pool2d(F.relu(normalised), kernel_size=2)


def get_inputs() -> list:
    return [torch.randn(BATCH, IN_CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [IN_CHANNELS, OUT_CHANNELS]
