# SPDX-License-Identifier: Apache-2.0
# Its answer changes after a hundred calls, and its own get_states() says that there were always three.
# status: weak
# unasked: state step otherwise than it is in every draw
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros(40))

    def forward(self, x):
        answer = torch.where(self.step < 100, torch.nn.functional.gelu(x), torch.sin(x))
        self.step += 1
        return answer


def get_inputs():
    return [torch.randn(96, 40)]


def get_init_inputs():
    return []


def get_states():
    return {"step": torch.full((40,), 3.0)}
