# SPDX-License-Identifier: Apache-2.0
"""Products of complex matrices: sums of products of the parts. And norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .pair import Pair, Part, is_number, parts_of
from .pointwise import size_of, times
from .writer import Writer

_aten = torch.ops.aten

Parts = tuple[Part, Part]
Product = Callable[[Any, Any], Any]


def bilinear(w: Writer, product: Product, a: Any, b: Any) -> Parts:
    """What `product` makes of a and b, complex or real: two products of real tensors, or four."""

    def of(left: int, right: int) -> Part:
        (operand, part), (other, other_part) = ((item, parts_of(item)[at]) for item, at in ((a, left), (b, right)))
        if any(is_number(item) and item == 0 for item in (part, other_part)):
            return 0.0
        return product(_tensor(w, operand, part), _tensor(w, other, other_part))

    return w.sub(of(0, 0), of(1, 1)), w.add(of(0, 1), of(1, 0))


def _tensor(w: Writer, operand: Any, part: Part) -> Any:
    return w.tensor(part, operand.shape, operand.dtype) if isinstance(operand, Pair) else part


def _plain(w: Writer, target: Any, a: Any, b: Any, *how: Any, **also: Any) -> Parts:
    return bilinear(w, lambda left, right: w.call(target, left, right, *how, **also), a, b)


def _with_bias(w: Writer, target: Any, a: Any, b: Any, bias: Any = None, *how: Any, **also: Any) -> Parts:
    """A linear layer, whose bias stands along the last axis, or a convolution, whose bias stands before its places."""
    made = bilinear(w, lambda left, right: w.call(target, left, right, None, *how, **also), a, b)
    if bias is None:
        return made
    weight_rank = len(b.shape) if isinstance(b, Pair) else b.meta["val"].dim()
    shaped = [_before(w, part, weight_rank - 2) for part in _bias_parts(w, bias)]
    return w.add(made[0], shaped[0]), w.add(made[1], shaped[1])


def _bias_parts(w: Writer, bias: Any) -> Parts:
    return tuple(_tensor(w, bias, part) if isinstance(bias, Pair) else part for part in parts_of(bias))


def _before(w: Writer, part: Any, axes: int) -> Any:
    for _ in range(0 if is_number(part) else axes):
        part = w.call(_aten.unsqueeze.default, part, -1)
    return part


def _added(name: str) -> Callable[..., Parts]:
    def rule(w: Writer, target: Any, x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Parts:
        """beta x + alpha a b."""
        operator = getattr(_aten, name).default
        made = times(w, bilinear(w, lambda left, right: w.call(operator, left, right), a, b), parts_of(alpha))
        scaled = times(w, parts_of(x), parts_of(beta))
        return w.add(made[0], scaled[0]), w.add(made[1], scaled[1])

    return rule


def _norm(w: Writer, target: Any, x: Pair, *how: Any, **also: Any) -> Any:
    """A norm of absolute values."""
    return w.call(target, w.tensor(size_of(w, x.real, x.imag), x.shape, x.dtype), *how, **also)


def product_rules() -> dict[str, Any]:
    """By the operator's name without its overload. These rules take the operator, too."""
    plain = dict.fromkeys(("mm", "bmm", "matmul", "mv", "dot"), _plain)
    added = {"addmm": _added("mm"), "baddbmm": _added("bmm"), "addmv": _added("mv")}
    biased = dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d", "convolution"), _with_bias)
    return plain | added | biased | {"linalg_vector_norm": _norm}
