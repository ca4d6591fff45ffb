# SPDX-License-Identifier: Apache-2.0
"""A convolution of every kind that cuDNN is asked for, with ragged sizes."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.row = nn.Conv1d(10, 12, 5, stride=2, padding=3, dilation=2, groups=2)
        self.plane = nn.Conv2d(10, 9, (3, 2), stride=(2, 1), padding=(1, 0))
        self.volume = nn.Conv3d(9, 7, (2, 3, 3), padding=(0, 1, 1), bias=False)
        self.row_back = nn.ConvTranspose1d(12, 10, 4, stride=3, padding=1, output_padding=2, bias=False)
        self.plane_back = nn.ConvTranspose2d(10, 6, 3, stride=2, padding=1, output_padding=(0, 1), groups=2)
        self.volume_back = nn.ConvTranspose3d(9, 5, (3, 2, 3), stride=(2, 1, 2), dilation=(1, 2, 1),
                                              output_padding=(1, 0, 1))

    def forward(self, row, plane, volume, added):
        one = torch.relu(self.row(row))
        two = self.plane(plane)
        return (
            self.row_back(one),
            torch.relu(two) + added,
            self.volume(volume),
            torch.relu(self.plane_back(plane)),
            torch.sigmoid(self.volume_back(volume)),
        )


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(3, 10, 37), torch.randn(2, 10, 11, 9), torch.randn(2, 9, 4, 5, 7), torch.randn(2, 9, 6, 8)]
