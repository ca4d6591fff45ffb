# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers one above the other, of two kinds: with biases, batch first and every last state; and without."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(11, 13, 3, batch_first=True)
        self.gru = nn.GRU(13, 10, 2, bias=False)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor) -> tuple[torch.Tensor, ...]:
        long, (hidden, cell) = self.lstm(x, (hidden, cell))
        return self.gru(long)[0], hidden, cell


def get_inputs() -> list:
    return [torch.randn(5, 7, 11), torch.randn(3, 5, 13), torch.randn(3, 5, 13)]


def get_init_inputs() -> list:
    return []
