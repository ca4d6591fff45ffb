# SPDX-License-Identifier: Apache-2.0
"""A layer of a graph network: a message along every edge, their mean at every node, and an update."""

import torch
import torch.nn as nn
import torch.nn.functional as F

NODES = 4093
EDGES = 16411
WIDTH = 256


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.message = nn.Linear(2 * width, width)
        self.update = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor, sources: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        messages = F.relu(self.message(torch.cat([x[sources], x[targets]], dim=-1)))
        places = targets.unsqueeze(-1).expand_as(messages)
        received = torch.zeros_like(x).scatter_add(0, places, messages)
        degrees = x.new_zeros(x.shape[0]).index_add(0, targets, x.new_ones(targets.shape[0]))
        mean = received / degrees.clamp(min=1.0).unsqueeze(-1)
        return x + self.update(torch.cat([x, mean], dim=-1))


def get_inputs() -> list:
    sources = torch.randint(0, NODES, (EDGES,))
    targets = torch.randint(0, NODES, (EDGES,))
    return [torch.randn(NODES, WIDTH), sources, targets]


def get_init_inputs() -> list:
    return [WIDTH]
