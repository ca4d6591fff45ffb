# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(48, 20))

    def forward(self, x):
        y = torch.relu(x)
        self.last.mul_(0.5).add_(y)
        return y, y.flatten(), x.reshape(24, 40), self.last


def get_inputs():
    return [torch.randn(48, 20)]


def get_init_inputs():
    return []
