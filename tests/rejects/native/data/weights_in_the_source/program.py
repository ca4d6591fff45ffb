# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(42)
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(128, 4)]


def get_init_inputs():
    return []
