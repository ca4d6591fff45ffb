# SPDX-License-Identifier: Apache-2.0
"""Writes the safetensors format: an 8-byte length, a JSON header, the tensors' bytes."""

from __future__ import annotations

import json
import os

import torch

from ..failures import ENVIRONMENT, Failure
from .raw import raw_bytes

DTYPE_NAMES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
_ALIGNMENT = 8


def write_safetensors(tensors: dict[str, torch.Tensor], path: str) -> None:
    """Writes `tensors` in their order, aside first and then renamed, so that `path` is never half a file."""
    host = {name: tensor.detach().to("cpu").contiguous() for name, tensor in tensors.items()}
    header, offset = {}, 0
    for name, tensor in host.items():
        size = tensor.numel() * tensor.element_size()
        span = [offset, offset + size]
        header[name] = {"dtype": DTYPE_NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": span}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    aside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(aside, "wb") as stream:
            stream.write(len(text).to_bytes(8, "little") + text)
            for tensor in host.values():
                stream.write(raw_bytes(tensor))
        os.replace(aside, path)
    except OSError as error:
        message = f"The weights cannot be written to {path}: {error.strerror}."
        raise Failure(ENVIRONMENT, message, path, "Free space or choose another folder.") from error
