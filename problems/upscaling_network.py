# SPDX-License-Identifier: Apache-2.0
"""A network that makes an image three times as large: convolutions at the small size, then a pixel shuffle, in which
nine channels become the pixels of a 3x3 square, beside a plain enlargement of the input; what leaves the range of an
image is cut off."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 4
HEIGHT = 96
BREADTH = 124
WIDTH = 64
FACTOR = 3


class Residual(nn.Module):
    """Two 3x3 convolutions around a ReLU, added to their input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv2(F.relu(self.conv1(x)))


class Model(nn.Module):
    def __init__(self, width: int, factor: int) -> None:
        super().__init__()
        self.factor = factor
        self.first = nn.Conv2d(3, width, 5, padding=2)
        self.body = nn.Sequential(Residual(width), Residual(width))
        self.rise = nn.Conv2d(width, 3 * factor * factor, 3, padding=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        fine = F.pixel_shuffle(self.rise(self.body(F.relu(self.first(image)))), self.factor)
        return (fine + F.interpolate(image, scale_factor=self.factor, mode="nearest")).clamp(0, 1)


def get_inputs() -> list:
    return [torch.rand(BATCH, 3, HEIGHT, BREADTH)]


def get_init_inputs() -> list:
    return [WIDTH, FACTOR]
