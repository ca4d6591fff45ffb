# SPDX-License-Identifier: Apache-2.0
"""Train mode: running statistics change with every call, and outputs are a nested structure."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.expand = nn.Linear(12, width)
        self.norm = nn.BatchNorm1d(width)
        self.contract = nn.Linear(width, 7, bias=False)
        self.register_buffer("scale", torch.linspace(0.5, 2.0, 7))

    def forward(self, x: torch.Tensor, shift: torch.Tensor) -> dict:
        hidden = torch.relu(self.norm(self.expand(x)))
        scores = self.contract(hidden) * self.scale
        return {"scores": scores, "parts": (hidden, [scores + shift, torch.softmax(scores, dim=-1)])}


def get_inputs() -> list:
    return [torch.randn(33, 12), torch.randn(33, 7)]


def get_init_inputs() -> list:
    return [20]
