# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(16, 24, 3)
        self.linear = torch.nn.Linear(12, 40)

    def forward(self, x):
        return self.linear(self.convolution(x))


def get_inputs():
    return [torch.randn(2, 16, 14, 14)]


def get_init_inputs():
    return []
