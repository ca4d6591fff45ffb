# SPDX-License-Identifier: Apache-2.0
"""affine_grid and grid_sample, taken apart while we export: places from the grid, then the elements around each by
`gather`. The equations are those of ATen/native/GridSampler.h."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

_ZEROS, _BORDER, _REFLECTION = 0, 1, 2
_BILINEAR, _NEAREST, _BICUBIC = 0, 1, 2
_CUBIC = -0.75


def sampling_decompositions() -> dict[Any, Callable[..., Any]]:
    aten = torch.ops.aten
    samplers = (aten.grid_sampler.default, aten.grid_sampler_2d.default, aten.grid_sampler_3d.default)
    return {**dict.fromkeys(samplers, _sampled), aten.affine_grid_generator.default: _affine_grid}


def _affine_grid(theta: Any, size: list[int], align_corners: bool) -> Any:
    """theta [n, axes, axes + 1] times (x, y, z, 1) of every place of an image of this size."""
    extents, axes = list(size[2:]), len(size) - 2
    total = theta[:, :, axes].reshape(-1, *[1] * axes, axes)
    for axis, extent in enumerate(extents):
        coordinates = _coordinates(theta, extent, align_corners).reshape(-1, *[1] * (axes - axis))
        column = theta[:, :, axes - 1 - axis].reshape(-1, *[1] * axes, axes)
        total = total + coordinates * column
    return total.expand(-1, *extents, -1)


def _coordinates(like: Any, extent: int, align_corners: bool) -> Any:
    """From -1 to 1: the middles of the pixels, or with aligned corners the ends too."""
    number = torch.arange(extent, dtype=like.dtype, device=like.device)
    if extent == 1:
        return torch.zeros_like(number)
    return number * (2 / (extent - 1)) - 1 if align_corners else (number * 2 + 1) / extent - 1


def _sampled(x: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    # In 16 bits PyTorch's CPU kernel, the reference, rounds places as it rounds elements: any other result is nearer to
    # the truth than its own, and none can be judged by it.
    if x.numel() == 0 or grid.numel() == 0 or x.dtype in (torch.float16, torch.bfloat16):
        return NotImplemented
    extents = list(x.shape[2:])
    axes = reversed(grid.unbind(-1))  # the grid's first coordinate is x
    places = [_place(coordinate, extent, align_corners) for coordinate, extent in zip(axes, extents)]
    corners = _cubic_corners if mode == _BICUBIC else _nearest_corners if mode == _NEAREST else _linear_corners
    each = [corners(place, extent, padding, align_corners) for place, extent in zip(places, extents)]
    planes = x.flatten(2)
    total = None
    for corner in itertools.product(*each):
        part = _part(planes, corner, extents)
        total = part if total is None else total + part
    return total.reshape(*x.shape[:2], *grid.shape[1:-1])


_Corner = tuple[Any, Any]  # where along one axis, as floats; its weight, None for one


def _part(planes: Any, corner: tuple[_Corner, ...], extents: list[int]) -> Any:
    """What one corner adds to every place: zero where it lies outside."""
    index, inside, weight = None, None, None
    for (place, share), extent in zip(corner, extents):
        within = (place >= 0) & (place <= extent - 1)
        number = place.clamp(0, extent - 1).to(torch.int64)
        index = number if index is None else index * extent + number
        inside = within if inside is None else inside & within
        if share is not None:
            weight = share if weight is None else weight * share
    shape = (planes.shape[0], 1, -1)
    index = index.reshape(shape).expand(-1, planes.shape[1], -1)
    value = torch.where(inside.reshape(shape), planes.gather(2, index), 0.0)
    return value if weight is None else value * weight.reshape(shape)


def _place(coordinate: Any, extent: int, align_corners: bool) -> Any:
    if align_corners:
        return (coordinate + 1) * ((extent - 1) / 2)
    return ((coordinate + 1) * extent - 1) / 2


def _padded(place: Any, extent: int, padding: int, align_corners: bool) -> Any:
    if padding == _BORDER:
        return place.clamp(0, extent - 1)
    if padding == _REFLECTION:
        low, span = (0.0, extent - 1.0) if align_corners else (-0.5, float(extent))
        return _reflected(place, low, span).clamp(0, extent - 1)
    return place


def _reflected(place: Any, low: float, span: float) -> Any:
    if span == 0.0:
        return torch.zeros_like(place)
    distance = (place - low).abs()
    rest = torch.fmod(distance, span)
    is_even = torch.fmod(torch.floor(distance / span), 2.0) == 0
    return torch.where(is_even, rest, span - rest) + low


def _nearest_corners(place: Any, extent: int, padding: int, align_corners: bool) -> list[_Corner]:
    return [(torch.round(_padded(place, extent, padding, align_corners)), None)]


def _linear_corners(place: Any, extent: int, padding: int, align_corners: bool) -> list[_Corner]:
    place = _padded(place, extent, padding, align_corners)
    first = torch.floor(place)
    return [(first, (first + 1) - place), (first + 1, place - first)]


def _cubic_corners(place: Any, extent: int, padding: int, align_corners: bool) -> list[_Corner]:
    """Four neighbours, each of them padded by itself."""
    first = torch.floor(place)
    t = place - first
    weights = [_far(t + 1), _near(t), _near(1 - t), _far(2 - t)]
    return [
        (torch.round(_padded(first + offset, extent, padding, align_corners)), weight)
        for offset, weight in zip((-1, 0, 1, 2), weights)
    ]


def _near(t: Any) -> Any:
    return ((_CUBIC + 2) * t - (_CUBIC + 3)) * t * t + 1


def _far(t: Any) -> Any:
    return ((_CUBIC * t - 5 * _CUBIC) * t + 8 * _CUBIC) * t - 4 * _CUBIC
