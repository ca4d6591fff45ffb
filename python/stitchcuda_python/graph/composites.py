# SPDX-License-Identifier: Apache-2.0
"""Composite operators that PyTorch itself takes apart while we export. The empty decomposition table keeps every
composite whole; those that have no kernel of their own and gain nothing from staying whole are listed here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import get_decompositions

from .antialiased import antialiased_decompositions
from .counts import count_decompositions
from .equations import equation_decompositions
from .frequencies import frequency_decompositions
from .losses import loss_decompositions
from .numbers import number_decompositions
from .orders import order_decompositions
from .quantiles import quantile_decompositions
from .recurrent import recurrent_decompositions
from .reductions import reduction_decompositions
from .sampling import sampling_decompositions
from .windows import window_decompositions

_NAMES = """_weight_norm atleast_1d atleast_2d atleast_3d cartesian_prod cdist chain_matmul column_stack
    combinations concatenate cosine_embedding_loss cosine_similarity cumulative_trapezoid diag diagflat diff
    dsplit dstack einsum fliplr flipud gradient hinge_embedding_loss hsplit hstack inner isclose kron
    linalg_matrix_norm linalg_multi_dot linalg_norm linalg_matrix_power linalg_vander linalg_vecdot
    margin_ranking_loss matrix_power meshgrid moveaxis multilabel_margin_loss nanmean nuclear_norm one_hot
    outer ger pairwise_distance poisson_nll_loss row_stack std_mean std tensor_split tensordot trapezoid
    trapz triplet_margin_loss vander vsplit vstack""".split()

# Operators with kernels of their own that PyTorch also describes by others, in what it calls its decompositions.
_DESCRIBED = """block_diag fft_fftshift fft_ifftshift hann_window max_unpool2d
    renorm trace tril_indices triu_indices""".split()


@functools.cache
def decomposition_table() -> dict[Any, Callable[..., Any]]:
    """The table for ExportedProgram.run_decompositions; always the same one, since PyTorch prepares itself for it."""
    table: dict[Any, Callable[..., Any]] = {}
    for name in _NAMES:
        for operator in _composites(name):
            table[operator] = _taken_apart(operator)
    table.update(_descriptions(_DESCRIBED))
    for operator, description in _descriptions(["col2im"]).items():
        table[operator] = _where(operator, _overlaps, description)
    for operator in _composites("instance_norm"):
        table[operator] = _where(operator, _keeps_statistics)
    for operator in _composites("cross_entropy_loss"):
        table[operator] = _where(operator, _weighs_or_smooths)
    for operator in _composites("scaled_dot_product_attention"):
        table[operator] = _where(operator, _drops)
    for operator in _composites("_scaled_dot_product_attention_math"):
        table[operator] = _taken_apart(operator)
    own = (
        recurrent_decompositions(),
        sampling_decompositions(),
        order_decompositions(),
        window_decompositions(),
        number_decompositions(),
        loss_decompositions(),
        reduction_decompositions(),
        frequency_decompositions(),
        antialiased_decompositions(),
        quantile_decompositions(),
        count_decompositions(),
        equation_decompositions(),
    )
    return table | {operator: made for part in own for operator, made in part.items()}


def _descriptions(names: list[str]) -> dict[Any, Callable[..., Any]]:
    return get_decompositions([getattr(torch.ops.aten, name) for name in names if hasattr(torch.ops.aten, name)])


def _composites(name: str) -> list[Any]:
    packet = getattr(torch.ops.aten, name, None)
    overloads = [] if packet is None else [getattr(packet, overload) for overload in packet.overloads()]
    return [operator for operator in overloads if _is_composite(operator)]


def _is_composite(operator: Any) -> bool:
    try:
        return bool(torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd"))
    except RuntimeError:  # overloads of TorchScript alone are unknown to the dispatcher
        return False


def _taken_apart(operator: Any) -> Callable[..., Any]:
    key = torch._C.DispatchKey.CompositeImplicitAutograd
    return lambda *args, **kwargs: operator._op_dk(key, *args, **kwargs)


def _where(
    operator: Any, applies: Callable[..., bool], description: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    taken_apart = description or _taken_apart(operator)

    def decomposition(*args: Any, **kwargs: Any) -> Any:
        return taken_apart(*args, **kwargs) if applies(*args, **kwargs) else NotImplemented

    return decomposition


def _keeps_statistics(_x: Any, _weight: Any, _bias: Any, mean: Any, *_how: Any) -> bool:
    """Whole, instance norm would hide that it updates its running statistics."""
    return mean is not None


def _overlaps(_x: Any, _size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> bool:
    """Where windows tile the image, folding is a permutation, and stays whole."""
    return list(stride) != list(kernel) or any(amount != 0 for amount in padding)


def _drops(_q: Any, _k: Any, _v: Any, _mask: Any = None, dropout: float = 0.0, *_how: Any, **_also: Any) -> bool:
    return dropout != 0.0


def _weighs_or_smooths(
    _logits: Any, target: Any, weight: Any = None, _reduction: int = 1, _ignored: int = -100, smoothing: float = 0.0
) -> bool:
    return (smoothing != 0.0 or target.is_floating_point()) and (weight is not None or target.is_floating_point())
