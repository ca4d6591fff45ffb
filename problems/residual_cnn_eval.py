# SPDX-License-Identifier: Apache-2.0
"""A small residual network in eval mode (the constructor leaves it so): batch norm uses its stored statistics."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 16
IMAGE = 57
WIDTH = 64
CLASSES = 101


class Block(nn.Module):
    """Two 3x3 convolutions around which the input is added, through a strided 1x1 convolution where shapes differ."""

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.shortcut = nn.Identity()
        if stride != 1 or in_channels != out_channels:
            convolution = nn.Conv2d(in_channels, out_channels, 1, stride=stride, bias=False)
            self.shortcut = nn.Sequential(convolution, nn.BatchNorm2d(out_channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(hidden)) + self.shortcut(x))


class Model(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(width)
        self.block1 = Block(width, width, stride=1)
        self.block2 = Block(width, 2 * width, stride=2)
        self.pool = nn.AvgPool2d(kernel_size=2)
        self.classify = nn.Linear(2 * width, classes)
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.stem_norm(self.stem(x)))
        x = self.pool(self.block2(self.block1(x)))
        return self.classify(x.mean(dim=(2, 3)))


def get_inputs() -> list:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [WIDTH, CLASSES]
