# SPDX-License-Identifier: Apache-2.0
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = torch.nn.Parameter(torch.randn(8, 64, 32) * 0.125)
        self.router = torch.nn.Linear(64, 8)

    def forward(self, x):
        scores, chosen = self.router(x).topk(2, -1)
        gates = torch.zeros(x.shape[0], 8, device=x.device).scatter(-1, chosen, scores.softmax(-1))
        return ((x @ self.experts) * gates.t().unsqueeze(-1)).sum(0)


def get_inputs():
    return [torch.randn(96, 64)]


def get_init_inputs():
    return []
