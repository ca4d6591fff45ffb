# SPDX-License-Identifier: Apache-2.0
"""A word-level language model: embedding, two LSTM layers whose state comes in and goes out, scores over all words."""

import torch
import torch.nn as nn

BATCH = 16
SEQUENCE = 64
WIDTH = 512
VOCABULARY = 4999
LAYERS = 2


class Model(nn.Module):
    def __init__(self, vocabulary: int, width: int, layers: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, layers, batch_first=True)
        self.score = nn.Linear(width, vocabulary)

    def forward(
        self, words: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        features, (hidden, cell) = self.lstm(self.embed(words), (hidden, cell))
        return self.score(features), hidden, cell


def get_inputs() -> list:
    words = torch.randint(0, VOCABULARY, (BATCH, SEQUENCE))
    return [words, torch.randn(LAYERS, BATCH, WIDTH), torch.randn(LAYERS, BATCH, WIDTH)]


def get_init_inputs() -> list:
    return [VOCABULARY, WIDTH, LAYERS]
