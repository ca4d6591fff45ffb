# SPDX-License-Identifier: Apache-2.0
"""All that PyTorch does otherwise while we trace a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .cumulative_averages import cumulative_averages_by_count
from .data_attribute import data_attribute_as_detached
from .lstm_states import lstm_states_as_in_eager
from .recurrent_results import recurrent_results_by_shape
from .unvalidated import values_unvalidated

_CHANGES = (
    cumulative_averages_by_count,
    lstm_states_as_in_eager,
    recurrent_results_by_shape,
    data_attribute_as_detached,
    values_unvalidated,
)


@contextmanager
def as_traced() -> Iterator[None]:
    """While it lasts, torch.export sees programs as we want them traced."""
    with ExitStack() as stack:
        for change in _CHANGES:
            stack.enter_context(change())
        yield
