# SPDX-License-Identifier: Apache-2.0
"""Inlines the regions that torch.no_grad() leaves in an exported graph: a forward pass has no use for them."""

from __future__ import annotations

import operator

from torch.fx import GraphModule, Node


def inline_grad_regions(module: GraphModule) -> None:
    """Replaces every wrap_with_set_grad_enabled(flag, subgraph, *arguments) by the subgraph's nodes, innermost too."""
    changed = True
    while changed:
        changed = False
        for node in list(module.graph.nodes):
            if node.op == "call_function" and "wrap_with_set_grad_enabled" in str(node.target):
                _inline(module, node)
                changed = True
    module.graph.lint()


def _inline(module: GraphModule, node: Node) -> None:
    _flag, region, *arguments = node.args
    subgraph = module.get_submodule(region.target).graph
    mapping = dict(zip([item for item in subgraph.nodes if item.op == "placeholder"], arguments))
    with module.graph.inserting_before(node):
        for item in subgraph.nodes:
            if item.op in ("placeholder", "output"):
                continue
            copied = module.graph.node_copy(item, lambda inner: mapping[inner])
            copied.meta = dict(item.meta)
            mapping[item] = copied
    returned = next(item for item in subgraph.nodes if item.op == "output").args[0]
    returned = returned if isinstance(returned, (list, tuple)) else (returned,)
    for user in list(node.users):
        if user.target is operator.getitem:
            user.replace_all_uses_with(mapping[returned[user.args[1]]])
            module.graph.erase_node(user)
    if node.users:
        node.replace_all_uses_with(mapping[returned[0]])
    module.graph.erase_node(node)
