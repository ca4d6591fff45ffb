# SPDX-License-Identifier: Apache-2.0
"""A mixture of experts: every token goes through its two best experts, mixed by the router's probabilities."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TOKENS = 1021
WIDTH = 512
HIDDEN = 704
EXPERTS = 8
CHOSEN = 2


class Model(nn.Module):
    def __init__(self, width: int, hidden: int, experts: int, chosen: int) -> None:
        super().__init__()
        self.chosen = chosen
        self.router = nn.Linear(width, experts)
        self.rise = nn.Parameter(torch.randn(experts, width, hidden) * width**-0.5)
        self.fall = nn.Parameter(torch.randn(experts, hidden, width) * hidden**-0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        probabilities = F.softmax(self.router(x), dim=-1)
        best, experts = probabilities.topk(self.chosen, dim=-1)
        best = best / best.sum(-1, keepdim=True)
        gates = torch.zeros_like(probabilities).scatter(-1, experts, best)
        # All experts see all tokens: shapes then do not depend on where tokens go.
        answers = F.silu(x @ self.rise) @ self.fall
        return x + (answers * gates.t().unsqueeze(-1)).sum(0)


def get_inputs() -> list:
    return [torch.randn(TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, HIDDEN, EXPERTS, CHOSEN]
