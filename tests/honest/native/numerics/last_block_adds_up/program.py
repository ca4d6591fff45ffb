# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (x.sum(), x.max(), x.argmax())


def get_inputs():
    return [torch.randn(20000)]


def get_init_inputs():
    return []
