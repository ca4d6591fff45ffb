# SPDX-License-Identifier: Apache-2.0
"""float64: products, sums, softmax and layer norm, which have kernels of their own."""
import torch
from torch import nn

ROWS = 35
WIDTH = 133


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH, dtype=torch.float64)
        self.widen = nn.Linear(WIDTH, 70, dtype=torch.float64)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.widen(self.norm(x))
        return torch.softmax(y, dim=1), x.sum(dim=0), torch.var_mean(x, dim=1)[0], y.amax(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH, dtype=torch.float64)]


def get_init_inputs() -> list:
    return []
