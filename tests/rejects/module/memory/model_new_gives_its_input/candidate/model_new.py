# SPDX-License-Identifier: Apache-2.0
"""Gives its input itself where it is right, and the reference a tensor of its own."""
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x
