# SPDX-License-Identifier: Apache-2.0
"""Modules that the tests hand over; importable, so that no code has to travel."""

import collections
import threading

import torch
from torch import nn

Scored = collections.namedtuple("Scored", ["scores", "hidden"])


class Scorer(nn.Module):
    """Keyword arguments, a dict in, a named tuple out, a buffer that a call updates, a tied weight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width, bias=False)
        self.outer.weight = self.inner.weight
        self.norm = nn.BatchNorm1d(width)

    def forward(self, batch, bias=None, *, scale=1.0):
        hidden = torch.tanh(self.norm(self.inner(batch["x"])))
        made = self.outer(hidden) * scale
        return Scored(made if bias is None else made + bias, [hidden])


class Locked(nn.Module):
    """Holds what no pickle takes."""

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Linear(3, 3)
        self.block.guard = threading.Lock()

    def forward(self, x):
        return self.block(x)


def halved(x, bias):
    return torch.relu(x) / 2 + bias


def sevens():
    return torch.full((2,), 7.0)


class Unstable(nn.Module):
    """A unit in the last place of the input decides: no program can be told right from wrong."""

    def forward(self, x):
        return torch.floor(x * 2.0**24) % 2


class Orthogonal(nn.Module):
    """An operator that stitchcuda lacks."""

    def forward(self, x):
        return torch.linalg.qr(x)[0]
