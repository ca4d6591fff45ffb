# SPDX-License-Identifier: Apache-2.0
"""A classifier of short clips: 3-D convolutions with batch norm from stored statistics, max and average pooling over
space and time."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8
FRAMES = 16
IMAGE = 65
WIDTH = 32
CLASSES = 51


class Stage(nn.Module):
    """A 3x3x3 convolution, its batch norm and the ReLU."""

    def __init__(self, in_channels: int, out_channels: int, stride: tuple) -> None:
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.BatchNorm3d(out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.norm(self.conv(x)))


class Model(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.stem = Stage(3, width, stride=(1, 2, 2))
        self.spatial_pool = nn.MaxPool3d(kernel_size=(1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1))
        self.middle = Stage(width, 2 * width, stride=(1, 1, 1))
        self.pool = nn.MaxPool3d(kernel_size=2, ceil_mode=True)
        self.top = Stage(2 * width, 4 * width, stride=(1, 1, 1))
        self.average = nn.AvgPool3d(kernel_size=2, stride=1)
        self.classify = nn.Linear(4 * width, classes)
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.middle(self.spatial_pool(self.stem(x)))
        x = self.average(self.top(self.pool(x)))
        return self.classify(F.adaptive_avg_pool3d(x, 1).flatten(1))


def get_inputs() -> list:
    return [torch.randn(BATCH, 3, FRAMES, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [WIDTH, CLASSES]
