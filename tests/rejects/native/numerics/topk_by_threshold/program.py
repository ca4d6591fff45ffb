# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.topk(x, 8, -1)[0]


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return []
