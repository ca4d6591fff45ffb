# SPDX-License-Identifier: Apache-2.0
"""A feed-forward block: two linear layers with an exact GELU between them and a residual connection around both."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 1021
WIDTH = 1024
EXPANDED = 2999


class Model(nn.Module):
    def __init__(self, width: int, expanded: int) -> None:
        super().__init__()
        self.expand = nn.Linear(width, expanded)
        self.contract = nn.Linear(expanded, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = F.gelu(self.expand(x))
        return x + self.contract(hidden)


def get_inputs() -> list:
    return [torch.randn(BATCH, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, EXPANDED]
