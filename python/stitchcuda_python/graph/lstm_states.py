# SPDX-License-Identifier: Apache-2.0
"""The states of a traced LSTM in the shape that eager gives them.

PyTorch before 2.13 traces a layer's last states as [1, batch, units] where eager has [batch, units]; stacked over the
layers they have one axis too many, and what a program does with them is traced with wrong shapes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch._decomp import decompositions

_LAYER = "one_layer_lstm"  # a private name: where a release lacks it, nothing is changed


@contextmanager
def lstm_states_as_in_eager() -> Iterator[None]:
    """While it lasts, tracing gives the last states of an LSTM layer two axes."""
    layer = getattr(decompositions, _LAYER, None)
    if layer is None:
        yield
        return

    def mended(*arguments, **named):
        output, states = layer(*arguments, **named)
        return output, tuple(_without_first_axis(state) for state in states)

    setattr(decompositions, _LAYER, mended)
    try:
        yield
    finally:
        setattr(decompositions, _LAYER, layer)


def _without_first_axis(state: torch.Tensor) -> torch.Tensor:
    return state.squeeze(0) if state.dim() == 3 else state
