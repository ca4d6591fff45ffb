# SPDX-License-Identifier: Apache-2.0
"""Generated programs in Python: their C ABI over torch tensors, on a GPU or on the emulated device."""

from .contract import Contract, Refused, check_constructor
from .module import ProgramModule, finish
from .program import Program, ProgramError, TensorSpec, load_library

__all__ = [
    "Contract",
    "Program",
    "ProgramError",
    "ProgramModule",
    "Refused",
    "TensorSpec",
    "check_constructor",
    "finish",
    "load_library",
]
