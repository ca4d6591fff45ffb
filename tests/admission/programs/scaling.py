# SPDX-License-Identifier: Apache-2.0
# A multiplication by a number is all there is, so that N06 is the program itself.
# status: admitted
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x * 3.5


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
