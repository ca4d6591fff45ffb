# SPDX-License-Identifier: Apache-2.0
"""Shared weights and a dict of results: the embedding also scores, one residual layer is applied twice."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8
SEQUENCE = 64
WIDTH = 320
EXPANDED = 640
VOCABULARY = 5003


class Model(nn.Module):
    def __init__(self, vocabulary: int, width: int, expanded: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.expand = nn.Linear(width, expanded)
        self.contract = nn.Linear(expanded, width)
        self.score = nn.Linear(width, vocabulary, bias=False)
        self.score.weight = self.embed.weight

    def layer(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.contract(F.gelu(self.expand(x)))

    def forward(self, words: torch.Tensor) -> dict[str, torch.Tensor]:
        features = self.layer(self.layer(self.embed(words)))
        return {"scores": self.score(features), "features": features, "mean": features.mean(dim=1)}


def get_inputs() -> list:
    return [torch.randint(0, VOCABULARY, (BATCH, SEQUENCE))]


def get_init_inputs() -> list:
    return [VOCABULARY, WIDTH, EXPANDED]
