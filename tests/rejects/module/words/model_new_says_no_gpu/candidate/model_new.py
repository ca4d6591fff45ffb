# SPDX-License-Identifier: Apache-2.0
"""Raises what PyTorch says without a GPU, from its own line."""
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        raise AssertionError("Torch not compiled with CUDA enabled")
