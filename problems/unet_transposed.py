# SPDX-License-Identifier: Apache-2.0
"""A small U-Net for segmentation: two levels down by max pooling, two up by transposed convolutions (one of them with
overlapping windows), skip connections by concatenation."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 4
IMAGE = 100
WIDTH = 32
CLASSES = 21


class Double(nn.Module):
    """Two 3x3 convolutions, each followed by the ReLU."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.conv2(F.relu(self.conv1(x))))


class Model(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.down1 = Double(3, width)
        self.down2 = Double(width, 2 * width)
        self.bottom = Double(2 * width, 4 * width)
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, kernel_size=3, stride=2, padding=1, output_padding=1)
        self.join2 = Double(4 * width, 2 * width)
        self.up1 = nn.ConvTranspose2d(2 * width, width, kernel_size=2, stride=2)
        self.join1 = Double(2 * width, width)
        self.classify = nn.Conv2d(width, classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        fine = self.down1(x)
        coarse = self.down2(F.max_pool2d(fine, 2))
        bottom = self.bottom(F.max_pool2d(coarse, 2))
        coarse = self.join2(torch.cat([self.up2(bottom), coarse], dim=1))
        fine = self.join1(torch.cat([self.up1(coarse), fine], dim=1))
        return self.classify(fine)


def get_inputs() -> list:
    return [torch.randn(BATCH, 3, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [WIDTH, CLASSES]
