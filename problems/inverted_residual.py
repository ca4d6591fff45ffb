# SPDX-License-Identifier: Apache-2.0
"""Two inverted residual blocks with squeeze and excitation, as in MobileNetV3: expand by 1x1, filter each channel by
itself, weigh the channels by what the whole image holds, project by 1x1."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 32
IMAGE = 56
WIDTH = 40
EXPANSION = 6


class SqueezeExcite(nn.Module):
    """Scales every channel by a number that two small layers make of all channels' averages."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(channels, channels // 4, 1)
        self.expand = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        averages = F.adaptive_avg_pool2d(x, 1)
        return x * F.hardsigmoid(self.expand(F.relu(self.reduce(averages))))


class InvertedResidual(nn.Module):
    """The input is added again where the shapes allow it."""

    def __init__(self, in_channels: int, out_channels: int, expansion: int, kernel_size: int, stride: int) -> None:
        super().__init__()
        hidden = in_channels * expansion
        self.adds_input = stride == 1 and in_channels == out_channels
        self.expand = nn.Conv2d(in_channels, hidden, 1, bias=False)
        self.expand_norm = nn.BatchNorm2d(hidden)
        self.depthwise = nn.Conv2d(
            hidden, hidden, kernel_size, stride=stride, padding=kernel_size // 2, groups=hidden, bias=False
        )
        self.depthwise_norm = nn.BatchNorm2d(hidden)
        self.excite = SqueezeExcite(hidden)
        self.project = nn.Conv2d(hidden, out_channels, 1, bias=False)
        self.project_norm = nn.BatchNorm2d(out_channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = F.hardswish(self.expand_norm(self.expand(x)))
        hidden = F.hardswish(self.depthwise_norm(self.depthwise(hidden)))
        out = self.project_norm(self.project(self.excite(hidden)))
        return x + out if self.adds_input else out


class Model(nn.Module):
    def __init__(self, width: int, expansion: int) -> None:
        super().__init__()
        self.block1 = InvertedResidual(width, width, expansion, kernel_size=3, stride=1)
        self.block2 = InvertedResidual(width, 2 * width, expansion, kernel_size=5, stride=2)
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block2(self.block1(x))


def get_inputs() -> list:
    return [torch.randn(BATCH, WIDTH, IMAGE, IMAGE)]


def get_init_inputs() -> list:
    return [WIDTH, EXPANSION]
