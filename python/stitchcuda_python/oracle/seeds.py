# SPDX-License-Identifier: Apache-2.0
"""Random streams that depend on their names only, so that any draw can be made again alone."""

from __future__ import annotations

import hashlib

import torch


def derive(seed: int, *parts: object) -> int:
    """A 63-bit seed from a seed and a path of names and numbers."""
    text = "/".join([str(seed), *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1


def generator(device: torch.device | str, seed: int, *parts: object) -> torch.Generator:
    """A fresh generator of that stream on `device`."""
    return torch.Generator(device=device).manual_seed(derive(seed, *parts))


def uniform(like: torch.Tensor, low: float, high: float, source: torch.Generator) -> torch.Tensor:
    """U(low, high) in the shape, dtype and place of `like`."""
    drawn = torch.rand(like.shape, generator=source, device=source.device, dtype=torch.float32)
    return (drawn * (high - low) + low).to(device=like.device, dtype=like.dtype)


def normal(like: torch.Tensor, source: torch.Generator) -> torch.Tensor:
    """N(0, 1) in the shape, dtype and place of `like`."""
    drawn = torch.randn(like.shape, generator=source, device=source.device, dtype=torch.float32)
    return drawn.to(device=like.device, dtype=like.dtype)


def coin(like: torch.Tensor, probability: float, source: torch.Generator) -> torch.Tensor:
    """True with `probability`, independently for every element of `like`."""
    drawn = torch.rand(like.shape, generator=source, device=source.device, dtype=torch.float32)
    return (drawn < probability).to(like.device)
