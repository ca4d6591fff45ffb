# SPDX-License-Identifier: Apache-2.0
"""What a candidate's process does without: libraries that compute on their own, and other processes."""

from __future__ import annotations

import ctypes.util
from collections.abc import Iterator
from contextlib import contextmanager

COMPUTING_MODULES = frozenset(
    "numpy scipy jax jaxlib tensorflow onnxruntime cupy sklearn pandas numexpr pyarrow polars tinygrad mxnet".split()
)


@contextmanager
def no_search_for_libraries() -> Iterator[None]:
    """Meanwhile no library is found by a part of its name: ctypes asks other programs (ldconfig, a compiler), which
    this process may not start. PyTorch built for CUDA asks for one as it is imported, and knows the whole name too."""
    search = ctypes.util.find_library
    ctypes.util.find_library = lambda name: None  # noqa: ARG005
    try:
        yield
    finally:
        ctypes.util.find_library = search
