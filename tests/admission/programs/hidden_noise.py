# SPDX-License-Identifier: Apache-2.0
# Another answer at each call, by numbers that are not PyTorch's.
# status: error
# says: computes something else each time
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        import os

        return x * (1 + int.from_bytes(os.urandom(2), "little"))


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
