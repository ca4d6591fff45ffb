# SPDX-License-Identifier: Apache-2.0
"""A loop over time that repeats one cell, unrolled by tracing."""

import torch
import torch.nn as nn

BATCH, FEATURES, UNITS, STEPS = 16, 64, 128, 256


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(FEATURES, UNITS)
        self.out = nn.Linear(UNITS, 10)

    def forward(self, x):
        h = torch.zeros(x.shape[0], UNITS)
        for step in range(STEPS):
            h = self.cell(x[:, step], h)
        return self.out(h)


def get_inputs():
    return [torch.rand(BATCH, STEPS, FEATURES)]


def get_init_inputs():
    return []
