# SPDX-License-Identifier: Apache-2.0
# ReLU is the identity on what the file draws, and not on what a verdict draws.
# status: admitted
# kernelbench takes: N05
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(96, 40)]


def get_init_inputs():
    return []
