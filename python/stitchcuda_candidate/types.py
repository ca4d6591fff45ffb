# SPDX-License-Identifier: Apache-2.0
"""Element types as the protocol names them, and tensors looked at through PyTorch's own C functions alone."""

from __future__ import annotations

import torch

DTYPES = {
    name: getattr(torch, name) for name in "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split()
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
ELEMENT_BYTES = {name: torch.empty(0, dtype=dtype).element_size() for name, dtype in DTYPES.items()}

_Base = torch._C.TensorBase
data_pointer = _Base.data_ptr
is_contiguous = _Base.is_contiguous
contiguous = _Base.contiguous
element_size = _Base.element_size
_size = _Base.size
_stride = _Base.stride
_dtype = _Base.dtype.__get__
_layout = _Base.layout.__get__
_device = _Base.device.__get__


def shape_of(tensor: torch.Tensor) -> list[int]:
    """The extents."""
    return list(_size(tensor))


def strides_of(tensor: torch.Tensor) -> list[int]:
    """How many elements apart neighbours along each axis lie."""
    return list(_stride(tensor))


def is_plain(tensor: object) -> bool:
    """A dense tensor of PyTorch's own class, whose elements are where it says: no subclass, nothing lazy."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or _layout(tensor) is not torch.strided:
        return False
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor(tensor) or torch._is_functional_tensor(tensor)
    return not (wrapped or _Base.is_neg(tensor) or _Base.is_conj(tensor))


def dtype_name(tensor: torch.Tensor) -> str:
    """The element type as the protocol names it."""
    dtype = _dtype(tensor)
    return NAMES.get(dtype, str(dtype))


def device_type(tensor: torch.Tensor) -> str:
    """ "cpu" or "cuda"."""
    return str(_device(tensor).type)


def described(dtype: str, shape: list[int]) -> str:
    """ "float32[2,3]"."""
    return f"{dtype}[{','.join(str(extent) for extent in shape)}]"
