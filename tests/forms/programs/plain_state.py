# SPDX-License-Identifier: Apache-2.0
"""A recurrent cell whose hidden state is a plain attribute, assigned and written to by forward."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = torch.zeros(6, width)
        self.calls = torch.zeros(1)
        self.cell = nn.Linear(5 + width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(1.0)
        self.hidden = torch.tanh(self.cell(torch.cat((x, self.hidden), dim=1)))
        return self.hidden * self.calls


def get_inputs() -> list:
    return [torch.randn(6, 5)]


def get_init_inputs() -> list:
    return [9]
