# SPDX-License-Identifier: Apache-2.0
"""EfficientNet-B0 with squeeze and excitation, as published: 81 convolutions, batch normalisation, SiLU."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH, IMAGE, CLASSES = 10, 224, 1000
STEM, TOP = 32, 1280
# Expansion, channels, blocks, stride of the first, side of the filter.
STAGES = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
          (6, 320, 1, 1, 3)]  # fmt: skip


def conv_norm(in_channels, out_channels, side=1, stride=1, groups=1):
    conv = nn.Conv2d(in_channels, out_channels, side, stride, padding=side // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, squeezed):
        super().__init__()
        self.reduce = nn.Conv2d(channels, squeezed, 1)
        self.expand = nn.Conv2d(squeezed, channels, 1)

    def forward(self, x):
        scale = self.expand(F.silu(self.reduce(x.mean((2, 3), keepdim=True))))
        return x * torch.sigmoid(scale)


class Block(nn.Module):
    def __init__(self, in_channels, out_channels, expansion, side, stride):
        super().__init__()
        hidden = in_channels * expansion
        self.adds_input = stride == 1 and in_channels == out_channels
        self.expand = conv_norm(in_channels, hidden) if expansion > 1 else None
        self.depthwise = conv_norm(hidden, hidden, side, stride, groups=hidden)
        self.excite = SqueezeExcite(hidden, max(1, in_channels // 4))
        self.project = conv_norm(hidden, out_channels)

    def forward(self, x):
        hidden = x if self.expand is None else F.silu(self.expand(x))
        hidden = self.excite(F.silu(self.depthwise(hidden)))
        out = self.project(hidden)
        return x + out if self.adds_input else out


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [conv_norm(3, STEM, 3, 2), nn.SiLU()]
        channels = STEM
        for expansion, width, blocks, stride, side in STAGES:
            for block in range(blocks):
                layers.append(Block(channels, width, expansion, side, stride if block == 0 else 1))
                channels = width
        layers += [conv_norm(channels, TOP), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(TOP, CLASSES)

    def forward(self, x):
        return self.head(self.features(x))


def get_inputs():
    return [torch.rand(BATCH, 3, IMAGE, IMAGE)]


def get_init_inputs():
    return []
