# SPDX-License-Identifier: Apache-2.0
# A table of products of its parameters: once computed, it is right until they change.
# status: weak
# unasked: contents that change from call to call: it takes no input
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.left = torch.nn.Parameter(torch.randn(48, 40))
        self.right = torch.nn.Parameter(torch.randn(40, 24))

    def forward(self):
        return torch.nn.functional.gelu(self.left @ self.right)


def get_inputs():
    return []


def get_init_inputs():
    return []
