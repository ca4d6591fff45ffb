# SPDX-License-Identifier: Apache-2.0
"""Packages that a candidate does not find: libraries that compute on their own, beside the device."""

COMPUTING_MODULES = frozenset(
    "numpy scipy jax jaxlib tensorflow onnxruntime cupy sklearn pandas numexpr pyarrow polars tinygrad mxnet".split()
)
