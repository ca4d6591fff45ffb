# SPDX-License-Identifier: Apache-2.0
"""torch.distributions while a program is traced or runs on numbers that we draw: their checks of parameters and samples
branch on values, which no trace can hold, and change no result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch.distributions import Distribution


@contextmanager
def distributions_unvalidated() -> Iterator[None]:
    """While it lasts, distributions check nothing, but for those made with validate_args=True."""
    before = Distribution._validate_args
    Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        Distribution.set_default_validate_args(before)
