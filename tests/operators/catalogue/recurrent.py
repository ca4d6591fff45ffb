# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks, as torch.nn's modules call them: several layers, both directions, dropout, projections."""

import random

from .case import FLOATS, Case, Operand, Operator

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def network(name: str, layers: int, directions: int, dropout: float = 0.0, projects: bool = False) -> Operator:
    kind = name.split(".")[0]

    def make(rng: random.Random, index: int) -> Case:
        # Layers with projections are written out: each time step is a few kernels.
        most_steps = 2 if projects else 6
        features, units = rng.randint(2, 9), rng.randint(3, 9)
        steps, batch = rng.randint(1, most_steps), rng.randint(1, 4)
        width = rng.randint(1, units - 1) if projects else units
        batch_first, biases = index == 1, index != 2
        named = {"x": Operand((batch, steps, features) if batch_first else (steps, batch, features))}
        named["h"] = Operand((layers * directions, batch, width))
        if kind == "lstm":
            named["c"] = Operand((layers * directions, batch, units))
        weights = []
        for number in range(layers * directions):
            inputs = features if number < directions else directions * width
            shapes = [(GATES[kind] * units, inputs), (GATES[kind] * units, width)]
            shapes += [(GATES[kind] * units,)] * 2 if biases else []
            shapes += [(width, units)] if projects else []
            for extents in shapes:
                weights.append(f"w{len(weights)}")
                named[weights[-1]] = Operand(extents, low=-0.5, high=0.5)
        state = "(h, c)" if kind == "lstm" else "h"
        how = f"{biases}, {layers}, {dropout}, {dropout > 0}, {directions == 2}, {batch_first}"
        return Case(f"torch.{kind}(x, {state}, [{', '.join(weights)}], {how})", named)

    return Operator(name, FLOATS, make)


OPERATORS = [
    network("lstm", 1, 1),
    network("lstm.bidirectional", 2, 2),
    network("lstm.dropout", 3, 1, 0.2),
    network("lstm.proj", 2, 2, 0.3, True),
    network("gru", 2, 1),
    network("gru.dropout", 2, 2, 0.5),
    network("rnn_tanh", 2, 2),
    network("rnn_relu.dropout", 2, 1, 0.2),
]
