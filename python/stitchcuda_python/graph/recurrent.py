# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks that drop values between their layers, taken apart while we export: one network a layer, and the
dropout between them as an operator of its own, in the order and the layout in which PyTorch draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def recurrent_decompositions() -> dict[Any, Callable[..., Any]]:
    aten = torch.ops.aten
    return {
        operator.input: _layer_by_layer(operator.input, has_cell)
        for operator, has_cell in ((aten.lstm, True), (aten.gru, False), (aten.rnn_tanh, False), (aten.rnn_relu, False))
    }


def _layer_by_layer(operator: Any, has_cell: bool) -> Callable[..., Any]:
    def decomposition(
        x: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        if dropout == 0.0 or not train or layers == 1 or x.dim() != 3:
            return NotImplemented
        states = list(hx) if has_cell else [hx]
        directions = 2 if bidirectional else 1
        count = len(params) // layers
        x = x.transpose(0, 1) if batch_first else x  # masks are drawn time first
        last = []
        for layer in range(layers):
            start = [state[layer * directions : (layer + 1) * directions] for state in states]
            weights = list(params[layer * count : (layer + 1) * count])
            x, *finals = operator(
                x, start if has_cell else start[0], weights, has_biases, 1, 0.0, train, bidirectional, False
            )
            last.append(finals)
            if layer + 1 < layers:
                x = torch.ops.aten.native_dropout.default(x, dropout, True)[0]
        finals = [torch.cat(parts) for parts in zip(*last)]
        return (x.transpose(0, 1) if batch_first else x, *finals)

    return decomposition
