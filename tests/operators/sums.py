# SPDX-License-Identifier: Apache-2.0
"""How many numbers are added up on the way to each output of an imported graph: 1 where nothing is."""

import dataclasses
import math
import re

# Operators of the IR that add up elements of their operands; all others make an element of a few at most.
SUMMING = frozenset(
    """matmul linear conv2d conv3d conv_transpose2d conv_transpose3d scaled_dot_product_attention lstm_layer gru_layer
rnn_layer batch_norm layer_norm avg_pool2d avg_pool3d adaptive_avg_pool2d adaptive_avg_pool3d interpolate sum mean var
cumsum scatter nll_loss cholesky lu solve_triangular""".split()
)

VALUE = re.compile(r"([\w.]+): \w+\[([\d,]*)\]")
NODE = re.compile(r"^(?P<values>[\w.]+: [^=]*?) = (?P<operator>\w+)\((?P<operands>[^;)]*)")


@dataclasses.dataclass(frozen=True)
class Value:
    elements: int
    terms: int


def terms_of_outputs(graph: str) -> list[int]:
    """For each output of the first graph of a graph.ir, in order: the elements of the largest tensor that an operator
    on the way to it adds up, a bound of how many numbers any one sum has."""
    known: dict[str, Value] = {}
    for line in graph.split("\n--- ")[0].splitlines():
        if line.startswith("return "):
            return [known[name].terms for name in re.findall(r" = ([\w.]+)", line)]
        node = NODE.match(line)
        operands = [known[name] for name in re.findall(r"[\w.]+", node["operands"]) if name in known] if node else []
        terms = max((operand.terms for operand in operands), default=1)
        if node and node["operator"] in SUMMING:
            terms = max([terms, *(operand.elements for operand in operands)])
        for name, extents in VALUE.findall(line.split(" = ")[0]):
            known[name] = Value(math.prod(int(extent) for extent in extents.split(",") if extent), terms)
    raise ValueError("the graph returns nothing")
