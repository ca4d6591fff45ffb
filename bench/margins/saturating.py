# SPDX-License-Identifier: Apache-2.0
"""Small upscaling networks whose ends leave the errors of a tile to few of its elements: what the accept rule's budget
of one element among many is for."""

import torch
import torch.nn as nn
import torch.nn.functional as F

HEIGHT = 24
BREADTH = 31
WIDTH = 16
FACTOR = 3


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, WIDTH, 5, padding=2)
        self.second = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.rise = nn.Conv2d(WIDTH, 3 * FACTOR * FACTOR, 3, padding=1)

    def fine(self, image: torch.Tensor) -> torch.Tensor:
        return F.pixel_shuffle(self.rise(F.relu(self.second(F.relu(self.first(image))))), FACTOR)


class Clamp(Network):
    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return (20 * self.fine(image)).clamp(0, 1)


class Steep(Network):
    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return torch.tanh(8 * self.fine(image))


class Exponential(Network):
    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return torch.exp(self.fine(image))


class Threshold(Network):
    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return F.relu(self.fine(image) - 1)


def get_inputs() -> list:
    return [torch.rand(1, 3, HEIGHT, BREADTH)]


def get_init_inputs() -> list:
    return []
