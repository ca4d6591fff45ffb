# SPDX-License-Identifier: Apache-2.0
# A buffer that no call writes chooses between two answers: one of them never comes.
# status: weak
# unasked: buffer mode otherwise than it is in every draw
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mode", torch.tensor(0))

    def forward(self, x):
        return torch.where(self.mode == 1, torch.softmax(x, dim=1), torch.nn.functional.gelu(x))


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
