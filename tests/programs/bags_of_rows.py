# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = torch.nn.EmbeddingBag(50, 40, mode="sum")

    def forward(self, ids, offsets):
        return self.bag(ids, offsets)


def get_inputs():
    return [torch.randint(0, 50, (120,)), torch.arange(0, 120, 10)]


def get_init_inputs():
    return []
