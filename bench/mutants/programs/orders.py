# SPDX-License-Identifier: Apache-2.0
"""Running totals, orders and positions: what the problems have little of, in rows of every length a kernel is for."""
import torch
from torch import nn

ROWS = 7
SHORT = 40
MIDDLE = 700
LONG = 17001


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.rand(MIDDLE))

    def forward(self, short: torch.Tensor, middle: torch.Tensor, long: torch.Tensor) -> tuple[torch.Tensor, ...]:
        scaled = middle * self.scale
        ordered, places = torch.sort(scaled, dim=1, descending=True)
        largest, where = torch.topk(long, 90, dim=1)
        running, last = torch.cummax(scaled, dim=1)
        return (
            torch.sort(short, dim=1).values,
            ordered,
            torch.gather(middle, 1, places),
            largest + torch.gather(long, 1, where),
            torch.cumsum(scaled, dim=1),
            torch.cumsum(middle, dim=0),
            torch.cumsum(long, dim=1),
            torch.logcumsumexp(short, dim=1),
            running + last,
            torch.argmax(scaled, dim=1),
            torch.argmin(long, dim=1),
            torch.prod(short, dim=1),
        )


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS * 19, SHORT), torch.randn(ROWS, MIDDLE), torch.randn(2, LONG)]


def get_init_inputs() -> list:
    return []
