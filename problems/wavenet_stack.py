# SPDX-License-Identifier: Apache-2.0
"""A stack of dilated causal convolutions over samples, each gated (tanh times sigmoid), with residual and skip
connections: one block of WaveNet."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 16
SAMPLES = 4001
WIDTH = 64
CLASSES = 256
DILATIONS = (1, 2, 4)


class GatedLayer(nn.Module):
    """A convolution of two taps, `dilation` apart, whose outputs depend on earlier samples alone."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.dilation = dilation
        self.gated = nn.Conv1d(width, 2 * width, kernel_size=2, dilation=dilation)
        self.residual = nn.Conv1d(width, width, kernel_size=1)
        self.skip = nn.Conv1d(width, width, kernel_size=1)

    def forward(self, x: torch.Tensor) -> tuple:
        signal, gate = self.gated(F.pad(x, (self.dilation, 0))).chunk(2, dim=1)
        hidden = torch.tanh(signal) * torch.sigmoid(gate)
        return x + self.residual(hidden), self.skip(hidden)


class Model(nn.Module):
    def __init__(self, width: int, classes: int, dilations: tuple) -> None:
        super().__init__()
        self.embed = nn.Conv1d(1, width, kernel_size=1)
        self.layers = nn.ModuleList(GatedLayer(width, dilation) for dilation in dilations)
        self.out1 = nn.Conv1d(width, width, kernel_size=1)
        self.out2 = nn.Conv1d(width, classes, kernel_size=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x)
        total = torch.zeros_like(x)
        for layer in self.layers:
            x, skip = layer(x)
            total = total + skip
        return self.out2(F.relu(self.out1(F.relu(total))))


def get_inputs() -> list:
    return [torch.randn(BATCH, 1, SAMPLES)]


def get_init_inputs() -> list:
    return [WIDTH, CLASSES, DILATIONS]
