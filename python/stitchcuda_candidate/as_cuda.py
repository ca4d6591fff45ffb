# SPDX-License-Identifier: Apache-2.0
"""Lets code that was written for a GPU meet one on the emulated device, whose memory is the host's: tensors say that
they lie on "cuda:0", asking for that device gives PyTorch's CPU tensors, and there is one stream. It decides nothing:
what a candidate returns is looked at without it."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_NAME = re.compile(r"cuda(:\d+)?")
_DEVICE = torch.device("cuda", 0)
_HOST = torch.device("cpu")


class AsCuda(TorchFunctionMode):
    """While a candidate's Python runs."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Devices go in as the host's and come out as the GPU's."""
        if func == torch.Tensor.device.__get__:
            return _DEVICE
        if func == torch.Tensor.is_cuda.__get__:
            return True
        if func == torch.Tensor.is_cpu.__get__:
            return False
        if func == torch.Tensor.get_device:
            return 0
        if func == torch.Tensor.cuda:
            return args[0]
        if func == torch.Tensor.cpu:
            return args[0].clone()  # another memory, as on a GPU
        named = {key: _on_host(value) for key, value in (kwargs or {}).items()}
        return func(*(_on_host(value) for value in args), **named)


class _Stream:
    """The only one."""

    cuda_stream, device, device_index, stream_id = 0, _DEVICE, 0, 0

    def _nothing(self, *_: Any, **__: Any) -> None:
        pass

    synchronize = wait_stream = wait_event = record_event = _nothing

    def query(self) -> bool:
        """Launches run when they are made."""
        return True


def install() -> None:
    """torch.cuda as it is where there is one GPU."""
    only = _Stream()
    answers = {
        "is_available": True,
        "is_initialized": True,
        "current_device": 0,
        "device_count": 1,
        "get_device_capability": (9, 0),
        "get_device_name": "emulated",
        "current_stream": only,
        "default_stream": only,
        "synchronize": None,
        "init": None,
        "set_device": None,
        "set_stream": None,
        "empty_cache": None,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *_, _answer=answer, **__: _answer)
    torch.cuda.device = torch.cuda.stream = lambda *_: contextlib.nullcontext()
    _register_on_host()


def _register_on_host() -> None:
    """Operators that are registered in Python for CUDA run here."""
    custom_op, implement = torch.library.custom_op, torch.library.Library.impl
    definition = torch._library.custom_ops.CustomOpDef
    register = definition.register_kernel

    def here(device_types: Any) -> Any:
        kinds = (device_types,) if isinstance(device_types, str) else device_types
        return None if kinds is None else [str(_on_host(kind)) for kind in kinds]

    def define(*arguments: Any, device_types: Any = None, **options: Any) -> Any:
        return custom_op(*arguments, device_types=here(device_types), **options)

    def register_kernel(self: Any, device_types: Any, *arguments: Any, **options: Any) -> Any:
        return register(self, here(device_types), *arguments, **options)

    def impl(self: Any, name: Any, function: Any, dispatch_key: str = "", **options: Any) -> Any:
        return implement(self, name, function, "CPU" if dispatch_key == "CUDA" else dispatch_key, **options)

    torch.library.custom_op, torch.library.Library.impl = define, impl  # type: ignore[assignment, method-assign]
    definition.register_kernel = register_kernel  # type: ignore[method-assign]


def _on_host(value: Any) -> Any:
    is_gpu = isinstance(value, torch.device) and value.type == "cuda"
    return _HOST if is_gpu or (isinstance(value, str) and _NAME.fullmatch(value)) else value
