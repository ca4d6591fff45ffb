# SPDX-License-Identifier: Apache-2.0
# What a bias adds to every row, the norm of its columns takes away.
# status: weak
# takes: N08 N09
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(40, 24)

    def forward(self, x):
        made = self.linear(x)
        return made - made.mean(dim=0, keepdim=True)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
