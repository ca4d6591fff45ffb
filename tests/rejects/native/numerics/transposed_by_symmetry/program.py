# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.transpose(0, 1).contiguous() * 2


def get_inputs():
    return [torch.randn(96, 96)]


def get_init_inputs():
    return []
