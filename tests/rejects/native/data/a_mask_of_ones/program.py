# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(~mask, 0.0) * 3


def get_inputs():
    return [torch.randn(64, 128), torch.ones(64, 128, dtype=torch.bool)]


def get_init_inputs():
    return []
