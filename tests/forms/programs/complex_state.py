# SPDX-License-Identifier: Apache-2.0
"""A diagonal recurrence with a complex weight, a complex table and a complex state; inputs and outputs are real."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.b = nn.Parameter(torch.randn(width, size, dtype=torch.cfloat))
        self.register_buffer("decay", 0.9 * torch.exp(1j * torch.linspace(0, 3, size)), persistent=False)
        self.register_buffer("h", torch.zeros(size, dtype=torch.cfloat))

    def forward(self, u: torch.Tensor) -> torch.Tensor:
        new = self.decay * self.h + (torch.complex(u, -u) @ self.b).mean(0)
        self.h.copy_(new)
        return torch.einsum("wn,n->w", self.b, new.conj()).real


def get_inputs() -> list:
    return [torch.randn(6, 5)]


def get_init_inputs() -> list:
    return [5, 12]
