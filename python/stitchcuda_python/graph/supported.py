# SPDX-License-Identifier: Apache-2.0
"""Kinds of tensors that no program of ours can hold."""

from __future__ import annotations

import torch

from ..failures import PROGRAM_INVALID, Failure

# What to do about a shape that follows from numbers.
FIXED_SHAPES = (
    "Write it with torch.where or a mask, count with scatter_add, and give F.one_hot its num_classes, "
    "so that every shape is fixed by the inputs' shapes."
)

DTYPE_NAMES = {
    torch.float32: "float32",
    torch.float64: "float64",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.int64: "int64",
    torch.int32: "int32",
    torch.int16: "int16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.bool: "bool",
}


def refuse_special_tensors(example: torch.Tensor, what: str, location: str) -> None:
    """Raises a Failure for complex, sparse and quantised tensors and for element types outside DTYPE_NAMES."""
    kind = ""
    if example.dtype.is_complex:
        kind = "complex"
    elif example.layout != torch.strided:
        kind = "sparse"
    elif example.is_quantized:
        kind = "quantised"
    if kind:
        message = f"{what} is a {kind} tensor ({str(example.dtype).removeprefix('torch.')})."
        raise Failure(PROGRAM_INVALID, message, location, "Use dense tensors of real numbers.")
    if example.dtype not in DTYPE_NAMES:
        message = (
            f"{what} has element type {str(example.dtype).removeprefix('torch.')}, which has no counterpart here."
        )
        raise Failure(PROGRAM_INVALID, message, location, f"Use one of {', '.join(DTYPE_NAMES.values())}.")


def refuse_quantised(target: str, location: str) -> None:
    """Raises a Failure for operators that make or read quantised tensors: tracing shows their results as plain ones."""
    if target.startswith(("quantized.", "aten.quantize_per", "aten.dequantize")):
        message = f"{target} works on a quantised tensor."
        raise Failure(PROGRAM_INVALID, message, location, "Use dense tensors of floats.")
