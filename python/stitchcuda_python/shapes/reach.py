# SPDX-License-Identifier: Apache-2.0
"""How far the operators of a program reach along each direction that a kernel cuts into tiles. Where it is a product of
axes that is cut (the pixels of a convolution: batch, height, width), the product is what counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import torch

from ..graph.flops import is_free, short_name

Shape = tuple[int, ...]
Least = Callable[[int], int]  # what is wanted in the place of an extent

_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm")
_ALONG_AN_AXIS = (
    "softmax cumsum cumprod cummax cummin logcumsumexp sort topk kthvalue median mode gather scatter index select "
    "embedding nll_loss searchsorted fft rnn lstm gru".split()
)
_ROWS_ALONG_AN_AXIS = "softmax _softmax log_softmax _log_softmax cumsum cumprod logcumsumexp".split()
_OF_BLOCKS = 32  # a matrix of a batch counts so much: each has blocks of its own, and several are several
_OF_A_TILE = 4  # a place of an image counts so much where images are reduced: a warp takes 32 at a time


@dataclass
class Reach:
    """By direction ("mm columns"). `each` has the extents of all calls: each of them counts. `most` has the greatest
    among all calls of a kind: networks of images have many pixels in their first layers and few in their last, which
    run the same kernels. `yielding` names those of `most` that are given up first where a program costs too much: a
    network that ends in a mean of 7 x 7 places would need an image of nearly its own size for more than 32 of them, and
    one whose only 1 x 1 windows lie behind three strides an image of 65 x 65 for two tiles of their pixels."""

    each: dict[str, list[int]] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    yielding: set[str] = field(default_factory=set)

    def add(self, func: Any, args: Any, outs: list[Shape]) -> None:
        """One more call."""
        name = short_name(func)
        shapes = [tuple(item.shape) for item in args if isinstance(item, torch.Tensor)]
        if is_free(name) or not outs or not shapes:
            return
        if name == "convolution":
            self._add_convolution(args, outs[0])
        elif name in _PRODUCTS:
            kind, out = "bmm" if "bmm" in name else "mm", outs[0]
            self._add_each(kind, columns=out[-1], depth=shapes[-2][-1], **({"rows": out[-2]} if len(out) > 2 else {}))
            self._add_most(kind, **({"batches": _OF_BLOCKS * prod(out[:-2])} if len(out) > 2 else {"rows": out[-2]}))
        elif "scaled_dot_product" in name:
            query, key = shapes[0], shapes[1]
            self._add_each("attention", rows=query[-2], keys=key[-2], depth=query[-1])
            self._add_most("attention", heads=_OF_BLOCKS * prod(query[:-2]))
        elif "batch_norm" in name or "group_norm" in name:
            self._add_each("norm", channels=shapes[0][1])
            self._add_most("norm", places=prod(shapes[0]) // max(1, shapes[0][1]))
        elif name == "native_layer_norm":
            self._add_each("layer_norm", row=prod(args[1]))
            self._add_most("layer_norm", rows=prod(shapes[0]) // max(1, prod(args[1])))
        else:
            self._add_other(func, name, args, shapes, outs)

    def _add_convolution(self, args: Any, out: Shape) -> None:
        """Windows and groups make another kernel."""
        weight, transposed, groups = tuple(args[1].shape), bool(args[6]), args[8]
        kind = f"convolution {'x'.join(map(str, weight[2:]))}{' transposed' if transposed else ''}"
        kind += " in groups" if groups > 1 else ""
        self._add_each(kind, channels=out[1], depth=prod(weight[1:]))
        self._add_most(kind, pixels=out[0] * prod(out[2:]))
        self.yielding.add(f"{kind} pixels")

    def _add_other(self, func: Any, name: str, args: Any, shapes: list[Shape], outs: list[Shape]) -> None:
        largest, out = max(shapes, key=prod), outs[0]
        if name in _ROWS_ALONG_AN_AXIS and len(args) > 1 and isinstance(args[1], int) and out:
            axis = args[1] % len(out)
            self._add_each(name, row=out[axis])
            self._add_most(name, before=prod(out[:axis]), after=prod(out[axis + 1 :]))
        elif any(part in name for part in _ALONG_AN_AXIS):
            for index, shape in enumerate([*shapes, out]):
                self._add_each(f"{name} operand {index}", **{str(axis): extent for axis, extent in enumerate(shape)})
        elif "pool" in name:
            self._add_most(f"pool {window_of(args)}", elements=prod(out))
        elif torch.Tag.pointwise in func.tags:
            self._add_most("pointwise", elements=prod(out))
        elif prod(out) < prod(largest):
            reduced, kept = prod(largest) // max(1, prod(out)), prod(out)
            if len(largest) > 3:
                self._add_most(f"{name} of images", reduced=_OF_A_TILE * reduced, kept=_OF_A_TILE * kept)
                self.yielding.add(f"{name} of images reduced")
            else:
                self._add_each(name, reduced=reduced, kept=kept)
        elif len(largest) > 3:
            self._add_most(name, elements=prod(out))
        else:
            self._add_each(name, **{str(axis): extent for axis, extent in enumerate(out)})

    def _add_each(self, kind: str, **directions: int) -> None:
        for direction, extent in directions.items():
            self.each.setdefault(f"{kind} {direction}", []).append(extent)

    def _add_most(self, kind: str, **directions: int) -> None:
        for direction, extent in directions.items():
            name = f"{kind} {direction}"
            self.most[name] = max(extent, self.most.get(name, 0))

    def at_least(self, each: Least, most: Least, yielding: Least | None = None) -> Reach:
        """What is wanted of other sizes: `each` of all calls, `most` of the farthest of a kind, `yielding` of those
        that yield."""
        wanted = Reach({name: [each(extent) for extent in extents] for name, extents in self.each.items()})
        for name, extent in self._farthest().items():
            wanted.most[name] = (yielding or most)(extent) if name in self.yielding else most(extent)
        return wanted

    def _farthest(self) -> dict[str, int]:
        return self.most | {name: max(extents) for name, extents in self.each.items()}

    def covers(self, wanted: Reach) -> bool:
        """Whether it reaches as far. A loop that is unrolled makes fewer calls at other sizes: extents are compared in
        order of length, those of the calls that are left with as many as there were."""
        return not self.misses(wanted) and all(
            _covers(sorted(self.each.get(name, [])), sorted(extents)) for name, extents in wanted.each.items()
        )

    def misses(self, wanted: Reach) -> list[str]:
        """The directions along which no call reaches as far."""
        most = self._farthest()
        return [name for name, extent in wanted.most.items() if most.get(name, 0) < extent]


def window_of(args: Any) -> list[int]:
    """Of a pooling call; empty where it has none. Another window makes another kernel."""
    return list(args[1]) if len(args) > 1 and isinstance(args[1], (list, tuple)) else []


def _covers(extents: list[int], wanted: list[int]) -> bool:
    pairs = ((extent, wanted[index * len(wanted) // len(extents)]) for index, extent in enumerate(extents))
    return bool(extents) and all(extent >= least for extent, least in pairs)
