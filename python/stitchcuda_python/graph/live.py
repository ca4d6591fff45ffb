# SPDX-License-Identifier: Apache-2.0
"""Which nodes of a traced graph its outputs need."""

from __future__ import annotations

from torch.fx import Graph, Node


def live_nodes(graph: Graph) -> set[Node]:
    """Every node from which an output can be reached."""
    live: set[Node] = set()
    stack = [node for node in graph.nodes if node.op == "output"]
    while stack:
        node = stack.pop()
        if node not in live:
            live.add(node)
            stack.extend(node.all_input_nodes)
    return live
