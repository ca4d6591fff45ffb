# SPDX-License-Identifier: Apache-2.0
"""Four convolution branches over one image, joined along the channels, as in GoogLeNet; eval mode."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 16
IMAGE = 31
CHANNELS = 96
POINT = 64
NARROW = 48
WIDE = 136


class Convolution(nn.Module):
    """Convolution, batch norm and ReLU."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.norm = nn.BatchNorm2d(out_channels, eps=0.001)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.norm(self.conv(x)))


class Model(nn.Module):
    def __init__(self, channels: int, point: int, narrow: int, wide: int) -> None:
        super().__init__()
        self.point = Convolution(channels, point, 1)
        self.reduce3 = Convolution(channels, narrow, 1)
        self.conv3 = Convolution(narrow, wide, 3)
        self.reduce5 = Convolution(channels, narrow // 2, 1)
        self.conv5 = Convolution(narrow // 2, narrow, 5)
        self.pooled = Convolution(channels, narrow, 1)
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled = F.max_pool2d(x, kernel_size=3, stride=1, padding=1)
        branches = [self.point(x), self.conv3(self.reduce3(x)), self.conv5(self.reduce5(x)), self.pooled(pooled)]
        return torch.cat(branches, dim=1)


def get_inputs() -> list:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [CHANNELS, POINT, NARROW, WIDE]
