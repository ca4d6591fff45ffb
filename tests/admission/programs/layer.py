# SPDX-License-Identifier: Apache-2.0
# An ordinary one.
# status: admitted
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(40, 48)

    def forward(self, x):
        return torch.nn.functional.gelu(self.linear(x)) + 1.0


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
