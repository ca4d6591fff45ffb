# SPDX-License-Identifier: Apache-2.0
"""Rows written into caches that are state, in the spellings of eager programs; attention then reads all of them."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, batch: int) -> None:
        super().__init__()
        self.query = nn.Linear(24, 24)
        for name in ("copied", "put", "slots", "assigned", "old"):
            self.register_buffer(name, torch.randn(batch, 2, 130, 12))
        self.register_buffer("position", torch.tensor([4]))
        self.register_buffer("slot", torch.randperm(130)[:batch])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch = x.shape[0]
        query = self.query(x).view(batch, 2, 1, 12)
        before = self.old.sum(2, keepdim=True)
        self.copied.index_copy_(2, self.position, query)
        self.put[:, :, self.position] = query * 2
        self.slots[torch.arange(batch), :, self.slot] = query[:, :, 0]
        self.assigned[:, :, 5:7] = query
        self.old.index_add_(2, self.position, before)
        mixed = F.scaled_dot_product_attention(query, self.copied, self.put)
        mixed = (
            mixed + F.scaled_dot_product_attention(query, self.slots, self.assigned) + self.old.mean(2, keepdim=True)
        )
        self.position += 1
        return mixed.reshape(batch, 24)


def get_inputs() -> list:
    return [torch.randn(3, 24)]


def get_init_inputs() -> list:
    return [3]
