# SPDX-License-Identifier: Apache-2.0
"""A classifier head: layer norm over the features, a linear layer, and softmax over the classes."""

import torch
import torch.nn as nn

BATCH = 2047
FEATURES = 1536
CLASSES = 1999


class Model(nn.Module):
    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.classify = nn.Linear(features, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logits = self.classify(self.norm(x))
        return torch.softmax(logits, dim=-1)


def get_inputs() -> list:
    return [torch.randn(BATCH, FEATURES)]


def get_init_inputs() -> list:
    return [FEATURES, CLASSES]
