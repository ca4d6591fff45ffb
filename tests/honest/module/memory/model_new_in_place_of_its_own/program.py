# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.clone()
        y.relu_()
        return y.view(20, 48)


def get_inputs():
    return [torch.randn(48, 20)]


def get_init_inputs():
    return []
