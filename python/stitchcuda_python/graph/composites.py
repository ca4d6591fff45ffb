# SPDX-License-Identifier: Apache-2.0
"""Composite operators that PyTorch itself takes apart while we export. The empty decomposition table keeps every
composite whole; those that have no kernel of their own and gain nothing from staying whole are listed here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .orders import order_decompositions
from .recurrent import recurrent_decompositions
from .sampling import sampling_decompositions

_NAMES = """atleast_1d atleast_2d atleast_3d block_diag cartesian_prod cdist chain_matmul column_stack combinations
    concatenate cosine_embedding_loss cosine_similarity cov diag diff dsplit dstack einsum fliplr flipud
    hinge_embedding_loss hsplit hstack inner isclose kron linalg_matrix_norm linalg_multi_dot linalg_norm
    linalg_matrix_power linalg_vecdot margin_ranking_loss matrix_power meshgrid moveaxis nuclear_norm one_hot outer
    ger pairwise_distance poisson_nll_loss row_stack std_mean std tensor_split tensordot trapezoid trapz
    triplet_margin_loss vander vsplit vstack""".split()


def decomposition_table() -> dict[Any, Callable[..., Any]]:
    """The table for ExportedProgram.run_decompositions."""
    table: dict[Any, Callable[..., Any]] = {}
    for name in _NAMES:
        for operator in _composites(name):
            table[operator] = _taken_apart(operator)
    for operator in _composites("instance_norm"):
        table[operator] = _where(operator, _keeps_statistics)
    for operator in _composites("cross_entropy_loss"):
        table[operator] = _where(operator, _weighs_or_smooths)
    for operator in _composites("scaled_dot_product_attention"):
        table[operator] = _where(operator, _drops)
    for operator in _composites("_scaled_dot_product_attention_math"):
        table[operator] = _taken_apart(operator)
    return table | recurrent_decompositions() | sampling_decompositions() | order_decompositions()


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


def _where(operator: Any, applies: Callable[..., bool]) -> Callable[..., Any]:
    taken_apart = _taken_apart(operator)

    def decomposition(*args: Any, **kwargs: Any) -> Any:
        return taken_apart(*args, **kwargs) if applies(*args, **kwargs) else NotImplemented

    return decomposition


def _keeps_statistics(_x: Any, _weight: Any, _bias: Any, mean: Any, *_how: Any) -> bool:
    """Whole, instance norm would hide that it updates its running statistics."""
    return mean is not None


def _drops(_q: Any, _k: Any, _v: Any, _mask: Any = None, dropout: float = 0.0, *_how: Any, **_also: Any) -> bool:
    return dropout != 0.0


def _weighs_or_smooths(
    _logits: Any, target: Any, weight: Any = None, _reduction: int = 1, _ignored: int = -100, smoothing: float = 0.0
) -> bool:
    return (smoothing != 0.0 or target.is_floating_point()) and (weight is not None or target.is_floating_point())
