# SPDX-License-Identifier: Apache-2.0
"""Whether an emulated result agrees with PyTorch where values are special: NaN, infinities, zeros, denormals."""

import torch

# What a few roundings in another order may cost, as a multiple of the dtype's epsilon.
ROUNDINGS = 256
# Below this a result is small because its operands are: then it is compared by itself, not with its neighbours.
TINY = 1e-30


def first_disagreement(
    got: torch.Tensor, native: torch.Tensor, exact: torch.Tensor, with_signs: bool, terms: int = 1
) -> str:
    """A sentence about the first element of `got` that neither PyTorch's native result nor its result in double
    precision explains; "" when there is none. `with_signs`: zeros must have the native sign. `terms`: how many
    elements a sum may have on the way to a result."""
    if got.shape != native.shape or got.dtype != native.dtype:
        return f"{got.dtype} {tuple(got.shape)} in place of {native.dtype} {tuple(native.shape)}"
    if not native.dtype.is_floating_point:
        wrong = got != native
    else:
        wrong = ~(
            agrees(got, native)
            | agrees(got, exact.to(torch.float64))
            | overflowed(native, exact)
            | sum_overflows(got, exact, terms)
        )
        if with_signs:
            wrong |= (got == 0) & (native == 0) & (torch.signbit(got) != torch.signbit(native))
    if not wrong.any():
        return ""
    place = tuple(int(index[0]) for index in torch.nonzero(wrong, as_tuple=True)) if wrong.dim() else ()
    count = int(wrong.sum())
    return (
        f"{count} of {wrong.numel()} elements, first at {place}: {got[place].item()} in place of {native[place].item()}"
    )


def agrees(got: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    limits = torch.finfo(got.dtype)
    value, wanted = got.to(torch.float64), reference.to(torch.float64)
    size = wanted.abs()
    finite = size[torch.isfinite(size)]
    scale = finite[finite < limits.max / 4].mean() if finite.numel() else torch.tensor(0.0)
    allowed = (
        ROUNDINGS * limits.eps * torch.where(size > TINY, torch.maximum(size, scale), size)
        + 4 * limits.smallest_normal * limits.eps
    )
    close = (value - wanted).abs() <= allowed
    same = (value == wanted) | (value.isnan() & wanted.isnan())
    # Near the largest number one more rounding decides between it and infinity.
    brink = (size > limits.max / 4) & (value.abs() > limits.max / 8) & (torch.sign(value) == torch.sign(wanted))
    return close | same | brink


def overflowed(native: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """Where PyTorch itself leaves the dtype's range on the way to a finite result: nothing can be asked there."""
    return ~torch.isfinite(native) & torch.isfinite(exact)


def sum_overflows(got: torch.Tensor, exact: torch.Tensor, terms: int) -> torch.Tensor:
    """Where a partial sum leaves the dtype's range, on either side, in our order of adding and not in PyTorch's; or a
    sum that PyTorch divides term by term."""
    return torch.isinf(got) & (exact.abs().to(torch.float64) * terms > torch.finfo(got.dtype).max)
