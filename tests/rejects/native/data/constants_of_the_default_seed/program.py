# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.square().mean()


def get_inputs():
    return [torch.randn(64, 32)]


def get_init_inputs():
    return []
