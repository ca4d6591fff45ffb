# SPDX-License-Identifier: Apache-2.0
# Its second output hangs on parameters alone.
# status: weak
# unasked: other answers in output 1 from call to call
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(40, 24)

    def forward(self, x):
        return self.linear(x), torch.softmax(self.linear.weight, dim=1)


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
