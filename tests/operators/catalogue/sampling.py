# SPDX-License-Identifier: Apache-2.0
"""Operators whose places are computed: sampling by a grid, sums of overlapping windows, writes under a mask."""

import random

from .case import Case, Operand, Operator


def grid_sample(mode: str, padding: str, axes: int = 2) -> Operator:
    def make(rng: random.Random, index: int) -> Case:
        batch, extents = rng.randint(1, 3), tuple(rng.randint(1, 9) for _ in range(axes))
        places = tuple(rng.randint(1, 9) for _ in range(axes))
        how = f"mode='{mode}', padding_mode='{padding}', align_corners={index == 1}"
        return Case(
            f"F.grid_sample(x, g, {how})",
            {
                "x": Operand((batch, rng.randint(1, 5), *extents), strided=index == 2 and batch > 1),
                "g": Operand((batch, *places, axes), low=-1.4, high=1.4),
            },
        )

    return Operator(f"grid_sampler_{axes}d.{mode}_{padding}", ("float32",), make)


def affine_grid(rng: random.Random, index: int) -> Case:
    size = [2, 3, *(rng.randint(1, 8) for _ in range(2 + index % 2))]
    axes = len(size) - 2
    return Case(f"F.affine_grid(t, {size}, align_corners={index == 1})", {"t": Operand((2, axes, axes + 1))})


def masked_scatter(rng: random.Random, _: int) -> Case:
    shape = (rng.randint(2, 5), rng.randint(20, 40))
    return Case("x.masked_scatter(m, s)", {"x": Operand(shape), "m": Operand(shape, "bool"), "s": Operand(shape)})


def nanmedian(rng: random.Random, index: int) -> Case:
    shape = (rng.randint(2, 5), rng.randint(6, 40), rng.randint(2, 5))
    wanted = "torch.nanmedian(y)" if index == 2 else f"torch.nanmedian(y, {index}, {index == 1})[0]"
    return Case(wanted.replace("y", "torch.where(x > 0.3, float('nan'), x)"), {"x": Operand(shape)})


OPERATORS = [
    grid_sample("bilinear", "zeros"),
    grid_sample("bilinear", "border"),
    grid_sample("bilinear", "reflection"),
    grid_sample("nearest", "zeros"),
    grid_sample("bicubic", "zeros"),
    grid_sample("bicubic", "reflection"),
    grid_sample("bilinear", "zeros", 3),
    grid_sample("nearest", "border", 3),
    Operator("affine_grid_generator", ("float32",), affine_grid),
    Operator("masked_scatter.source", ("float32",), masked_scatter),
    Operator("nanmedian", ("float32",), nanmedian),
]
