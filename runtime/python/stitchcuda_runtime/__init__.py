# SPDX-License-Identifier: Apache-2.0
"""Generated programs in Python: their C ABI over torch tensors, on a GPU or on the emulated device."""

from .program import Program, ProgramError, TensorSpec, load_library

__all__ = ["Program", "ProgramError", "TensorSpec", "load_library"]
