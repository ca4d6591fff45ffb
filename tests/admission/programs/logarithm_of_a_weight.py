# SPDX-License-Identifier: Apache-2.0
# A parameter that must stay positive: none of another sign, no zero and no structure can be asked for.
# status: weak
# unasked: calls with
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(40) + 0.5)

    def forward(self, x):
        return torch.nn.functional.gelu(x + torch.log(self.scale))


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
