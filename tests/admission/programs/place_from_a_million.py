# SPDX-License-Identifier: Apache-2.0
# A place that is counted from a million on: nobody finds another that does not lead out of its table.
# status: weak
# unasked: state place otherwise than as constructed
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(31, 40))
        self.register_buffer("place", torch.tensor([1_000_000]))

    def forward(self, x):
        answer = torch.nn.functional.gelu(x) * self.table[self.place - 1_000_000]
        self.place.copy_(1_000_000 + (self.place - 1_000_000 + 1) % 31)
        return answer


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []
