# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, at):
        return x[at]


def get_inputs():
    return [torch.randn(60, 40), torch.randint(0, 60, (200,))]


def get_init_inputs():
    return []
