# SPDX-License-Identifier: Apache-2.0
# The second input is multiplied away.
# status: weak
# takes: N08
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(40, 24)

    def forward(self, x, y):
        return self.linear(x) + 1e-12 * y


def get_inputs():
    return [torch.randn(96, 40), torch.randn(96, 24)]


def get_init_inputs():
    return []
