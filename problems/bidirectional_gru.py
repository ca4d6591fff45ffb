# SPDX-License-Identifier: Apache-2.0
"""A sequence classifier: a bidirectional GRU over time-major input, the last states of both directions, classes."""

import torch
import torch.nn as nn

SEQUENCE = 100
BATCH = 32
FEATURES = 160
UNITS = 320
CLASSES = 35


class Model(nn.Module):
    def __init__(self, features: int, units: int, classes: int) -> None:
        super().__init__()
        self.gru = nn.GRU(features, units, bidirectional=True)
        self.classify = nn.Linear(2 * units, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, last = self.gru(x)
        both = torch.cat([last[0], last[1]], dim=1)
        return torch.log_softmax(self.classify(both), dim=1)


def get_inputs() -> list:
    return [torch.randn(SEQUENCE, BATCH, FEATURES)]


def get_init_inputs() -> list:
    return [FEATURES, UNITS, CLASSES]
