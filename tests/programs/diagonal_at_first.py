# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = torch.nn.Linear(40, 40, bias=False)
        with torch.no_grad():
            self.mix.weight.copy_(torch.diag(torch.rand(40) + 0.5))

    def forward(self, x):
        return self.mix(x)


def get_inputs():
    return [torch.randn(64, 40)]


def get_init_inputs():
    return []
