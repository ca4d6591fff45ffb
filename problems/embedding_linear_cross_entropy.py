# SPDX-License-Identifier: Apache-2.0
"""The ends of a language model: token embedding, projection to the vocabulary, and mean cross-entropy."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8
SEQUENCE = 127
WIDTH = 512
VOCABULARY = 8191


class Model(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.project = nn.Linear(width, vocabulary)

    def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        logits = self.project(self.embed(tokens))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def get_inputs() -> list:
    tokens = torch.randint(0, VOCABULARY, (BATCH, SEQUENCE))
    targets = torch.randint(0, VOCABULARY, (BATCH, SEQUENCE))
    return [tokens, targets]


def get_init_inputs() -> list:
    return [VOCABULARY, WIDTH]
