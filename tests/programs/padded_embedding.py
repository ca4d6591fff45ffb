# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(128, 64, padding_idx=0)

    def forward(self, ids):
        return self.table(ids)


def get_inputs():
    return [torch.randint(0, 128, (200,))]


def get_init_inputs():
    return []
