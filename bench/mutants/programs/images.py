# SPDX-License-Identifier: Apache-2.0
"""Transposed convolution, resampling, adaptive pooling, padding and dropout over small images."""
import torch
import torch.nn.functional as F
from torch import nn

BATCH = 2
CHANNELS = 7
IMAGE = 13


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(CHANNELS, 9, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        up = F.relu(self.up(F.pad(x, (1, 2, 0, 1), mode="reflect")))
        return (
            F.interpolate(up, scale_factor=1.6, mode="bilinear"),
            F.interpolate(x, size=(20, 9), mode="bicubic", align_corners=True),
            F.interpolate(x, size=29, mode="nearest"),
            F.adaptive_avg_pool2d(up, (5, 7)),
            F.adaptive_max_pool2d(up, 4),
            F.dropout(x, 0.3, training=True),
            F.pad(torch.roll(x, 3, dims=2), (2, 1), value=0.5),
        )


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, IMAGE, IMAGE + 2)]


def get_init_inputs() -> list:
    return []
