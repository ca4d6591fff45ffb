# SPDX-License-Identifier: Apache-2.0
"""Runs operators with Arithmetic in place of their own sums, also inside the composite ones."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..graph.flops import short_name
from ..graph.functional import Call
from .arithmetic import Arithmetic
from .rules import RULES, Rules

_SIXTEEN_BITS = (torch.float16, torch.bfloat16)


def apply_rule(
    arithmetic: Arithmetic, target: Any, args: list[Any], kwargs: dict[str, Any], rules: Rules = RULES
) -> Any:
    """The results of `target` by its rule, in the type that it would give; None where it has none, or where the call
    asks for a type that the rules do not sum in. 16-bit operands are summed in fp32."""
    rule = rules.get(short_name(target))
    if rule is None:
        return None
    leaves = pytree.tree_leaves((args, kwargs))
    types = [leaf.dtype for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()]
    narrow = next((dtype for dtype in types if dtype in _SIXTEEN_BITS), None)
    asked = next((leaf for leaf in leaves if isinstance(leaf, torch.dtype)), None)
    if asked not in (None, narrow, torch.float32 if narrow else types[0] if types else None):
        return None
    if narrow is None:
        return rule(arithmetic, *args, **kwargs)
    widen = lambda item: item.float() if item.dtype in _SIXTEEN_BITS else item  # noqa: E731
    args, kwargs = pytree.tree_map_only(torch.Tensor, widen, (args, kwargs))
    args, kwargs = pytree.tree_map_only(torch.dtype, lambda _: torch.float32, (args, kwargs))
    made = rule(arithmetic, *args, **kwargs)
    given = lambda item: item.to(asked or narrow) if item.is_floating_point() else item  # noqa: E731
    return pytree.tree_map_only(torch.Tensor, given, made)


class _Inside(TorchDispatchMode):
    """Applies the rules to the operators that a composite operator is made of."""

    def __init__(self, arithmetic: Arithmetic, rules: Rules) -> None:
        super().__init__()
        self._arithmetic, self._rules = arithmetic, rules

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = apply_rule(self._arithmetic, func, list(args), kwargs or {}, self._rules)
        return func(*args, **(kwargs or {})) if made is None else made


class Disturbance:
    """A substitute for Interpreter.run. Operators that `rules` lacks run as they are."""

    def __init__(self, arithmetic: Arithmetic, rules: Rules = RULES) -> None:
        self._arithmetic, self._rules = arithmetic, rules
        self._inside = _Inside(arithmetic, rules)

    def __call__(self, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """The results of one call, by its own rule or by those of its parts; None for views and the like."""
        made = apply_rule(self._arithmetic, call.target, args, kwargs, self._rules)
        if made is not None or "view" in call.target_name or "clone" in call.target_name:
            return made
        with self._inside:
            return call.target(*args, **kwargs)
