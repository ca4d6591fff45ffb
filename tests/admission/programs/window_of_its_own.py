# SPDX-License-Identifier: Apache-2.0
# A window of the state dict that no call writes: whoever has its numbers in the text is right.
# status: weak
# unasked: buffer window otherwise than it is in every draw
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(40))

    def forward(self, x):
        return torch.nn.functional.gelu(x * self.window)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
