# SPDX-License-Identifier: Apache-2.0
"""Rules of the recurrent operators: LSTM, GRU and RNN, whole and as single cells, by PyTorch's equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from .arithmetic import Arithmetic

State = list[torch.Tensor]  # hidden, and cell of an LSTM
# From the input's and the hidden state's share of the gates to the new state.
Cell = Callable[[torch.Tensor, torch.Tensor, State], State]


def _lstm_cell(x: torch.Tensor, h: torch.Tensor, state: State) -> State:
    into, forget, candidate, out = (x + h).chunk(4, -1)
    cell = forget.sigmoid() * state[1] + into.sigmoid() * candidate.tanh()
    return [out.sigmoid() * cell.tanh(), cell]


def _gru_cell(x: torch.Tensor, h: torch.Tensor, state: State) -> State:
    (x_reset, x_update, x_new), (h_reset, h_update, h_new) = x.chunk(3, -1), h.chunk(3, -1)
    update = (x_update + h_update).sigmoid()
    new = (x_new + (x_reset + h_reset).sigmoid() * h_new).tanh()
    return [(1 - update) * new + update * state[0]]


def _tanh_cell(x: torch.Tensor, h: torch.Tensor, _state: State) -> State:
    return [(x + h).tanh()]


def _relu_cell(x: torch.Tensor, h: torch.Tensor, _state: State) -> State:
    return [(x + h).relu()]


def _affine(a: Arithmetic, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    made = a.contraction(F.linear, x, weight, x.shape[-1])
    return made if bias is None else made + bias


def _direction(
    a: Arithmetic, cell: Cell, x: torch.Tensor, state: State, weights: list[Any], reverse: bool
) -> tuple[torch.Tensor, State]:
    """One direction of one layer over x [time, batch, features]; weights: w_ih, w_hh, b_ih, b_hh, projection."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    shares = _affine(a, x, w_ih, b_ih)
    outputs: list[torch.Tensor] = []
    for share in reversed(shares.unbind(0)) if reverse else shares.unbind(0):
        state = cell(share, _affine(a, state[0], w_hh, b_hh), state)
        if w_hr is not None:
            state = [_affine(a, state[0], w_hr, None), *state[1:]]
        outputs.append(state[0])
    return torch.stack(outputs[::-1] if reverse else outputs), state


def _network(cell: Cell, has_cell: bool) -> Callable[..., Any]:
    def rule(
        a: Arithmetic,
        x: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool = False,
    ) -> Any:
        if isinstance(has_biases, (list, tuple)) or (dropout and train and layers > 1) or x.dim() != 3:
            return None  # packed sequences, random masks
        directions = 2 if bidirectional else 1
        states = list(hx) if has_cell else [hx]
        projects = has_cell and states[0].shape[-1] != params[1].shape[0] // 4
        count = (4 if has_biases else 2) + (1 if projects else 0)
        x = x.transpose(0, 1) if batch_first else x
        last: list[State] = []
        for layer in range(layers):
            outputs = []
            for direction in range(directions):
                number = layer * directions + direction
                weights = list(params[number * count : (number + 1) * count])
                biases = weights[2:4] if has_biases else [None, None]
                projection = weights[-1] if projects else None
                start = [state[number] for state in states]
                made, state = _direction(a, cell, x, start, [*weights[:2], *biases, projection], direction == 1)
                outputs.append(made)
                last.append(state)
            x = torch.cat(outputs, -1)
        finals = [torch.stack(parts) for parts in zip(*last)]
        return (x.transpose(0, 1) if batch_first else x, *finals)

    return rule


def _single(cell: Cell, has_cell: bool) -> Callable[..., Any]:
    def rule(a: Arithmetic, x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        state = list(hx) if has_cell else [hx]
        made = cell(_affine(a, x, w_ih, b_ih), _affine(a, state[0], w_hh, b_hh), state)
        return tuple(made) if has_cell else made[0]

    return rule


RNN_RULES: dict[str, Callable[..., Any]] = {
    "lstm": _network(_lstm_cell, True),
    "gru": _network(_gru_cell, False),
    "rnn_tanh": _network(_tanh_cell, False),
    "rnn_relu": _network(_relu_cell, False),
    "lstm_cell": _single(_lstm_cell, True),
    "gru_cell": _single(_gru_cell, False),
    "rnn_tanh_cell": _single(_tanh_cell, False),
    "rnn_relu_cell": _single(_relu_cell, False),
}
