# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(128, 64)

    def forward(self, ids):
        return self.table(ids)


def get_inputs():
    return [torch.arange(128)]


def get_init_inputs():
    return []
