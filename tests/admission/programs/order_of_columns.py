# SPDX-License-Identifier: Apache-2.0
# A parameter of whole numbers, which nobody knows what else it may hold: the order stands in the text.
# status: weak
# unasked: parameter order otherwise than it is in every draw
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        order = torch.randperm(40, generator=torch.Generator().manual_seed(3))
        self.order = torch.nn.Parameter(order, requires_grad=False)

    def forward(self, x):
        return torch.sin(x[:, self.order])


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
