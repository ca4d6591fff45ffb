# SPDX-License-Identifier: Apache-2.0
# A window that the state dict does not hold is a part of the program.
# status: admitted
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(40, periodic=False), persistent=False)

    def forward(self, x):
        return torch.nn.functional.gelu(x * self.window + 0.5)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
