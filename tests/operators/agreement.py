# SPDX-License-Identifier: Apache-2.0
"""Whether an emulated result agrees with PyTorch where values are special: NaN, infinities, zeros, denormals."""

import torch

# What roundings in another order may cost, as a multiple of the dtype's epsilon. 16-bit types are computed in float32
# and rounded when they are stored: few times, but once for each kernel, and sums of such numbers may cancel.
ROUNDINGS = {torch.float64: 256, torch.float32: 256, torch.bfloat16: 4, torch.float16: 4}
SUMMED_ROUNDINGS = {**ROUNDINGS, torch.bfloat16: 16, torch.float16: 16}
# Above this a result is large because its operands are, and a sum of such numbers may be what is left of larger ones.
HUGE = 1e20
# Below this a result is small because its operands are: then it is compared by itself, not with its neighbours.
TINY = 1e-30


def first_disagreement(
    got: torch.Tensor,
    native: torch.Tensor,
    exact: torch.Tensor,
    with_signs: bool,
    terms: int = 1,
    largest: float = 0.0,
) -> str:
    """A sentence about the first element of `got` that neither PyTorch's native result nor its result in double
    precision explains; "" when there is none. `with_signs`: zeros must have the native sign. `terms`: how many
    elements a sum may have on the way to a result; 1 where nothing is summed. `largest`: the largest finite element of
    the operands."""
    if got.shape != native.shape or got.dtype != native.dtype:
        return f"{got.dtype} {tuple(got.shape)} in place of {native.dtype} {tuple(native.shape)}"
    if not native.dtype.is_floating_point:
        wrong = got != native
    else:
        exact = exact.to(torch.float64)
        wrong = ~(
            agrees(got, native, terms, largest)
            | agrees(got, exact, terms, largest)
            | overflowed(got, native, exact)
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


def agrees(got: torch.Tensor, reference: torch.Tensor, terms: int, largest: float) -> torch.Tensor:
    limits = torch.finfo(got.dtype)
    roundings = (ROUNDINGS if terms == 1 else SUMMED_ROUNDINGS)[got.dtype] * limits.eps
    value, wanted = got.to(torch.float64), reference.to(torch.float64)
    size = wanted.abs()
    finite = size[torch.isfinite(size)]
    scale = finite[finite < limits.max / 4].mean() if (finite < limits.max / 4).any() else torch.tensor(0.0)
    allowed = (
        roundings * torch.where(size > TINY, torch.maximum(size, scale), size) + 4 * limits.smallest_normal * limits.eps
    )
    if terms > 1:
        cancelled = torch.where(size > HUGE, 16 * limits.eps * largest, 0.0)
        allowed = torch.maximum(allowed, cancelled)
    close = torch.isfinite(value) & torch.isfinite(wanted) & ((value - wanted).abs() <= allowed)
    same = (value == wanted) | (value.isnan() & wanted.isnan())
    # What is beyond the largest number by the reference is infinite in the dtype; near it one more rounding decides.
    edge = limits.max * (1 - roundings)
    beyond = (size >= edge) & (value.abs() >= edge) & (torch.sign(value) == torch.sign(wanted))
    return close | same | beyond


def overflowed(got: torch.Tensor, native: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """Where PyTorch itself leaves the dtype's range on the way to a finite result: there ours may leave it otherwise,
    infinite where PyTorch's is NaN, but not come to a number that is neither."""
    return ~torch.isfinite(native) & torch.isfinite(exact) & ~torch.isfinite(got)


def sum_overflows(got: torch.Tensor, exact: torch.Tensor, terms: int) -> torch.Tensor:
    """Where a sum leaves the dtype's range before it is divided, as the sum of a mean does, or a partial sum does, of
    either sign, in our order of adding and not in PyTorch's. Nowhere when nothing is summed: then an infinity is one of
    the result itself."""
    if terms == 1:
        return torch.zeros_like(got, dtype=torch.bool)
    return torch.isinf(got) & (exact.abs() * terms > torch.finfo(got.dtype).max)
